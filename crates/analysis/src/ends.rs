//! Of which trials it is known how they ended.
//!
//! A runner sees every trial of its own end. Of an imported one only the source could say: where it does
//! not, the row has `ok`, because its result is one, and that is no observation. An import writes into
//! its manifest of which trials the source has said it.

use std::collections::BTreeSet;

use model::as_run::StatusSaid;

use crate::run::Run;

/// Of which trials of a run it is known how they ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ends {
    /// Of all.
    Known,
    /// Of all but these.
    NotOf(BTreeSet<u64>),
    /// Of none.
    Unknown,
}

impl Ends {
    /// Of a run. `any_failed`: whether a row of it has a status other than `ok`, which only the source
    /// can have said; runs that were imported before the manifest told it are known by that.
    pub fn of(run: &Run, any_failed: bool) -> Ends {
        if !run.is_imported() {
            return Ends::Known;
        }
        match run.definition.import.as_ref().and_then(|import| import.status.as_ref()) {
            Some(StatusSaid::All) => Ends::Known,
            Some(StatusSaid::NotOf(trials)) => Ends::NotOf(trials.iter().copied().collect()),
            None if any_failed => Ends::Known,
            None => Ends::Unknown,
        }
    }

    /// Whether it is known of a trial, by its number.
    pub fn are_known_of(&self, trial: u64) -> bool {
        match self {
            Ends::Known => true,
            Ends::NotOf(trials) => !trials.contains(&trial),
            Ends::Unknown => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::manifest::Origin;
    use serde_json::{Value, json};

    use super::*;
    use crate::synthetic::Synthetic;

    #[test]
    fn a_runner_sees_every_end_and_an_import_those_that_its_source_says() {
        let run = |executor: Origin, status: Value| {
            let mut made = Synthetic::new(2);
            made.manifest.executor = executor;
            if !status.is_null() {
                made.manifest.definition = json!({"import": {"status": status}});
            }
            let (_folder, folder) = made.written();
            Run::read(&folder).unwrap()
        };
        assert_eq!(Ends::of(&run(Origin::ThisMachine, Value::Null), false), Ends::Known);
        let old = run(Origin::Imported, Value::Null);
        assert_eq!(Ends::of(&old, false), Ends::Unknown);
        assert_eq!(Ends::of(&old, true), Ends::Known, "only the source can have said it");
        assert_eq!(Ends::of(&run(Origin::Imported, json!("all")), false), Ends::Known);
        let some = Ends::of(&run(Origin::Imported, json!({"not_of": [2]})), true);
        assert!(some.are_known_of(1) && !some.are_known_of(2));
    }
}
