//! A definition that asks about a race which can't occur on this machine: `run` goes to the lab.

use campaign::plan::{Plan, Site};
use lab::guest::boot_time::STRETCH;
use model::definition::Definition;
use model::factor::{Memory, Placement};
use model::spec::TrialSpec;
use report::say::case::{self, Case, Guest};

use crate::cmd::planning::PlanningArgs;
use crate::failure::Failure;
use crate::install;
use crate::place::LabArgs;
use crate::site::ThisSite;
use crate::words::{counted, expected_in_words};

/// The trials together take about this long, unless the user asks for a number of trials.
const TRIALS_S: f64 = 120.0;

/// Fewer trials a cell than this say nothing.
const LEAST_TRIALS: u64 = 2;

/// Where a race can be seen that this machine can't show.
pub struct Elsewhere {
    /// The guest that shows it.
    pub guest: Guest,
    /// Why not here, as a clause.
    pub reason: String,
}

/// Where to see what the definition asks about; `None` where this machine shows it, can't tell, or
/// where no trial of the definition would show it in the guest either.
pub fn look(definition: &Definition, here: &ThisSite) -> Option<Elsewhere> {
    let case = case::asked_by(definition)?;
    let guest = case.guest();
    let seen = case.here(here.site.cpus);
    (seen.is_possible == Some(false) && shows(case, guest, definition, here))
        .then_some(Elsewhere { guest, reason: seen.reason })
}

/// A plan that this machine refuses is refused here, in this machine's words.
fn shows(case: &dyn Case, guest: Guest, definition: &Definition, here: &ThisSite) -> bool {
    plan_in(guest, definition).is_some_and(|plan| {
        here.check(&plan).is_ok()
            && plan.cells.iter().any(|cell| case.can_show(&cell.spec, guest.cpus))
            && !plan.cells.iter().any(|cell| names_this_machine(&cell.spec))
    })
}

/// Whether a trial names CPUs or nodes: who names them means those of this machine.
fn names_this_machine(trial: &TrialSpec) -> bool {
    matches!(trial.placement, Placement::Cpus(_) | Placement::Pin(_) | Placement::Node(_))
        || matches!(trial.memory, Memory::Bind(_) | Memory::Interleave(_))
}

/// `None` where a trial contradicts itself.
fn plan_in(guest: Guest, definition: &Definition) -> Option<Plan> {
    let site = Site { cpus: guest.cpus, kernels: vec![guest.kernel.to_string()] };
    let plan = Plan::new(definition, &site).ok()?;
    plan.cells.iter().all(|cell| cell.spec.check().is_ok()).then_some(plan)
}

impl Elsewhere {
    /// What `show` and a first look say of it.
    pub fn note(&self, name: &str) -> String {
        format!(
            "this machine can't show the race, because {}. `experiments run {name}` shows it in the lab, \
             with --kernel {} --cpus {}",
            self.reason, self.guest.kernel, self.guest.cpus
        )
    }
}

/// Where `run` does the trials: where it was told to, or in the lab if only the lab can answer.
/// Says so, and has as many trials as take some two minutes.
pub fn choose(
    asked: LabArgs,
    planning: &PlanningArgs,
    definition: &mut Definition,
    here: &ThisSite,
) -> Result<LabArgs, Failure> {
    if asked.is_asked_for() {
        if asked.install {
            install::for_the_lab()?;
        }
        return Ok(asked);
    }
    if asked.here {
        return Ok(asked);
    }
    let Some(elsewhere) = look(definition, here) else { return Ok(asked) };
    let name = &definition.name;
    // A first look takes less than a boot.
    if planning.quick {
        return Ok(asked);
    }
    if asked.install {
        install::for_the_lab()?;
    }
    let missing = install::missing_for_the_lab();
    if !missing.is_empty() {
        let programs: Vec<&str> = missing.iter().map(|wanted| wanted.name).collect();
        return Err(Failure::Request(format!(
            "{name} can't show the race on this machine, because {}. The lab can show it, and needs {}. \
             `experiments run {name} --install` installs what is missing and goes on; \
             `experiments run {name} --here` stays on this machine, where no trial can stall",
            elsewhere.reason,
            programs.join(" and "),
        )));
    }
    let guest = elsewhere.guest;
    if planning.trials.is_none()
        && let Some(plan) = plan_in(guest, definition)
    {
        let block_s = STRETCH * plan.expected().seconds() / definition.trials.max(1) as f64;
        let blocks = (TRIALS_S / block_s.max(f64::MIN_POSITIVE)) as u64;
        definition.trials = definition.trials.min(blocks.max(LEAST_TRIALS));
    }
    let lab = asked.in_guest(guest);
    let long = plan_in(guest, definition).map_or_else(String::new, |plan| {
        format!(
            " {} take {}{}.",
            counted(plan.trials.len() as u64, "trial"),
            expected_in_words(&plan, STRETCH),
            lab.boots_in_words(&plan)
        )
    });
    crate::cmd::run::say(&format!(
        "{name} runs in the lab, on {} with {} emulated CPUs, because {}.{long} --here stays on this machine.",
        guest.kernel, guest.cpus, elsewhere.reason,
    ));
    Ok(lab)
}
