//! What the command line changes of a definition.

use std::collections::BTreeMap;

use crate::factor::Span;
use crate::outcome::StallRule;

use super::parse::check_label;
use super::{Definition, FACTOR_NAMES, MOST_TRIALS};

/// What is asked for by an option of its own.
const OWN_OPTIONS: [&str; 8] =
    ["trials", "duration", "seed", "stall", "kernel", "cpus", "nodes", "boots"];

/// The options of `show` and `run` that change a definition, in the order in which they apply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// `--quick`.
    pub quick: bool,
    /// `--trials N`.
    pub trials: Option<u64>,
    /// `--duration 3s`.
    pub duration: Option<Span>,
    /// `--seed N`.
    pub seed: Option<u64>,
    /// `--set FACTOR=V1,V2`, as given.
    pub set: Vec<String>,
    /// `--label KEY=VALUE`, as given.
    pub labels: Vec<String>,
    /// `--stall RULE`.
    pub stall: Option<StallRule>,
}

impl Overrides {
    /// Changes the definition; a sentence names the option that can't be applied.
    pub fn apply(&self, definition: &mut Definition) -> Result<(), String> {
        if self.quick {
            let quick = definition.quick.clone();
            definition.trials = quick.trials.unwrap_or(definition.trials.min(3));
            definition.duration =
                quick.duration.unwrap_or(definition.duration.min(Span::from_ms(300)));
            if quick.pairs_per_thread.is_some() {
                definition.mutex.pairs_per_thread = quick.pairs_per_thread;
            }
            for (name, texts) in &quick.factors {
                definition
                    .factors
                    .set(name, texts)
                    .map_err(|e| format!("quick.factors.{name}: {e}"))?;
            }
        }
        if let Some(trials) = self.trials {
            if trials == 0 || trials > MOST_TRIALS {
                return Err(format!(
                    "--trials {trials}: accepted is a whole number from 1 to {MOST_TRIALS}"
                ));
            }
            definition.trials = trials;
        }
        if let Some(duration) = self.duration {
            if duration.is_zero() {
                return Err("--duration 0s: it must be above 0".to_string());
            }
            definition.duration = duration;
        }
        if let Some(seed) = self.seed {
            definition.seed = seed;
        }
        let mut set = BTreeMap::new();
        for option in &self.set {
            let form = option.split_once('=').filter(|(name, _)| !name.is_empty());
            let Some((name, values)) = form else {
                return Err(format!(
                    "--set {option:?} names no factor and its values: accepted is FACTOR=VALUE or FACTOR=V1,V2, such as threads=8,16; the factors are {}",
                    FACTOR_NAMES.join(", ")
                ));
            };
            if let Some(own) = OWN_OPTIONS.iter().find(|own| **own == name) {
                return Err(format!(
                    "--set {option:?}: {own} is no factor, but one value for all trials: `--{own} {values}` sets it"
                ));
            }
            if set.insert(name.to_string(), values).is_some() {
                return Err(format!(
                    "--set {option:?}: {name} is set twice; give its values in one, as {name}=V1,V2"
                ));
            }
            definition
                .factors
                .set(name, &split_values(values))
                .map_err(|problem| format!("--set {option:?}: {problem}"))?;
        }
        // Once all are set: a workload that is set together with its factors takes them.
        for option in &self.set {
            let name = option.split_once('=').map_or("", |(name, _)| name);
            let taken = definition.factors.takes(name);
            taken.map_err(|problem| format!("--set {option:?}: {problem}"))?;
        }
        let mut labelled = std::collections::BTreeSet::new();
        for option in &self.labels {
            let Some((key, value)) = option.split_once('=') else {
                return Err(format!(
                    "--label {option:?} has no value: accepted is KEY=VALUE, such as patch=v2"
                ));
            };
            check_label(key, value).map_err(|problem| format!("--label {option:?}: {problem}"))?;
            if !labelled.insert(key) {
                return Err(format!("--label {option:?}: {key} is given twice"));
            }
            definition.labels.insert(key.to_string(), value.to_string());
        }
        if let Some(stall) = self.stall {
            definition.outcome.stall = stall;
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
            let error = set(&[text]).apply(&mut definition()).unwrap_err();
            assert!(error.contains(text) && error.contains("belongs to the workload m"), "{error}");
        }
        let error = set(&["messengers=2", "workload=mutex"]).apply(&mut definition()).unwrap_err();
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
        let apply = |overrides: Overrides| overrides.apply(&mut definition()).unwrap_err();
        let set = |text: &str| Overrides { set: vec![text.into()], ..Default::default() };
        let label = |text: &str| Overrides { labels: vec![text.into()], ..Default::default() };
        assert!(apply(set("thread=3")).contains("did you mean threads?"));
        for text in ["threads", "threads:8", "=8", ""] {
            let sentence = apply(set(text));
            assert!(sentence.contains(&format!("--set {text:?} names no factor")), "{sentence}");
            assert!(sentence.contains("FACTOR=VALUE") && sentence.contains("messengers"));
        }
        assert!(apply(set("seed=7")).contains("`--seed 7` sets it"));
        assert!(apply(set("critical=1")).contains("\"1\" is not possible: it has no unit"));
        assert!(apply(set("ramp=linear:1000h")).contains("longer than a week"));
        assert!(apply(set("threads=2000000")).contains("at most 1000000"));
        assert!(apply(set("threads=0")).contains("at least one thread"));
        assert!(apply(set("threads=")).contains("threads \"\""));
        assert!(apply(label("a")).contains("KEY=VALUE"));
        assert!(apply(label("a=b;c")).contains("without ;"));
        assert!(apply(Overrides { trials: Some(0), ..Default::default() }).contains("--trials 0"));
        let twice =
            Overrides { set: vec!["threads=1".into(), "threads=2".into()], ..Default::default() };
        assert!(apply(twice).contains("twice"));
    }
}
