//! What `show` and `run` share: from the command line to a definition and its plan.

use std::path::PathBuf;

use campaign::catalog::{Catalog, Entry};
use campaign::plan::{Plan, PlanError, Site};
use clap::Args;
use model::definition::{BadOverride, Definition, Override, OverrideProblem, Overrides};
use model::factor::Span;
use model::outcome::StallRule;

use crate::failure::Failure;
use crate::guest_rule::judge_by_the_hash;
use crate::number::{how_many, seed};
use crate::place::LabArgs;

/// Which experiment, and what of it is changed.
#[derive(Debug, Clone, Args)]
pub struct PlanningArgs {
    /// An experiment's name (`experiments list`), or the file of a definition
    #[arg(value_name = "NAME|FILE")]
    pub experiment: String,
    /// A first look: few trials, short ones
    #[arg(long)]
    pub quick: bool,
    /// Trials a cell
    #[arg(long, value_name = "N", value_parser = how_many::<u64>, allow_negative_numbers = true)]
    pub trials: Option<u64>,
    /// How long all threads of a trial work together, such as 3s or 500ms
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    pub duration: Option<Span>,
    /// Draws the order of the trials
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Replaces the values of a factor; repeatable
    #[arg(long, value_name = "FACTOR=V1,V2")]
    pub set: Vec<String>,
    /// Marks every row: machine, patch, what a comparison is to tell apart; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<String>,
    /// When a trial counts as stalled: control:0.5, absolute:100, pivot:1s or split
    #[arg(long, value_name = "RULE")]
    pub stall: Option<StallRule>,
    /// One more folder of definitions
    #[arg(long)]
    pub dir: Option<PathBuf>,
}

impl PlanningArgs {
    /// Finds the definition and applies the options.
    pub fn definition(&self) -> Result<(Entry, Definition), Failure> {
        let request = |error: &dyn std::fmt::Display| Failure::Request(error.to_string());
        let catalog = Catalog::find(self.dir.as_deref())
            .map_err(|error| Failure::Request(format!("--dir: {error}")))?;
        let entry = catalog.get(&self.experiment).map_err(|error| request(&error))?;
        let mut definition = entry.definition().map_err(|error| request(&error))?;
        let overrides = Overrides {
            quick: self.quick,
            trials: self.trials,
            duration: self.duration,
            seed: self.seed,
            set: self.set.clone(),
            labels: self.label.clone(),
            stall: self.stall,
        };
        overrides.apply(&mut definition).map_err(|error| Failure::Request(by_option(&error)))?;
        Ok((entry, definition))
    }

    /// Has trials in guests judged by the hash, unless a rule is named; what there is to say of it.
    pub fn rule_in(&self, lab: &LabArgs, definition: &mut Definition) -> Option<String> {
        (lab.is_asked_for() && self.stall.is_none())
            .then(|| judge_by_the_hash(definition))
            .flatten()
    }
}

/// An override that can't be applied, by the option that asked for it.
fn by_option(error: &BadOverride) -> String {
    let option = match &error.which {
        Override::Quick(_) => "",
        Override::Trials | Override::Duration => "--",
        Override::Set(_) => "--set ",
        Override::Label(_) => "--label ",
    };
    match &error.problem {
        OverrideProblem::OneForAll { name, value } => {
            format!("{option}{error}: `--{name} {value}` sets it")
        }
        _ => format!("{option}{error}"),
    }
}

/// The plan of a definition at a site, refused here if a cell could not run: `there` says what the
/// site refuses, and is asked first, since it knows its own limits.
pub fn plan(
    definition: &Definition,
    site: &Site,
    there: impl FnOnce(&Plan) -> Result<(), Failure>,
) -> Result<Plan, Failure> {
    let refused = |problem: &dyn std::fmt::Display| {
        Failure::Request(format!("{}: {problem}", definition.name))
    };
    let plan = Plan::new(definition, site).map_err(|error| match error {
        PlanError::NothingGrows { .. } => {
            refused(&format!("{error}: --set threads=N or --set ramp=grow:N@1s"))
        }
        error => refused(&error),
    })?;
    there(&plan)?;
    for cell in &plan.cells {
        cell.spec.check().map_err(|error| refused(&error))?;
    }
    Ok(plan)
}

/// How long a plan's trials take: `about 6 s`, or `at most 48 s` where they may end early.
pub fn expected_in_words(plan: &Plan) -> String {
    let word = if plan.may_end_early() { "at most" } else { "about" };
    format!("{word} {}", in_words(plan.expected().seconds()))
}

/// A time as people say it: `45 s`, `3 min 20 s`, `2 h 5 min`.
pub fn in_words(seconds: f64) -> String {
    let s = if seconds.is_finite() { seconds.max(0.0).ceil() as u64 } else { 0 };
    match s {
        0..60 => format!("{s} s"),
        60..3600 if s % 60 == 0 => format!("{} min", s / 60),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// `a trial`, `2 trials`.
pub fn counted(n: u64, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_do() {
        let said: Vec<String> = [0.0, 0.2, 59.9, 61.0, 3600.0, 7500.0].map(in_words).to_vec();
        assert_eq!(said, ["0 s", "1 s", "1 min", "1 min 1 s", "1 h 0 min", "2 h 5 min"]);
    }
}
