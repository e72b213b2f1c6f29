//! Whether a trial makes sense, decided before anything runs: by the runner when it plans, and by
//! the trial again, since a spec may come from elsewhere.
//!
//! What depends on the machine (CPUs, nodes, limits, the kernel) is not decided here.

use super::TrialSpec;
use crate::factor::{Count, Hash, Placement, Ramp, Span, Until, Workload, threads_in_words};
use crate::ramp;

/// The most samples of a trial: 32 bytes each, taken beforehand.
const MOST_SAMPLES: u64 = 4_000_000;

/// The longest critical section or think time: beyond a second no thread would see the stop.
const LONGEST_SPIN_NS: u64 = 1_000_000_000;

/// Refuses a trial whose parts contradict each other; the sentence names the factor, what was
/// found and what is accepted.
pub fn check(spec: &TrialSpec) -> Result<(), String> {
    if spec.threads == 0 {
        return Err("threads \"0\" is not possible: a trial needs at least one thread".into());
    }
    if spec.threads > Count::MOST {
        return Err(format!(
            "threads \"{}\" is not possible: at most {} are accepted",
            spec.threads,
            Count::MOST
        ));
    }
    belongs(spec)?;
    if spec.until != Until::Duration
        && matches!(spec.workload, Workload::Command | Workload::Resize)
    {
        return Err(format!(
            "until \"{}\" is not possible for the workload {}: no growth of the kernel's can be \
             seen in it; accepted is `duration`",
            spec.until, spec.workload
        ));
    }
    if spec.workload == Workload::Command {
        return command(spec);
    }
    if spec.duration.is_zero() {
        return Err("duration \"0s\" is not possible: nothing could be measured in no time".into());
    }
    if spec.sample.is_zero() {
        return Err(
            "sample \"0s\" is not possible: the main thread would do nothing but look".into()
        );
    }
    ramp::check(spec)?;
    let planned_ns = ramp::planned_ns(spec.ramp, spec.threads).saturating_add(spec.duration.ns());
    let samples = planned_ns / spec.sample.ns();
    if samples > MOST_SAMPLES {
        return Err(format!(
            "sample \"{}\" is too fine for a trial of {:.0} s: that is {samples} samples, at most \
             {MOST_SAMPLES} are kept; needed is a shorter ramp or duration, or a coarser `sample` in \
             the definition",
            spec.sample,
            planned_ns as f64 / 1e9,
        ));
    }
    match spec.workload {
        Workload::Mutex => mutex(spec),
        Workload::Resize => resize(spec),
        Workload::Messenger => messenger(spec),
        Workload::WakeStorm | Workload::Command => Ok(()),
    }
}

/// A factor that the workload would ignore is refused: its column would claim what isn't so.
fn belongs(spec: &TrialSpec) -> Result<(), String> {
    let parameters = &spec.parameters;
    let given = [
        ("locks", spec.locks.is_some(), Workload::Mutex),
        ("unlock", spec.unlock.is_some(), Workload::Mutex),
        ("critical_ns", parameters.critical_ns.is_some(), Workload::Mutex),
        ("think_ns", parameters.think_ns.is_some(), Workload::Mutex),
        ("pairs", parameters.pairs.is_some(), Workload::Mutex),
        ("messengers", spec.messengers.is_some(), Workload::Messenger),
        ("command", parameters.command.is_some(), Workload::Command),
    ];
    match given.iter().find(|(_, is, of)| *is && *of != spec.workload) {
        Some((key, _, of)) => Err(format!(
            "{key} is given, and the workload {} has none: it belongs to {of}",
            spec.workload
        )),
        None => Ok(()),
    }
}

fn mutex(spec: &TrialSpec) -> Result<(), String> {
    if spec.locks.is_none() {
        return Err("the workload mutex needs `locks`: how many locks the threads share".into());
    }
    if spec.unlock.is_none() {
        return Err("the workload mutex needs `unlock`: `exchange` or `store-wake`".into());
    }
    let parameters = &spec.parameters;
    for (factor, value) in [("critical", parameters.critical_ns), ("think", parameters.think_ns)] {
        if let Some(ns) = value.filter(|&ns| ns > LONGEST_SPIN_NS) {
            return Err(format!(
                "{factor} \"{}\" is not possible: accepted is at most {}, since a thread looks for \
                 the end of the trial only between pairs",
                Span::from_ns(ns),
                Span::from_ns(LONGEST_SPIN_NS)
            ));
        }
    }
    if parameters.pairs == Some(0) {
        return Err("pairs 0 is not possible: there would be nothing to do".into());
    }
    Ok(())
}

fn resize(spec: &TrialSpec) -> Result<(), String> {
    match spec.hash {
        Hash::Global => Err("hash \"global\" is not possible for the workload resize: the kernel \
                             lets no process back from the global hash; accepted are `auto` and \
                             `slots:N`"
            .into()),
        Hash::Slots { immutable: true, slots } => Err(format!(
            "hash \"slots:{slots}+immutable\" is not possible for the workload resize: an \
             immutable hash is never resized; accepted are `auto` and `slots:N`"
        )),
        Hash::Slots { slots, .. } if slots > 1 << 30 => Err(format!(
            "hash \"slots:{slots}\" is not possible for the workload resize: it sets twice as \
             many, which the kernel's interface can't hold"
        )),
        Hash::Auto | Hash::Slots { .. } => Ok(()),
    }
}

fn messenger(spec: &TrialSpec) -> Result<(), String> {
    let messengers = spec
        .messengers
        .ok_or("the workload messenger needs `messengers`: how many threads post to the workers")?;
    if messengers.get() > spec.threads {
        return Err(format!(
            "messengers \"{messengers}\" is not possible with {}: each messenger needs at least one \
             worker to post to",
            threads_in_words(spec.threads)
        ));
    }
    Ok(())
}

fn command(spec: &TrialSpec) -> Result<(), String> {
    if !matches!(spec.ramp, Ramp::Burst) {
        return Err(format!(
            "ramp \"{}\" is not possible for the workload command: the program makes its threads \
             itself; accepted is `burst`",
            spec.ramp
        ));
    }
    program(spec)
}

/// Refuses a command that can't be run or read; whether its program exists is not decided here.
fn program(spec: &TrialSpec) -> Result<(), String> {
    let command =
        spec.parameters.command.as_ref().ok_or(
            "the workload command needs `command`: the program, and where its number stands",
        )?;
    match command.argv.first() {
        None => return Err("command.argv is empty: it needs the program's name".into()),
        Some(name) if name.is_empty() => {
            return Err("command.argv begins with an empty text: it needs a program's name".into());
        }
        Some(_) => {}
    }
    let texts = command.argv.iter().chain(command.env.iter().flat_map(|(key, value)| [key, value]));
    if let Some(text) = texts.into_iter().find(|text| text.contains('\0')) {
        return Err(format!("command: {text:?} holds a zero byte, which no argument can"));
    }
    if let Some((name, _)) =
        command.env.iter().find(|(name, _)| name.is_empty() || name.contains('='))
    {
        return Err(format!("command.env: {name:?} is no variable's name"));
    }
    if command.mops_per_unit.is_some_and(|factor| !(factor.is_finite() && factor > 0.0)) {
        return Err("command.mops_per_unit must be above 0".into());
    }
    command.throughput.form()?;
    match spec.placement {
        Placement::Unpinned | Placement::Cpus(_) | Placement::Node(_) => Ok(()),
        Placement::Pin(_) | Placement::Compact | Placement::Scatter => Err(format!(
            "placement \"{}\" is not possible for the workload command: the program makes its \
             threads itself, and nobody can put each on a CPU; accepted are `unpinned`, `cpus:` \
             and `node:`",
            spec.placement
        )),
    }
}
