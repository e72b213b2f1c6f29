//! The gate: a verdict as an exit status, for scripts and bisections.

use serde::Serialize;

use super::harm_finding::HarmFinding;
use super::verdict::Kind;

/// What a script is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// Fixed, without harm: 0.
    Pass,
    /// Not fixed, or harm found: 10.
    Fail,
    /// Not decided, or not to be trusted: 11.
    Undecided,
}

impl Gate {
    /// Of a comparison. Harm stays harm whatever else is not known; a comparison that can't be trusted
    /// decides nothing else; and a fix `stands` only if it would still be one, had the trials without
    /// an outcome stalled. That nobody looked for harm is said, and keeps no fix from passing: who only
    /// counts stalls would otherwise have no gate.
    pub fn of(verdict: Kind, harm: HarmFinding, trusted: bool, stands: bool) -> Gate {
        match (verdict, harm) {
            (_, HarmFinding::Found) => Gate::Fail,
            _ if !trusted => Gate::Undecided,
            (Kind::Undecided, _) => Gate::Undecided,
            (Kind::Fixed, HarmFinding::Unclear) => Gate::Undecided,
            (Kind::Fixed, _) if !stands => Gate::Undecided,
            (Kind::Fixed, HarmFinding::NoneSeen | HarmFinding::NotObserved) => Gate::Pass,
            (Kind::Reduced | Kind::LargeEffectExcluded | Kind::Worse, _) => Gate::Fail,
        }
    }

    /// Heeds a loss of throughput beyond the margin: whether the fix is worth it, a script can't tell.
    pub fn heeding(self, shows_a_loss: bool) -> Gate {
        if self == Gate::Pass && shows_a_loss { Gate::Undecided } else { self }
    }

    /// The exit status.
    pub fn status(self) -> u8 {
        match self {
            Gate::Pass => 0,
            Gate::Fail => 10,
            Gate::Undecided => 11,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_beyond_the_margin_keeps_a_fix_from_passing_and_decides_nothing_else() {
        let heeding = |gate: Gate| gate.heeding(true).status();
        assert_eq!([Gate::Pass, Gate::Fail, Gate::Undecided].map(heeding), [11, 10, 11]);
        assert_eq!(Gate::Pass.heeding(false).status(), 0);
    }

    #[test]
    fn only_a_fix_without_harm_that_can_be_trusted_passes() {
        let status = |kind, harm, trusted| Gate::of(kind, harm, trusted, true).status();
        assert_eq!(status(Kind::Fixed, HarmFinding::NoneSeen, true), 0);
        assert_eq!(status(Kind::Fixed, HarmFinding::Unclear, true), 11);
        assert_eq!(status(Kind::Fixed, HarmFinding::NotObserved, true), 0);
        assert_eq!(status(Kind::Fixed, HarmFinding::Found, true), 10);
        assert_eq!(status(Kind::Fixed, HarmFinding::NoneSeen, false), 11);
        assert_eq!(status(Kind::Undecided, HarmFinding::Found, false), 10);
        let fallen = |kind, harm| Gate::of(kind, harm, true, false).status();
        assert_eq!(fallen(Kind::Fixed, HarmFinding::NoneSeen), 11);
        assert_eq!(fallen(Kind::Fixed, HarmFinding::Found), 10);
        assert_eq!(fallen(Kind::Reduced, HarmFinding::NoneSeen), 10);
        for kind in [Kind::Reduced, Kind::LargeEffectExcluded, Kind::Worse] {
            assert_eq!(status(kind, HarmFinding::NoneSeen, true), 10);
            assert_eq!(status(kind, HarmFinding::NoneSeen, false), 11);
        }
        assert_eq!(status(Kind::Undecided, HarmFinding::NoneSeen, true), 11);
    }
}
