//! `experiments doctor`: what this machine can and can't show, and why; what is missing and the
//! command that gets it.
//!
//! [`facts`] looks, the other files judge from what it saw and look at nothing themselves.

mod facts;
mod programs;
mod race;
mod state_count;
mod text;

use std::io::Write;

use clap::Args;
use serde::Serialize;

use crate::failure::{Failure, Outcome};

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
    futex_hash: facts::FutexHash,
    cpus: facts::Cpus,
    auto_slots: AutoSlots,
    race: race::Verdict,
    threads: facts::Threads,
    state_count: state_count::Verdict,
    emulation: facts::Emulation,
    cautions: Vec<String>,
    programs: Vec<programs::Program>,
}

/// What auto-scaling does at this number of CPUs.
#[derive(Debug, Serialize)]
struct AutoSlots {
    smallest: u32,
    largest: Option<u32>,
    /// From how many threads on the largest is asked for.
    largest_from_threads: Option<u32>,
}

/// Runs the command.
pub fn run(args: DoctorArgs, out: &mut dyn Write) -> Outcome {
    let seen = facts::Facts::look().map_err(Failure::Running)?;
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
    use kernel_abi::futex_hash::{SMALLEST_AUTO_SLOTS, expected_slots, largest_auto_slots};
    let online = seen.cpus.online_count;
    let largest = largest_auto_slots(online);
    Report {
        auto_slots: AutoSlots {
            smallest: SMALLEST_AUTO_SLOTS,
            largest,
            largest_from_threads: (1..=online).find(|&n| expected_slots(n, online) == largest),
        },
        race: race::judge(&seen.futex_hash, online, seen.cpus.allowed_count),
        state_count: state_count::judge(&seen.tracing, &seen.kernel),
        cautions: cautions(&seen),
        programs: seen.programs,
        kernel: seen.kernel,
        futex_hash: seen.futex_hash,
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
