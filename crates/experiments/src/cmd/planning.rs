//! What `show` and `run` share: from the command line to a definition and its plan.

use std::path::PathBuf;

use campaign::catalog::{Catalog, Entry};
use campaign::plan::{Plan, PlanError, Site};
use clap::Args;
use model::definition::{BadOverride, Definition, Override, OverrideProblem, Overrides};
use model::factor::Span;
use model::outcome::StallRule;

use crate::failure::Failure;
use crate::number::{how_many, seed};
pub use crate::words::counted;

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
    /// When a trial counts as stalled: control:0.5, absolute:100,
    /// pivot:1s, split, reported, exit, signal, hang:2s, timeout, match:REGEX, metric:NAME>5ms, splat; several
    /// joined by " or "
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
            stall: self.stall.clone(),
        };
        overrides.apply(&mut definition).map_err(|error| Failure::Request(by_option(&error)))?;
        Ok((entry, definition))
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
    match &*error.problem {
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
