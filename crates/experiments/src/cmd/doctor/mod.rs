//! `experiments doctor`: what this machine can and can't show, and why; what is missing and the
//! command that gets it.
//!
//! [`facts`] looks, the other files judge from what it saw and look at nothing themselves.

mod facts;
mod text;

use std::io::Write;

use clap::Args;
use report::say::case::{CASES, Examination, Examined, Section};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::{Failure, Outcome};
use crate::programs::Program;

/// What this machine can and can't show, and why
///
/// Looks at the kernel, its futex hash, the CPUs and nodes, the limits on threads, what tracing and
/// emulation are to be had, and says what is missing and how to get it. Changes nothing: the hash
/// is tried in a child process of its own, KVM by a guest of one instruction (which is not a kernel).
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  experiments doctor\n  experiments doctor --json")]
pub struct DoctorArgs {
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Everything that the command prints. Absent is not known.
#[derive(Debug, Serialize)]
struct Report {
    kernel: facts::Kernel,
    cpus: facts::Cpus,
    /// What each case reports.
    #[serde(flatten)]
    cases: Map<String, Value>,
    threads: facts::Threads,
    emulation: facts::Emulation,
    cautions: Vec<String>,
    programs: Vec<Program>,
    #[serde(skip)]
    verdicts: Vec<Section>,
    #[serde(skip)]
    details: Vec<Section>,
}

/// Runs the command.
pub fn run(args: DoctorArgs, out: &mut dyn Write) -> Outcome {
    let seen = facts::Facts::look()?;
    let report = judge(seen);
    let text = if args.json {
        let json = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::Running(format!("the result is not JSON: {error}")))?;
        json + "\n"
    } else {
        text::render(&report)
    };
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

fn judge(seen: facts::Facts) -> Report {
    let machine = Examined {
        release: &seen.kernel.release,
        config: seen.config.as_ref(),
        online: seen.cpus.online_count,
        allowed: seen.cpus.allowed_count,
        is_root: seen.is_root,
    };
    let (mut cases, mut verdicts, mut details) = (Map::new(), Vec::new(), Vec::new());
    for case in CASES {
        let Examination { facts, verdict, details: more } = case.examine(&machine);
        cases.extend(facts);
        verdicts.push(verdict);
        details.extend(more);
    }
    Report {
        cautions: cautions(&seen),
        cases,
        verdicts,
        details,
        programs: seen.programs,
        kernel: seen.kernel,
        cpus: seen.cpus,
        threads: seen.threads,
        emulation: seen.emulation,
    }
}

/// What makes numbers from this machine worse, or harder to compare. A sentence each.
fn cautions(seen: &facts::Facts) -> Vec<String> {
    let mut cautions = Vec::new();
    let cpus = &seen.cpus;
    if seen.kernel.virtual_machine == Some(true) {
        cautions.push(format!(
            "This is a virtual machine ({}): a CPU of it may be taken away in the middle of a \
             trial. Rows hold the steal time; throughputs are for comparison with its control, not \
             with other machines.",
            seen.kernel.hypervisor.as_deref().unwrap_or("hypervisor unknown")
        ));
    }
    let slow: Vec<&str> =
        cpus.governors.iter().map(String::as_str).filter(|name| *name != "performance").collect();
    if !slow.is_empty() {
        cautions.push(format!(
            "The frequency governor is {}: clocks rise and fall with load. For the time of a run: \
             cpupower frequency-set -g performance",
            slow.join(", ")
        ));
    }
    if cpus.allowed_count < cpus.online_count {
        cautions.push(format!(
            "This process may use {} of {} CPUs online (its cpuset and affinity). The kernel sizes \
             the hash by the CPUs online, and shares of threads are of those.",
            cpus.allowed_count, cpus.online_count
        ));
    }
    if !cpus.isolated.is_empty() {
        cautions.push(format!(
            "CPUs {} are isolated: threads that are not pinned never run there.",
            cpus.isolated
        ));
    }
    if let Some(clock) = seen.kernel.clock_source.as_deref()
        && !["tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase"]
            .contains(&clock)
    {
        cautions.push(format!(
            "The clock source is {clock}: reading the time is a system call or slower, which the \
             loops of the workloads pay."
        ));
    }
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_gets_a_whole_answer_in_both_forms() {
        for json in [true, false] {
            let mut out = Vec::new();
            run(DoctorArgs { json }, &mut out).expect("an answer");
            let text = String::from_utf8(out).expect("UTF-8");
            if json {
                let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                let online = value["cpus"]["online_count"].as_u64().expect("a count");
                let race = &value["race"];
                // By the rule itself, whatever the machine.
                if online <= 4 {
                    assert_eq!(race["possible"], serde_json::Value::Bool(false));
                    assert!(race["instead"].as_str().expect("a command").contains("--kernel"));
                }
                assert!(!race["reason"].as_str().expect("a reason").is_empty());
            } else {
                for heading in ["Kernel", "Futex hash", "The race here", "Threads", "Programs"] {
                    assert!(text.contains(heading), "{heading}\n{text}");
                }
                let widest = text.lines().map(|line| line.chars().count()).max();
                assert!(widest <= Some(110), "{widest:?}\n{text}");
            }
        }
    }
}
