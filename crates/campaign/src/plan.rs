//! Every trial of a run, in the order in which it runs.
//!
//! The factors are crossed to cells; cells that fall together on this machine (a share of two CPUs
//! and a count of one) are one. A block holds each cell once, in an order drawn anew, so that what
//! drifts (frequency, temperature, neighbours) meets all cells alike and comparisons can be made
//! within blocks (randomised complete blocks: Fisher 1935).

use std::collections::BTreeMap;

use model::factor::{
    Count, Hash, Memory, Placement, Ramp, Span, Threads, Unlock, Until, Workload, threads_in_words,
};
use model::outcome::StallRule;
use model::rows::PlanRow;
use model::spec::{CommandSpec, Parameters, TrialSpec};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};

use model::definition::{Definition, MOST_TRIALS};

/// One trial of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Its place in the order, from 1.
    pub sequence: u64,
    /// Its block, from 1: every block holds each cell once.
    pub block: u64,
    /// Its cell, from 1.
    pub cell: u64,
    /// The kernel it is to run on, by its name in the column `kernel`.
    pub kernel: String,
    /// `key=value;key=value`, sorted.
    pub labels: String,
    /// What it does; `spec.trial` is its number.
    pub spec: TrialSpec,
}

impl Planned {
    /// Its row in `plan.csv`.
    pub fn row(&self) -> PlanRow {
        PlanRow {
            sequence: self.sequence,
            trial: self.spec.trial,
            block: self.block,
            cell: self.cell,
            workload: self.spec.workload,
            threads: self.spec.threads,
            ramp: self.spec.ramp,
            hash: self.spec.hash,
            placement: self.spec.placement.clone(),
            memory: self.spec.memory.clone(),
            locks: self.spec.locks,
            unlock: self.spec.unlock,
            messengers: self.spec.messengers,
            kernel: self.kernel.clone(),
            labels: self.labels.clone(),
        }
    }

    /// How long it should take: its ramp, its gap and its duration.
    pub fn expected(&self) -> Span {
        let ramp = model::ramp::planned_ns(self.spec.ramp, self.spec.threads);
        Span::from_ns(ramp.saturating_add(self.spec.duration.ns()))
    }
}

/// A cell: one value of each factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The kernel's name.
    pub kernel: String,
    /// `key=value;key=value`, sorted.
    pub labels: String,
    /// What its trials do; number and seed are still 0.
    pub spec: TrialSpec,
}

/// The trials of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The cells, in the order of their numbers.
    pub cells: Vec<Cell>,
    /// The trials, in the order in which they run.
    pub trials: Vec<Planned>,
    /// What was added to the definition for the plan to make sense, a sentence each.
    pub notes: Vec<String>,
}

/// Where the trials will run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// CPUs online there: what shares are of.
    pub cpus: u32,
    /// The kernels, by name; each is a value of the factor `kernel`.
    pub kernels: Vec<String>,
}

impl Plan {
    /// Its rows in `plan.csv`.
    pub fn rows(&self) -> Vec<PlanRow> {
        self.trials.iter().map(Planned::row).collect()
    }

    /// Crosses and orders. The sentence of an error names the factor.
    pub fn new(definition: &Definition, site: &Site) -> Result<Plan, String> {
        let mut notes = Vec::new();
        let cells = cells(definition, site, &mut notes)?;
        let count = definition.trials.checked_mul(cells.len() as u64);
        let Some(count) = count.filter(|count| *count <= MOST_TRIALS) else {
            return Err(format!(
                "cells times trials a cell, {} × {}, are more than {MOST_TRIALS} trials: fewer values or fewer trials are needed",
                cells.len(),
                definition.trials
            ));
        };
        let mut trials = Vec::with_capacity(count as usize);
        for block in 1..=definition.trials {
            let mut order: Vec<usize> = (0..cells.len()).collect();
            order.shuffle(&mut block_chance(definition.seed, block));
            for index in order {
                let cell = &cells[index];
                let number = (block - 1) * cells.len() as u64 + index as u64 + 1;
                let mut spec = cell.spec.clone();
                spec.trial = number;
                spec.seed = trial_seed(definition.seed, number);
                trials.push(Planned {
                    sequence: trials.len() as u64 + 1,
                    block,
                    cell: index as u64 + 1,
                    kernel: cell.kernel.clone(),
                    labels: cell.labels.clone(),
                    spec,
                });
            }
        }
        Ok(Plan { cells, trials, notes })
    }

    /// Puts the trials of one kernel after those of another, each kernel's in the order that they
    /// had: where a machine can't hold all kernels' guests at once and changing them costs a boot.
    pub fn by_kernel(&mut self, kernels: &[String]) {
        let place = |name: &String| kernels.iter().position(|kernel| kernel == name);
        self.trials.sort_by_key(|planned| place(&planned.kernel));
        for (index, planned) in self.trials.iter_mut().enumerate() {
            planned.sequence = index as u64 + 1;
        }
        self.notes.push(
            "the guests of all kernels do not fit into this machine's memory at once, so the \
             kernels run one after the other: what drifts meanwhile is not balanced between them"
                .to_string(),
        );
    }

    /// Whether trials may end before their duration: with their work done, or with the growth
    /// installed.
    pub fn may_end_early(&self) -> bool {
        self.cells
            .iter()
            .any(|cell| cell.spec.parameters.pairs.is_some() || cell.spec.until != Until::Duration)
    }

    /// The planned time of all trials together; where they may end early, the longest it can be.
    pub fn expected(&self) -> Span {
        Span::from_ns(
            self.trials.iter().fold(0, |sum: u64, trial| sum.saturating_add(trial.expected().ns())),
        )
    }
}

fn block_chance(seed: u64, block: u64) -> ChaCha12Rng {
    ChaCha12Rng::from_seed(digest(&[b"block", &seed.to_le_bytes(), &block.to_le_bytes()]))
}

/// A trial's own seed, below 2^53 so that every reader of JSON and CSV keeps it exactly.
fn trial_seed(seed: u64, trial: u64) -> u64 {
    let bytes = digest(&[b"trial", &seed.to_le_bytes(), &trial.to_le_bytes()]);
    let mut first = [0; 8];
    first.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(first) >> 11
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

fn cells(
    definition: &Definition,
    site: &Site,
    notes: &mut Vec<String>,
) -> Result<Vec<Cell>, String> {
    let factors = &definition.factors;
    let mut hashes = factors.hash.clone();
    let control = definition.control.hash;
    if matches!(definition.outcome.stall, StallRule::Control { .. }) && !hashes.contains(&control) {
        hashes.push(control);
        notes.push(format!(
            "hash {control} is added: the outcome {} needs its control",
            definition.outcome.stall
        ));
    }
    notes.extend(idle(definition));
    let mut cells: Vec<Cell> = Vec::new();
    for kernel in &site.kernels {
        for &workload in &factors.workload {
            for threads in &factors.threads {
                for &ramp in &factors.ramp {
                    for &hash in &hashes {
                        for placement in &factors.placement {
                            for memory in &factors.memory {
                                for extra in extras(definition, workload, site)? {
                                    let cell = cell(
                                        definition,
                                        kernel,
                                        Common {
                                            workload,
                                            threads: threads.on(site.cpus),
                                            ramp,
                                            hash,
                                            placement,
                                            memory,
                                        },
                                        extra,
                                    )?;
                                    if cells.len() as u64 >= MOST_TRIALS {
                                        return Err(format!(
                                            "there are more than {MOST_TRIALS} cells"
                                        ));
                                    }
                                    cells.push(cell);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    cells.retain(|cell| seen.insert(format!("{cell:?}")));
    drop_what_does_not_grow(&mut cells, notes)?;
    Ok(cells)
}

/// What a definition says for a workload that it no longer has (`--set workload=`, `--quick`).
/// Where it was asked for beside that workload it is refused before there is a plan.
fn idle(definition: &Definition) -> Option<String> {
    let workloads = &definition.factors.workload;
    let mut idle: Vec<String> =
        definition.factors.idle().iter().map(|(name, of)| format!("{name} (of {of})")).collect();
    if definition.mutex.pairs_per_thread.is_some() && !workloads.contains(&Workload::Mutex) {
        idle.push("[mutex] pairs_per_thread".to_string());
    }
    if definition.command.is_some() && !workloads.contains(&Workload::Command) {
        idle.push("[command]".to_string());
    }
    (!idle.is_empty()).then(|| {
        let there: Vec<String> = workloads.iter().map(Workload::to_string).collect();
        format!("left out, since {} has none of it: {}", there.join(", "), idle.join(", "))
    })
}

/// `threads = "100%"` with `grow:8@1s` on a machine of 8 CPUs: there is nothing to grow to. Such
/// cells are left out and named; a plan of only such cells is an error.
fn drop_what_does_not_grow(cells: &mut Vec<Cell>, notes: &mut Vec<String>) -> Result<(), String> {
    let mut dropped: Vec<String> = Vec::new();
    cells.retain(|cell| match cell.spec.ramp {
        Ramp::Grow { from, .. } if from >= cell.spec.threads => {
            let what =
                format!("ramp {} to {}", cell.spec.ramp, threads_in_words(cell.spec.threads));
            if !dropped.contains(&what) {
                dropped.push(what);
            }
            false
        }
        _ => true,
    });
    if dropped.is_empty() {
        return Ok(());
    }
    if cells.is_empty() {
        return Err(format!(
            "{}: the pool would not grow. More threads, or a smaller first pool, are needed: --set threads=N or --set ramp=grow:N@1s",
            dropped.join(", ")
        ));
    }
    notes.push(format!("left out, since the pool would not grow: {}", dropped.join(", ")));
    Ok(())
}

struct Common<'a> {
    workload: Workload,
    threads: u32,
    ramp: Ramp,
    hash: Hash,
    placement: &'a Placement,
    memory: &'a Memory,
}

/// The factors that only one workload has.
#[derive(Clone, Default)]
struct Extra {
    locks: Option<Count>,
    unlock: Option<Unlock>,
    messengers: Option<Count>,
    critical: Option<Span>,
    think: Option<Span>,
}

fn extras(definition: &Definition, workload: Workload, site: &Site) -> Result<Vec<Extra>, String> {
    let factors = &definition.factors;
    let count = |threads: &Threads| -> Result<Count, String> {
        threads.on(site.cpus).to_string().parse().map_err(|error| format!("{error}"))
    };
    let mut extras = Vec::new();
    match workload {
        Workload::Mutex => {
            for locks in &factors.locks {
                for &unlock in &factors.unlock {
                    for &critical in &factors.critical {
                        for &think in &factors.think {
                            extras.push(Extra {
                                locks: Some(count(locks)?),
                                unlock: Some(unlock),
                                critical: Some(critical),
                                think: Some(think),
                                ..Extra::default()
                            });
                        }
                    }
                }
            }
        }
        Workload::Messenger => {
            for messengers in &factors.messengers {
                extras.push(Extra { messengers: Some(count(messengers)?), ..Extra::default() });
            }
        }
        _ => extras.push(Extra::default()),
    }
    Ok(extras)
}

fn cell(
    definition: &Definition,
    kernel: &str,
    common: Common<'_>,
    extra: Extra,
) -> Result<Cell, String> {
    let mut labels: BTreeMap<String, String> = definition.labels.clone();
    // `critical` and `think` have no column: where they are varied, or not zero, they are labels.
    for (name, span, values) in [
        ("critical", extra.critical, &definition.factors.critical),
        ("think", extra.think, &definition.factors.think),
    ] {
        if let Some(span) = span
            && (values.len() > 1 || !span.is_zero())
        {
            labels.insert(name.to_string(), span.to_string());
        }
    }
    let mut spec = TrialSpec {
        trial: 0,
        workload: common.workload,
        threads: common.threads,
        ramp: common.ramp,
        hash: common.hash,
        placement: common.placement.clone(),
        memory: common.memory.clone(),
        locks: extra.locks,
        unlock: extra.unlock,
        messengers: extra.messengers,
        duration: definition.duration,
        until: definition.until,
        sample: definition.sample,
        seed: 0,
        parameters: Parameters {
            critical_ns: extra.critical.map(Span::ns),
            think_ns: extra.think.map(Span::ns),
            pairs: match (common.workload, definition.mutex.pairs_per_thread) {
                (Workload::Mutex, Some(pairs)) => {
                    Some(pairs.checked_mul(u64::from(common.threads)).ok_or_else(|| {
                        format!(
                            "mutex.pairs_per_thread {pairs} × {} is too many",
                            threads_in_words(common.threads)
                        )
                    })?)
                }
                _ => None,
            },
            command: None,
        },
    };
    if common.workload == Workload::Command {
        spec.parameters.command = Some(command(definition, &spec)?);
    }
    Ok(Cell { kernel: kernel.to_string(), labels: label_text(&labels), spec })
}

/// `key=value;key=value`, sorted by key.
pub fn label_text(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

/// Puts the factors into the command line. A name in braces that is no factor is an error; `{{` is
/// a brace.
fn command(definition: &Definition, spec: &TrialSpec) -> Result<CommandSpec, String> {
    let Some(command) = &definition.command else {
        return Err(
            "the workload command needs a table [command] with argv, unit and regex or pointer"
                .into(),
        );
    };
    let fill = |text: &String| fill(text, spec);
    Ok(CommandSpec {
        argv: command.argv.iter().map(fill).collect::<Result<_, _>>()?,
        env: command
            .env
            .iter()
            .map(|(name, value)| Ok((name.clone(), fill(value)?)))
            .collect::<Result<_, String>>()?,
        folder: command.folder.clone(),
        throughput: command.throughput.clone(),
        unit: command.unit.clone(),
        mops_per_unit: command.mops_per_unit,
        per_thread: command.per_thread,
    })
}

fn fill(text: &str, spec: &TrialSpec) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            filled.push_str(&rest[..1]);
            rest = after;
            continue;
        }
        let name = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let Some((name, after)) = name else {
            return Err(format!(
                "command {text:?}: a brace stands alone; a plain one is written twice"
            ));
        };
        filled.push_str(&match name {
            "threads" => spec.threads.to_string(),
            "duration" => spec.duration.seconds().ceil().max(1.0).to_string(),
            "duration_ms" => (spec.duration.ns() / 1_000_000).to_string(),
            "hash" => spec.hash.to_string(),
            "slots" => match spec.hash {
                Hash::Slots { slots, .. } => slots.to_string(),
                Hash::Auto | Hash::Global => "0".to_string(),
            },
            "ramp" => spec.ramp.to_string(),
            "placement" => spec.placement.to_string(),
            "memory" => spec.memory.to_string(),
            "seed" => "1".to_string(),
            other => {
                return Err(format!(
                    "command {text:?}: {{{other}}} is no factor; accepted is threads, duration, duration_ms, hash, slots, ramp, placement, memory"
                ));
            }
        });
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use model::definition::parse;

    fn definition(text: &str) -> Definition {
        parse("x.toml", "x", &format!("[factors]\n{text}")).unwrap()
    }

    fn site(cpus: u32) -> Site {
        Site { cpus, kernels: vec!["6.18".into()] }
    }

    const SWEEP: &str =
        "workload = \"wake-storm\"\nthreads = [\"12.5%\", \"25%\", \"50%\", \"100%\", \"200%\"]\n";

    #[test]
    fn shares_that_fall_together_are_one_cell() {
        let plan = Plan::new(&definition(SWEEP), &site(2)).unwrap();
        let threads: Vec<u32> = plan.cells.iter().map(|cell| cell.spec.threads).collect();
        assert_eq!(threads, [1, 1, 2, 2, 4, 4]);
        assert_eq!(Plan::new(&definition(SWEEP), &site(96)).unwrap().cells.len(), 10);
    }

    #[test]
    fn a_block_holds_each_cell_once() {
        let plan = Plan::new(&definition(SWEEP), &site(96)).unwrap();
        for block in plan.trials.chunks(plan.cells.len()) {
            let cells: HashSet<u64> = block.iter().map(|trial| trial.cell).collect();
            assert_eq!(cells.len(), plan.cells.len());
            assert!(block.iter().all(|trial| trial.block == block[0].block));
        }
        let sequences: Vec<u64> = plan.trials.iter().map(|trial| trial.sequence).collect();
        assert_eq!(sequences, (1..=100).collect::<Vec<_>>());
    }

    #[test]
    fn a_seed_draws_the_order_and_nothing_else() {
        let mut definition = definition(SWEEP);
        let of = |definition: &Definition| {
            let plan = Plan::new(definition, &site(96)).unwrap();
            plan.trials.iter().map(|t| (t.spec.trial, t.block, t.cell)).collect::<Vec<_>>()
        };
        let first = of(&definition);
        assert_eq!(first, of(&definition));
        definition.seed = 2;
        let second = of(&definition);
        assert_ne!(first, second);
        let set = |trials: &[(u64, u64, u64)]| trials.iter().copied().collect::<HashSet<_>>();
        assert_eq!(set(&first), set(&second));
    }

    #[test]
    fn orders_are_uniform() {
        // 6000 blocks of 3 cells: each of the 6 orders 1000 times; chi-square with 5 degrees of
        // freedom exceeds 20.5 once in a thousand, and the seed is fixed.
        let mut definition =
            definition("workload = \"wake-storm\"\nthreads = [1, 2, 3]\nhash = \"global\"\n");
        definition.trials = 6000;
        definition.outcome.stall = StallRule::Absolute { mops: 1.0 };
        let plan = Plan::new(&definition, &site(4)).unwrap();
        let mut counts: std::collections::HashMap<Vec<u64>, f64> = Default::default();
        for block in plan.trials.chunks(3) {
            *counts.entry(block.iter().map(|t| t.cell).collect()).or_default() += 1.0;
        }
        let chi: f64 = counts.values().map(|n| (n - 1000.0).powi(2) / 1000.0).sum();
        assert!(counts.len() == 6 && chi < 20.5, "{counts:?}");
    }

    #[test]
    fn the_control_is_added_where_the_rule_needs_it() {
        let plan = Plan::new(
            &definition("workload = \"wake-storm\"\nthreads = 1\nhash = \"auto\"\n"),
            &site(2),
        )
        .unwrap();
        assert_eq!(plan.cells.len(), 2);
        assert!(plan.notes[0].contains("slots:512"));
    }

    #[test]
    fn a_pool_that_would_not_grow_is_left_out_and_named() {
        let text = "workload = \"wake-storm\"\nthreads = [16, \"100%\"]\nramp = \"grow:8@1s\"\n";
        let plan = Plan::new(&definition(text), &site(2)).unwrap();
        assert!(plan.cells.iter().all(|cell| cell.spec.threads == 16));
        assert!(plan.notes[0].contains("grow:8@1s to 2 threads"), "{:?}", plan.notes);
        let text = text.replace("16, ", "");
        assert!(Plan::new(&definition(&text), &site(2)).unwrap_err().contains("would not grow"));
        assert_eq!(Plan::new(&definition(&text), &site(32)).unwrap().cells.len(), 2);
    }

    #[test]
    fn factors_of_another_workload_are_not_crossed() {
        let text = "workload = [\"wake-storm\", \"mutex\"]\nthreads = 2\nlocks = [1, 2]\nunlock = [\"exchange\", \"store-wake\"]\n";
        let plan = Plan::new(&definition(text), &site(2)).unwrap();
        assert_eq!(plan.cells.len(), 2 + 2 * 4);
        assert!(plan.cells[0].spec.locks.is_none());
    }

    #[test]
    fn what_a_changed_workload_leaves_idle_is_named() {
        let mut definition = definition(
            "workload = \"mutex\"\nthreads = 2\nlocks = 5\n[mutex]\npairs_per_thread = 9\n",
        );
        assert_eq!(Plan::new(&definition, &site(2)).unwrap().notes, [""; 0]);
        definition.factors.set("workload", &["wake-storm".to_string()]).unwrap();
        assert_eq!(
            Plan::new(&definition, &site(2)).unwrap().notes,
            [
                "left out, since wake-storm has none of it: locks (of mutex), [mutex] pairs_per_thread"
            ]
        );
    }

    #[test]
    fn critical_and_think_are_labels() {
        let text = "workload = \"mutex\"\nthreads = 2\ncritical = [\"0s\", \"100ns\"]\nhash = \"slots:512\"\n";
        let plan = Plan::new(&definition(text), &site(2)).unwrap();
        let labels: Vec<&str> = plan.cells.iter().map(|cell| cell.labels.as_str()).collect();
        assert_eq!(labels, ["critical=0s", "critical=100ns"]);
    }

    #[test]
    fn a_command_line_takes_the_factors() {
        let spec = Plan::new(&definition(SWEEP), &site(96)).unwrap().cells[0].spec.clone();
        assert_eq!(fill("-t {threads} -r {duration} {{x}}", &spec).unwrap(), "-t 12 -r 1 {x}");
        assert!(fill("{thread}", &spec).unwrap_err().contains("no factor"));
        assert!(fill("{threads", &spec).unwrap_err().contains("brace"));
        assert!(fill("a}", &spec).is_err());
    }

    #[test]
    fn too_many_are_refused() {
        let mut many = definition(SWEEP);
        many.trials = MOST_TRIALS;
        assert!(Plan::new(&many, &site(96)).unwrap_err().contains("more than"));
    }
}
