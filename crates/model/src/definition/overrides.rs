//! What is changed of a definition before it is run.

use std::collections::BTreeSet;
use std::fmt;

use thiserror::Error;

use super::error::NotTaken;
use super::factors::BadFactor;
use super::label;
use super::{Definition, FACTOR_NAMES, MOST_TRIALS};
use crate::factor::{BadValue, Span};
use crate::outcome::StallRule;

/// What is no factor, but one value for all trials, and is asked for by itself.
const NO_FACTORS: [&str; 8] =
    ["trials", "duration", "seed", "stall", "kernel", "cpus", "nodes", "boots"];

/// What is changed of a definition, in the order in which it applies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// A first look: the definition's table `[quick]`.
    pub quick: bool,
    /// Trials a cell.
    pub trials: Option<u64>,
    /// How long all threads of a trial work together.
    pub duration: Option<Span>,
    /// Draws the order of the trials.
    pub seed: Option<u64>,
    /// Factors with their values, each `FACTOR=V1,V2`.
    pub set: Vec<String>,
    /// Labels, each `KEY=VALUE`.
    pub labels: Vec<String>,
    /// When a trial counts as stalled.
    pub stall: Option<StallRule>,
}

/// Which override.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Override {
    /// A factor of the first look, by name.
    Quick(String),
    /// [`Overrides::trials`].
    Trials,
    /// [`Overrides::duration`].
    Duration,
    /// One of [`Overrides::set`], as it was given.
    Set(String),
    /// One of [`Overrides::labels`], as it was given.
    Label(String),
}

impl fmt::Display for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Override::Quick(name) => write!(f, "quick.factors.{name}"),
            Override::Trials => f.write_str("trials"),
            Override::Duration => f.write_str("duration"),
            Override::Set(text) | Override::Label(text) => write!(f, "{text:?}"),
        }
    }
}

/// An override that can't be applied.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{which}: {problem}")]
pub struct BadOverride {
    /// Which one.
    pub which: Override,
    /// What is wrong with it.
    pub problem: Box<OverrideProblem>,
}

/// What is wrong with an override.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OverrideProblem {
    /// A number out of bounds.
    #[error(transparent)]
    Value(#[from] BadValue),
    /// The factor does not exist, or does not have these values.
    #[error(transparent)]
    Factor(#[from] BadFactor),
    /// No workload of the definition takes the factor.
    #[error(transparent)]
    NotTaken(#[from] NotTaken),
    /// It has no factor and values.
    #[error(
        "it names no factor and its values: accepted is FACTOR=VALUE or FACTOR=V1,V2, such as \
         threads=8,16; the factors are {}",
        FACTOR_NAMES.join(", ")
    )]
    NoFactor,
    /// What it sets is no factor.
    #[error("{name} is no factor, but one value for all trials")]
    OneForAll {
        /// Its name.
        name: &'static str,
        /// The value that it was to have.
        value: String,
    },
    /// The factor or the label is given twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// The label has no value.
    #[error("it has no value: accepted is KEY=VALUE, such as patch=v2")]
    NoValue,
}

impl Overrides {
    /// Changes the definition.
    ///
    /// # Errors
    /// The first override that can't be applied.
    pub fn apply(&self, definition: &mut Definition) -> Result<(), BadOverride> {
        fn bad<E: Into<OverrideProblem>>(which: Override) -> impl FnOnce(E) -> BadOverride {
            |problem| BadOverride { which, problem: Box::new(problem.into()) }
        }
        if self.quick {
            let quick = definition.quick.clone();
            definition.trials = quick.trials.unwrap_or(definition.trials.min(3));
            definition.duration =
                quick.duration.unwrap_or(definition.duration.min(Span::from_ms(300)));
            if quick.pairs_per_thread.is_some() {
                definition.mutex.pairs_per_thread = quick.pairs_per_thread;
            }
            for (name, texts) in &quick.factors.0 {
                let set = definition.factors.set(name, texts);
                set.map_err(bad(Override::Quick(name.clone())))?;
            }
        }
        if let Some(trials) = self.trials {
            if trials == 0 || trials > MOST_TRIALS {
                let accepted = format!("a whole number from 1 to {MOST_TRIALS}");
                let problem = BadValue::new("trials", trials, accepted);
                return Err(bad(Override::Trials)(problem));
            }
            definition.trials = trials;
        }
        if let Some(duration) = self.duration {
            if duration.is_zero() {
                let problem = BadValue::new("duration", duration, "a time above 0");
                return Err(bad(Override::Duration)(problem));
            }
            definition.duration = duration;
        }
        definition.seed = self.seed.unwrap_or(definition.seed);
        let mut seen = BTreeSet::new();
        for text in &self.set {
            let which = Override::Set(text.clone());
            let form = text.split_once('=').filter(|(name, _)| !name.is_empty());
            let Some((name, values)) = form else {
                return Err(bad(which)(OverrideProblem::NoFactor));
            };
            if let Some(name) = NO_FACTORS.into_iter().find(|other| *other == name) {
                let value = values.to_string();
                return Err(bad(which)(OverrideProblem::OneForAll { name, value }));
            }
            if !seen.insert(name) {
                return Err(bad(which)(OverrideProblem::Twice(name.to_string())));
            }
            definition.factors.set(name, &split_values(values)).map_err(bad(which))?;
        }
        // Once all are set: a workload that is set together with its factors takes them.
        for text in &self.set {
            let name = text.split_once('=').map_or("", |(name, _)| name);
            definition.factors.takes(name).map_err(bad(Override::Set(text.clone())))?;
        }
        let mut seen = BTreeSet::new();
        for text in &self.labels {
            let which = || Override::Label(text.clone());
            let Some((key, value)) = text.split_once('=') else {
                return Err(bad(which())(OverrideProblem::NoValue));
            };
            label::check(key, value).map_err(bad(which()))?;
            if !seen.insert(key) {
                return Err(bad(which())(OverrideProblem::Twice(key.to_string())));
            }
            definition.labels.insert(key.to_string(), value.to_string());
        }
        if let Some(stall) = &self.stall {
            definition.outcome.stall = stall.clone();
        }
        Ok(())
    }
}

/// The values of `V1,V2`. A list of CPUs holds commas too: a part that is only a number or a range
/// goes on with the list before it, as in `cpus:0-3,8,unpinned`.
pub fn split_values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for part in text.split(',') {
        let is_range = !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '-');
        match values.last_mut() {
            Some(last) if is_range && takes_a_list(last) => {
                last.push(',');
                last.push_str(part);
            }
            _ => values.push(part.to_string()),
        }
    }
    values
}

fn takes_a_list(value: &str) -> bool {
    ["cpus:", "pin:", "bind:", "interleave:"].iter().any(|kind| value.starts_with(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> Definition {
        super::super::parse(
            "x.toml",
            "x",
            "trials = 20\n[factors]\nworkload=\"wake-storm\"\nthreads=1\n[quick]\ntrials = 2\n[quick.factors]\nthreads = [\"50%\"]\n",
        )
        .unwrap()
    }

    #[test]
    fn an_option_goes_over_quick() {
        let mut changed = definition();
        Overrides { quick: true, trials: Some(7), ..Default::default() }
            .apply(&mut changed)
            .unwrap();
        assert_eq!(changed.trials, 7);
        assert_eq!(changed.duration, Span::from_ms(300));
        assert_eq!(changed.factors.threads[0].to_string(), "50%");
    }

    #[test]
    fn a_factor_of_another_workload_is_refused_unless_that_is_set_too() {
        let set = |texts: &[&str]| Overrides {
            set: texts.iter().map(|text| text.to_string()).collect(),
            ..Default::default()
        };
        for text in ["locks=5", "unlock=exchange", "critical=1us", "think=1us", "messengers=2"] {
            let error = set(&[text]).apply(&mut definition()).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("belongs to the workload m"), "{error}");
        }
        let error = set(&["messengers=2", "workload=mutex"]).apply(&mut definition()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("the workload here is mutex"), "{error}");
        set(&["locks=5", "workload=mutex"]).apply(&mut definition()).unwrap();
    }

    #[test]
    fn a_list_of_cpus_keeps_its_commas() {
        assert_eq!(split_values("cpus:0-3,8,unpinned"), ["cpus:0-3,8", "unpinned"]);
        assert_eq!(split_values("1,2,50%"), ["1", "2", "50%"]);
        assert_eq!(split_values("pin:0,2,pin:1,3"), ["pin:0,2", "pin:1,3"]);
    }

    #[test]
    fn what_can_not_be_applied_is_named() {
        let apply =
            |overrides: Overrides| overrides.apply(&mut definition()).unwrap_err().to_string();
        let set = |text: &str| Overrides { set: vec![text.into()], ..Default::default() };
        let label = |text: &str| Overrides { labels: vec![text.into()], ..Default::default() };
        assert!(apply(set("thread=3")).contains("did you mean threads?"));
        for text in ["threads", "threads:8", "=8", ""] {
            let sentence = apply(set(text));
            assert!(sentence.contains(&format!("{text:?}: it names no factor")), "{sentence}");
            assert!(sentence.contains("FACTOR=VALUE") && sentence.contains("messengers"));
        }
        assert!(apply(set("seed=7")).contains("seed is no factor"));
        assert!(apply(set("critical=1")).contains("\"1\" is not possible: it has no unit"));
        assert!(apply(set("ramp=linear:1000h")).contains("longer than a week"));
        assert!(apply(set("threads=2000000")).contains("at most 1000000"));
        assert!(apply(set("threads=0")).contains("at least one thread"));
        assert!(apply(set("threads=")).contains("threads \"\""));
        assert!(apply(label("a")).contains("KEY=VALUE"));
        assert!(apply(label("a=b;c")).contains("without ;"));
        assert!(
            apply(Overrides { trials: Some(0), ..Default::default() }).contains("trials \"0\"")
        );
        let twice =
            Overrides { set: vec!["threads=1".into(), "threads=2".into()], ..Default::default() };
        assert!(apply(twice).contains("twice"));
    }
}
