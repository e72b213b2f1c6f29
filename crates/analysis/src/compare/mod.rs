//! Did the patch work: two sides of trials against each other, and a verdict from stated rules.
//!
//! | question | file |
//! | --- | --- |
//! | which trial is on which side? | [`sides`] |
//! | is a trial there twice? | [`copies`] |
//! | which cells can be compared? | [`strata`] |
//! | does it stall less? | [`efficacy`] |
//! | does it recover sooner? | [`recovery`] |
//! | what does it cost? | [`cost`] |
//! | what does it break? | [`harm`] |
//! | what is independent, and how much of it is there? | [`units`] |
//! | can the comparison be trusted? | [`trust`], from [`drift`], [`machines`], [`order`], [`disturbance`], [`unlike`] |
//! | what if the failed trials were not like the others? | [`sensitivity`] |
//! | so did it work? | [`verdict`], [`gate`] |
//! | how probable is it, and what of the next trials? | [`outlook`] |
//! | what would decide it? | [`what_would_decide`] |

pub mod checks;
pub mod copies;
pub mod cost;
pub mod csv;
pub mod disturbance;
pub mod drift;
pub mod efficacy;
pub mod error;
pub mod gate;
pub mod harm;
pub mod harm_finding;
pub mod machines;
pub mod order;
pub mod outlook;
pub mod recovery;
pub mod sensitivity;
pub mod sides;
pub mod strata;
pub mod throughput_ratio;
pub mod trust;
pub mod units;
pub mod unlike;
pub mod verdict;
pub mod what_would_decide;

use std::collections::BTreeMap;

use serde::Serialize;

pub use error::CompareError;
pub use sides::{Asked, Which};
pub use trust::Trust;
pub use unlike::Unlike;

use crate::analysis::{SeedAndSize, called};
use crate::data::Trial;
use crate::outcome::{Outcome, Reason};
use crate::run::Run;
use model::definition::Control;
use model::outcome::StallRule;
use stats::samples::Resampling;
use stats::{Level, StatError};

/// What the user may choose.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Options {
    /// The rule for both sides, instead of the definitions'.
    pub stall: Option<StallRule>,
    /// The level of tests and intervals.
    pub level: Level,
    /// The loss of throughput that is tolerated, as a share.
    pub margin: f64,
    /// Fixed is: the test side stalls with at most this probability.
    pub fixed_below: f64,
    /// Compares what was not measured alike.
    pub force: bool,
}

impl Options {
    /// 5 % of the throughput.
    pub const MARGIN: f64 = 0.05;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            stall: None,
            level: Level::P95,
            margin: Self::MARGIN,
            fixed_below: verdict::Rules::FIXED_BELOW,
            force: false,
        }
    }
}

/// The version of `compare.json`.
const FORMAT: u32 = 2;

/// A side, as shown.
#[derive(Debug, Clone, Serialize)]
pub struct Side {
    /// What tells it from the other.
    pub name: String,
    /// Its runs.
    pub runs: Vec<Run>,
    /// The kernels of its trials.
    pub kernels: Vec<String>,
    /// The rule by which its trials were judged.
    pub stall: StallRule,
    /// Its control, if there is one: its value is what stands here.
    #[serde(serialize_with = "crate::analysis::value_of")]
    pub control: Option<Control>,
    /// Its trials, in whatever cell.
    pub trials: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that did their work and have no outcome.
    pub not_observable: u64,
    /// Disturbed ones.
    pub disturbed: disturbance::Disturbed,
}

/// A comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    format: u32,
    /// Did it work.
    pub verdict: verdict::Verdict,
    /// For scripts.
    pub gate: gate::Gate,
    /// What texts call a hit, where the runs' definitions say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// What would decide, if something is open.
    pub what_would_decide: Option<what_would_decide::Deciding>,
    /// Can it be trusted.
    pub trust: Trust,
    /// The base side.
    pub base: Side,
    /// The test side.
    pub test: Side,
    /// What tells the sides apart.
    pub told_by: Vec<sides::ToldBy>,
    /// The level of tests and intervals.
    pub level: Level,
    /// Where the resampling's chance starts, and how many resamples there are.
    #[serde(flatten)]
    pub resampling: SeedAndSize,
    /// The cells that both sides have.
    pub strata: Vec<strata::Stratum>,
    /// The cells that one side has.
    pub one_sided: Vec<strata::OneSided>,
    /// Stall probabilities.
    pub efficacy: efficacy::Efficacy,
    /// Recovery times.
    pub recovery: recovery::RecoveryComparison,
    /// Throughput where nothing stalls.
    pub cost: cost::Cost,
    /// What breaks.
    pub harm: harm::Harm,
    /// The controls against each other.
    pub drift: drift::Drift,
    /// Machines.
    pub machines: machines::Machines,
    /// The sides in time.
    pub order: order::Order,
    /// What is independent, and how much of it there is.
    pub units: units::Counted,
    /// The probability that the test side is better, and the next trials; `None` where the units are too
    /// few to say.
    pub outlook: Option<stats::posterior::Posterior>,
    /// What the verdict would be otherwise.
    pub sensitivity: Vec<sensitivity::Sensitivity>,
    /// What was asked for.
    pub asked: Asked,
    /// What the user chose.
    pub options: Options,
    /// What was compared though it was not measured alike.
    pub forced: Vec<Unlike>,
}

/// Reads the runs and compares the sides.
///
/// # Errors
/// [`CompareError`], each a sentence for the user.
pub fn compare(asked: &Asked, options: &Options) -> Result<Comparison, CompareError> {
    for (what, share) in
        [("the margin of the cost", options.margin), ("the bound of `fixed`", options.fixed_below)]
    {
        if !(share > 0.0 && share < 1.0) {
            let accepted = "a share above 0 and below 1, such as 5% or 0.05";
            return Err(StatError::domain(what, share, accepted).into());
        }
    }
    let mut sides = sides::choose(asked)?;
    let mut forced = Vec::new();
    let [base_rule, test_rule] =
        [Which::Base, Which::Test].map(|side| sides.rule(side, options.stall.as_ref()));
    let (base_rule, test_rule) = (base_rule?, test_rule?);
    if base_rule.0 != test_rule.0 {
        let (base, test) = (base_rule.0.clone(), test_rule.0.clone());
        allow(Unlike::StallRule { base, test }, options.force, &mut forced)?;
    }
    if base_rule.1 != test_rule.1 {
        let value = |of: &Option<Control>| {
            of.as_ref().map_or_else(|| "none".to_string(), |of| of.value.clone())
        };
        let (base, test) = (value(&base_rule.1), value(&test_rule.1));
        allow(Unlike::Control { base, test }, options.force, &mut forced)?;
    }
    for side in Which::BOTH {
        several_kernels(&sides, side, options.force, &mut forced)?;
    }
    // Two modes are looked for over both sides: a fix leaves one of them.
    let judged = |of: &[Which], (rule, control): &(StallRule, Option<Control>)| {
        sides.outcomes(of, rule, control.as_ref(), options.level)
    };
    let outcomes = match base_rule.0.is_by_modes() && base_rule == test_rule {
        true => {
            let both = judged(&Which::BOTH, &base_rule)?;
            [both.clone(), both]
        }
        false => [judged(&[Which::Base], &base_rule)?, judged(&[Which::Test], &test_rule)?],
    };
    for outcomes in &outcomes {
        sides.data.mark_hits(outcomes);
    }
    let level = options.level;
    let seed = sides.data.runs.first().map_or(0, |run| run.manifest.seed);
    let strata = strata::of(&sides, &outcomes, [base_rule.1.as_ref(), test_rule.1.as_ref()]);
    let matched = strata.as_ref().map_or(&[][..], |strata| strata.common.as_slice());
    for side in [Which::Test, Which::Base] {
        only_failed(&sides, matched, side, level, seed)?;
    }
    let strata::Strata { common, one_sided } = strata?;
    durations(&common, options.force, &mut forced)?;
    observed(&common, [&base_rule.0, &test_rule.0])?;

    let rules = verdict::Rules { level, fixed_below: options.fixed_below, ..Default::default() };
    let resampling = Resampling { seed, ..Resampling::default() };
    let order = order::of(&sides);
    let units = units::of(&sides, &common, order, |side, at| {
        match outcomes[side.at()].get(at).copied().flatten() {
            Some(Outcome::Stalled) => Some(true),
            Some(Outcome::NotStalled) => Some(false),
            _ => None,
        }
    });
    let efficacy = efficacy::of(&common, &units, level, seed)?;
    let verdict = verdict::decide(&units, rules, seed)?;
    let machines = machines::of(&sides, &common);
    let cost = cost::of(&sides, &common, &outcomes, options.margin, level, resampling);
    let drift = drift::of(&common, &cost, order, level)?;
    let harm = harm::of(&sides, &common, order, level, seed)?;
    let by_throughput = base_rule.0.is_by_throughput() || test_rule.0.is_by_throughput();
    let measured = trust::Measured {
        sides: &sides,
        strata: &common,
        drift: &drift,
        machines: &machines,
        order,
        by_throughput,
    };
    let trust = trust::of(&measured);
    let sensitivity =
        sensitivity::of(&sides, &common, order, &outcomes, verdict.kind, rules, seed)?;
    let [base_disturbed, test_disturbed] = disturbance::of(&sides);
    let called =
        called(sides.runs(Which::Base).into_iter().chain(sides.runs(Which::Test)), &test_rule.0);
    let side = |side: Which, (rule, control): &(StallRule, Option<Control>), disturbed| Side {
        name: sides.name(side),
        runs: runs(&sides, side),
        kernels: kernels(&sides, side),
        stall: rule.clone(),
        control: control.clone(),
        trials: sides.trials(side).count() as u64,
        failed: sides.trials(side).filter(|(_, trial)| trial.failed()).count() as u64,
        not_observable: outcomes[side.at()]
            .iter()
            .filter(|outcome| matches!(outcome, Some(Outcome::NotObservable(_))))
            .count() as u64,
        disturbed,
    };
    Ok(Comparison {
        format: FORMAT,
        called,
        gate: gate::Gate::of(
            verdict.kind,
            harm.finding,
            trust.can_be_trusted,
            sensitivity::stands(&sensitivity),
        )
        .heeding(cost.shows_a_loss()),
        what_would_decide: what_would_decide::of(&common, &units, &verdict, rules)?,
        verdict,
        trust,
        base: side(Which::Base, &base_rule, base_disturbed),
        test: side(Which::Test, &test_rule, test_disturbed),
        told_by: sides.told_by.clone(),
        level,
        resampling: SeedAndSize { seed, resamples: resampling.resamples },
        recovery: recovery::of(
            &sides,
            &common,
            &units::Places::of(&sides, &common, order),
            level,
            seed,
        )?,
        sensitivity,
        efficacy,
        cost,
        harm,
        drift,
        machines,
        order,
        outlook: outlook::of(&units, rules, seed)?,
        units: units.counted(),
        strata: common,
        one_sided,
        asked: asked.clone(),
        options: options.clone(),
        forced,
    })
}

impl Comparison {
    /// The strata that the verdict is from, with their names.
    pub fn compared(&self) -> impl Iterator<Item = &strata::Stratum> {
        self.strata.iter().filter(|stratum| stratum.is_compared())
    }

    /// A side.
    pub fn side(&self, side: Which) -> &Side {
        match side {
            Which::Base => &self.base,
            Which::Test => &self.test,
        }
    }

    /// `compare.json`.
    pub fn json(&self) -> String {
        // Every type in it has text keys and finite or null numbers, so that this can't fail; a test
        // reads it back.
        serde_json::to_string_pretty(self).map_or_else(|_| String::new(), |text| text + "\n")
    }

    /// The tables: name and content.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        vec![("strata.csv", csv::strata(self)), ("compare.json", self.json())]
    }
}

/// An obstacle, or a fact of a forced comparison.
fn allow(unlike: Unlike, force: bool, forced: &mut Vec<Unlike>) -> Result<(), CompareError> {
    if !force {
        return Err(CompareError::Unlike(unlike));
    }
    forced.push(unlike);
    Ok(())
}

fn kernels(sides: &sides::Sides, side: Which) -> Vec<String> {
    let cell = |cell: usize| sides.data.cells.get(cell).map(|cell| cell.kernel().to_string());
    let mut names: Vec<String> =
        sides.trials(side).filter_map(|(_, trial)| cell(trial.cell)).collect();
    names.sort_by(|a, b| crate::factors::natural(a, b));
    names.dedup();
    names
}

/// A kernel that tells the sides apart is left out of the strata: several would be pooled in silence.
/// Whoever chooses the sides by the kernel has asked for it.
fn several_kernels(
    sides: &sides::Sides,
    side: Which,
    force: bool,
    forced: &mut Vec<Unlike>,
) -> Result<(), CompareError> {
    let told = sides.told_by.iter().any(|told| told.key == "kernel");
    let names = kernels(sides, side);
    if !told || names.len() < 2 || sides.by.as_deref() == Some("kernel") {
        return Ok(());
    }
    allow(Unlike::Kernels { side, kernels: names }, force, forced)
}

/// The runs of a side: those with a trial on it, and those that belong to it with none, such as imported
/// checks.
fn runs(sides: &sides::Sides, side: Which) -> Vec<Run> {
    let mut runs: Vec<Run> = sides.runs(side).into_iter().cloned().collect();
    for run in sides.runs_of(sides::RunSide::Side(side)) {
        if !runs.iter().any(|known| known.folder == run.folder) {
            runs.push(run.clone());
        }
    }
    runs
}

/// That not every trial of a side failed, nor every one in the strata that are no controls. That they
/// did is harm, and is said with the refusal.
fn only_failed(
    sides: &sides::Sides,
    strata: &[strata::Stratum],
    side: Which,
    level: Level,
    seed: u64,
) -> Result<(), CompareError> {
    let of_strata = || {
        let tallies = strata.iter().filter(|stratum| !stratum.is_control).map(|s| s.side(side));
        let members = tallies.flat_map(|tally| &tally.members);
        members.filter_map(|at| sides.data.trials.get(*at)).collect::<Vec<&Trial>>()
    };
    let all: Vec<&Trial> = sides.trials(side).map(|(_, trial)| trial).collect();
    let failed =
        |trials: &[&Trial]| !trials.is_empty() && trials.iter().all(|trial| trial.failed());
    let in_strata = !failed(&all);
    let trials = if in_strata { of_strata() } else { all };
    if !failed(&trials) {
        return Ok(());
    }
    let mut errors: BTreeMap<&str, u64> = BTreeMap::new();
    for error in trials.iter().filter_map(|trial| trial.error.as_deref()) {
        *errors.entry(error).or_default() += 1;
    }
    let most = errors.into_iter().max_by_key(|(_, count)| *count);
    Err(CompareError::OnlyFailed {
        side,
        in_strata,
        failed: trials.len() as u64,
        example: most.map(|(error, _)| error.to_string()),
        harm: Box::new(harm::of(sides, strata, order::of(sides), level, seed)?),
        level,
    })
}

fn durations(
    strata: &[strata::Stratum],
    force: bool,
    forced: &mut Vec<Unlike>,
) -> Result<(), CompareError> {
    for stratum in strata {
        let [base, test] = [&stratum.base.durations_s, &stratum.test.durations_s];
        if !base.is_empty() && !test.is_empty() && base != test {
            let (stratum, base, test) = (stratum.name.clone(), base.clone(), test.clone());
            return allow(Unlike::Duration { stratum, base, test }, force, forced);
        }
    }
    Ok(())
}

/// That some stratum has outcomes on both sides; else, what its absence is due to.
fn observed(strata: &[strata::Stratum], rules: [&StallRule; 2]) -> Result<(), CompareError> {
    if strata.iter().any(strata::Stratum::is_compared) {
        return Ok(());
    }
    let of = |side: Which| {
        let tallies = strata.iter().filter(|s| !s.is_control).map(move |s| s.side(side));
        tallies.map(|tally| tally.observed).sum::<u64>()
    };
    let side = if of(Which::Base) <= of(Which::Test) { Which::Base } else { Which::Test };
    let (mut reasons, mut failed): (BTreeMap<Reason, u64>, u64) = Default::default();
    for tally in strata.iter().filter(|s| !s.is_control).map(|s| s.side(side)) {
        for (reason, count) in &tally.not_observable {
            *reasons.entry(*reason).or_default() += count;
        }
        failed += tally.failed;
    }
    let rule = rules[side.at()].clone();
    Err(CompareError::NothingObserved { side, rule, reasons, failed })
}
