//! How trials were measured: plan, kernels and machine of each run; what several runs have in common
//! is said once, with the runs that it holds for.

use std::collections::BTreeSet;

use analysis::run::Run;
use model::factor::Span;
use model::manifest::Kernel;
use stats::words::{counted, list, seconds};

use super::{Block, Table};

/// A name and what is said of it.
type Rows = Vec<Vec<String>>;

/// The most runs that a heading names.
const MOST_NAMED: usize = 4;

/// The sections of these runs. Those of one machine as it was set up have a section for what they
/// have in common, and each one for the rest.
pub(super) fn sections(runs: &[&Run]) -> Vec<Block> {
    let mut groups: Vec<(Rows, Vec<&Run>)> = Vec::new();
    for &run in runs {
        // What is known of a machine elsewhere is what each source says.
        let machine = if run.is_imported() { Rows::new() } else { of_machine(run) };
        let alike = |(other, _): &&mut (Rows, Vec<&Run>)| !machine.is_empty() && *other == machine;
        match groups.iter_mut().find(alike) {
            Some((_, members)) => members.push(run),
            None => groups.push((machine, vec![run])),
        }
    }
    groups.iter().flat_map(|(_, members)| of_group(members, runs.len() == 1)).collect()
}

fn of_group(runs: &[&Run], is_all: bool) -> Vec<Block> {
    let section = |title: String, rows: Rows| {
        let header = vec!["what".into(), "is".into()];
        [Block::Heading(2, title), Block::Table(Table { header, texts: 2, rows })]
    };
    if let [run] = runs {
        let title = match is_all {
            true => "How it was measured".to_string(),
            false => format!("How {} was measured", run.name()),
        };
        return section(title, of_run(run)).into();
    }
    let tables: Vec<Rows> = runs.iter().map(|run| of_run(run)).collect();
    let is_common = |row: &Vec<String>| tables.iter().all(|table| table.contains(row));
    let names: Vec<String> = runs.iter().map(|run| run.name()).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let mut common: Rows = vec![vec!["runs".to_string(), list(&quoted)]];
    common.extend(tables.iter().take(1).flatten().filter(|row| is_common(row)).cloned());
    let title = match names.len() {
        ..=MOST_NAMED => format!("How {} were measured", list(&names)),
        n => format!("How {n} runs were measured"),
    };
    let mut blocks: Vec<Block> = section(title, common).into();
    for (name, table) in names.iter().zip(&tables) {
        let own: Rows = table.iter().filter(|row| !is_common(row)).cloned().collect();
        blocks.extend(section(format!("Of {name} alone"), own));
    }
    blocks
}

fn say_in(rows: &mut Rows, name: &str, value: Option<String>) {
    if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
        rows.push(vec![name.to_string(), value]);
    }
}

fn in_words((cpus, nodes): (Option<u32>, Option<u32>)) -> Vec<String> {
    let cpus = cpus.map(|n| counted(u64::from(n), "CPU", "CPUs"));
    let nodes = nodes.map(|n| counted(u64::from(n), "node", "nodes"));
    cpus.into_iter().chain(nodes).collect()
}

/// The plan, the kernels and the machine of a run, as far as they are known.
fn of_run(run: &Run) -> Rows {
    if run.is_imported() {
        return super::imported::circumstances(run).rows;
    }
    let manifest = &run.manifest;
    let mut rows = Rows::new();
    let mut say = |name: &str, value: Option<String>| say_in(&mut rows, name, value);
    let definition = &run.definition;
    let words = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    say("run", Some(format!("`{}`", run.name())));
    say("question", definition.question.as_ref().map(words));
    say(
        "trials",
        Some(format!(
            "{} of {} planned; each a fresh process, in blocks that hold every cell once, in an order \
             drawn from seed {}",
            run.finished, run.planned, manifest.seed
        )),
    );
    // Typed as `14s`, said as `14 s`.
    let time = |span: Option<Span>| span.map(|span| seconds(span.seconds()));
    say(
        "a trial",
        time(definition.duration).map(|duration| {
            let sample = time(definition.sample)
                .map_or_else(String::new, |sample| format!(", sampled every {sample}"));
            format!("{duration} of load with all threads{sample}")
        }),
    );
    say(
        "where",
        Some(match run.in_lab() {
            true => {
                let how = run.accelerators();
                let how = if how.is_empty() {
                    String::new()
                } else {
                    format!(" under {}", how.join(", "))
                };
                format!("in guests{how}")
            }
            false => "on the machine itself".to_string(),
        }),
    );
    // The size of all guests alike stands by itself, so that runs of other sizes have the same kernels.
    let size = |kernel: &Kernel| (kernel.cpus, kernel.nodes);
    let sizes = manifest.kernels.iter().map(size).collect::<BTreeSet<_>>();
    let of_all = sizes.first().filter(|_| run.in_lab() && sizes.len() == 1);
    for kernel in &manifest.kernels {
        let mut parts = vec![format!("`{}`", kernel.name)];
        if let Some(release) = kernel.release.as_ref().filter(|release| **release != kernel.name) {
            parts.push(release.clone());
        }
        parts.extend(kernel.version.clone());
        if of_all.is_none() {
            parts.extend(in_words(size(kernel)));
        }
        parts.extend(kernel.patches.iter().map(|(name, sha)| {
            format!("patch {name} (SHA-256 {})", sha.chars().take(12).collect::<String>())
        }));
        say("kernel", Some(parts.join(", ")));
    }
    say("a guest", of_all.map(|size| in_words(*size).join(", ")));
    rows.extend(of_machine(run));
    let mut say = |name: &str, value: Option<String>| say_in(&mut rows, name, value);
    let labels: Vec<String> = manifest.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    say("labels", Some(labels.join("; ")));
    let versions: Vec<String> = manifest.versions.iter().map(|(k, v)| format!("{k} {v}")).collect();
    say("programs", Some(versions.join(", ")));
    say("started", Some(manifest.started_at.clone()));
    say("ended", manifest.ended_at.clone());
    for resumed in &manifest.resumed {
        let changes = if resumed.changes.is_empty() {
            String::new()
        } else {
            format!(": {}", resumed.changes.join("; "))
        };
        say("resumed", Some(format!("{}{changes}", resumed.at)));
    }
    rows
}

/// The machine that the trials ran on, or that the guests did.
fn of_machine(run: &Run) -> Rows {
    let machine = &run.manifest.machine;
    let mut rows = Rows::new();
    let mut say = |name: &str, value: Option<String>| say_in(&mut rows, name, value);
    say("CPU", machine.cpu_model.clone());
    let mut cpus = format!(
        "{} online, {} allowed, {}",
        machine.cpus_online,
        machine.cpus_allowed,
        counted(u64::from(machine.nodes), "NUMA node", "NUMA nodes")
    );
    if let Some(packages) = machine.packages {
        cpus += &format!(", {}", counted(u64::from(packages), "socket", "sockets"));
    }
    if !machine.cache_domains.is_empty() {
        let domains = machine.cache_domains.len() as u64;
        cpus += &format!(", {}", counted(domains, "last-level cache", "last-level caches"));
    }
    if let Some(smt) = machine.smt {
        cpus += if smt { ", SMT on" } else { ", SMT off" };
    }
    say("CPUs", Some(cpus));
    say("governor", machine.governor.clone());
    say("host kernel", Some(format!("{} {}", machine.kernel_release, machine.kernel_version)));
    say("preemption", machine.preemption.clone());
    let mitigated: Vec<String> = machine
        .mitigations
        .iter()
        .filter(|(_, state)| !state.starts_with("Not affected"))
        .map(|(name, state)| format!("{name}: {state}"))
        .collect();
    say("mitigations", Some(mitigated.join("; ")));
    say("C library", machine.glibc.clone());
    say("hypervisor", machine.hypervisor.clone());
    say("architecture", Some(machine.architecture.clone()));
    rows
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use analysis::synthetic::Synthetic;

    use super::*;

    /// A run of this name, in guests of so many CPUs, on a host with this many.
    fn run(folder: &Path, name: &str, guest_cpus: u32, host_cpus: u32) -> Run {
        let mut made = Synthetic::new(host_cpus);
        made.trial(8, "auto");
        made.manifest.kernels[0].cpus = Some(guest_cpus);
        made.manifest.executor = model::manifest::Origin::Lab { boots: 1 };
        made.manifest.started_at = format!("2026-08-24T18:{guest_cpus}:00Z");
        let folder = folder.join(name);
        std::fs::create_dir(&folder).unwrap();
        made.write(&folder);
        Run::read(&folder).unwrap()
    }

    /// The sections, a heading each, with the names of their rows.
    fn said(runs: &[&Run]) -> Vec<(String, Vec<String>)> {
        let mut said: Vec<(String, Vec<String>)> = Vec::new();
        for block in sections(runs) {
            match block {
                Block::Heading(_, title) => said.push((title, Vec::new())),
                Block::Table(table) => {
                    let rows = table.rows.iter().map(|row| row.join(": "));
                    said.last_mut().unwrap().1.extend(rows);
                }
                other => panic!("{other:?}"),
            }
        }
        said
    }

    #[test]
    fn what_runs_have_in_common_is_said_once_and_of_which() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = [16, 32].map(|cpus| run(folder.path(), &cpus.to_string(), cpus, 2));
        let c = run(folder.path(), "elsewhere", 48, 4);
        let said = said(&[&a, &c, &b]);
        // Runs are named by where they are.
        let parent = format!("{}/", folder.path().display());
        let titles: Vec<String> =
            said.iter().map(|(title, _)| title.replace(&parent, "")).collect();
        let expected = [
            "How 16 and 32 were measured",
            "Of 16 alone",
            "Of 32 alone",
            "How elsewhere was measured",
        ];
        assert_eq!(titles, expected);
        let holds = |at: usize, part: &str| {
            said[at].1.iter().any(|row| row.replace(&parent, "").contains(part))
        };
        assert!(holds(0, "runs: `16` and `32`") && holds(0, "CPUs: 2 online") && holds(0, "where"));
        assert!(holds(1, "a guest: 16 CPUs") && holds(2, "a guest: 32 CPUs"));
        for at in [1, 2] {
            assert!(!holds(at, "CPUs: 2 online") && !holds(at, "where: "), "{said:?}");
            assert!(holds(at, "run: ") && holds(at, "started: "), "{said:?}");
        }
        assert!(holds(3, "CPUs: 4 online"), "{said:?}");
    }

    #[test]
    fn a_run_by_itself_says_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let one = run(folder.path(), "one", 16, 2);
        let said = said(&[&one]);
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].0, "How it was measured");
        assert!(said[0].1.iter().any(|row| row.starts_with("CPUs: ")), "{said:?}");
    }
}
