//! Every trial of a run, in the order in which it runs.
//!
//! The factors are crossed to cells; cells that fall together on this machine (a share of two CPUs
//! and a count of one) are one. A block holds each cell once, in an order drawn anew, so that what
//! drifts (frequency, temperature, neighbours) meets all cells alike and comparisons can be made
//! within blocks (randomised complete blocks: Fisher 1935).

use std::collections::BTreeMap;

use model::factor::{BadValue, Ramp, Span, Until, threads_in_words};
use model::rows::PlanRow;
use model::spec::{TrialSpec, Watch};
use model::workload::{self, Around, OwnFactor, Task, Workload};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};

use model::definition::{Definition, MOST_TRIALS, Variant, variants};

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
        let own = self.spec.task.columns();
        PlanRow {
            sequence: self.sequence,
            trial: self.spec.trial,
            block: self.block,
            cell: self.cell,
            workload: self.spec.workload(),
            threads: self.spec.threads,
            ramp: self.spec.ramp,
            hash: self.spec.hash,
            placement: self.spec.placement.clone(),
            memory: self.spec.memory.clone(),
            locks: own.locks,
            unlock: own.unlock,
            messengers: own.messengers,
            kernel: self.kernel.clone(),
            labels: self.labels.clone(),
        }
    }

    /// How long it should take: its ramp, its gap and its duration.
    pub fn expected(&self) -> Span {
        expected(&self.spec)
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

/// Why a definition has no plan at a site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// More trials than a plan may have.
    #[error(
        "cells times trials a cell, {cells} × {trials_a_cell}, are more than {MOST_TRIALS} trials: fewer \
         values or fewer trials are needed"
    )]
    TooManyTrials {
        /// Cells of the definition.
        cells: usize,
        /// Trials a cell.
        trials_a_cell: u64,
    },
    /// More cells than a plan may have trials.
    #[error("there are more than {MOST_TRIALS} cells: fewer values are needed")]
    TooManyCells,
    /// The pool of no cell would grow.
    #[error("{ramps}: the pool would not grow. More threads, or a smaller first pool, are needed")]
    NothingGrows {
        /// The ramps and their thread counts.
        ramps: String,
    },
    /// A value that makes no sense for a cell.
    #[error(transparent)]
    Value(#[from] BadValue),
}

impl Plan {
    /// Its rows in `plan.csv`.
    pub fn rows(&self) -> Vec<PlanRow> {
        self.trials.iter().map(Planned::row).collect()
    }

    /// Crosses and orders.
    ///
    /// # Errors
    /// A factor's value that makes no sense for a cell, or too many of them.
    pub fn new(definition: &Definition, site: &Site) -> Result<Plan, PlanError> {
        let mut notes = Vec::new();
        let cells = cells(definition, site, &mut notes)?;
        let count = definition.trials.checked_mul(cells.len() as u64);
        let Some(count) = count.filter(|count| *count <= MOST_TRIALS) else {
            return Err(PlanError::TooManyTrials {
                cells: cells.len(),
                trials_a_cell: definition.trials,
            });
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
                if let Task::Command(command) = &mut spec.task {
                    command.set_seed(spec.seed);
                }
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
            .any(|cell| cell.spec.task.may_end_early() || cell.spec.until != Until::Duration)
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

fn needs_control(definition: &Definition) -> bool {
    definition.outcome.stall.needs_control()
}

fn cells(
    definition: &Definition,
    site: &Site,
    notes: &mut Vec<String>,
) -> Result<Vec<Cell>, PlanError> {
    let mut factors = definition.factors.clone();
    if let Some(control) = definition.control().filter(|_| needs_control(definition)) {
        let mut values = factors.texts(control.factor);
        if !values.contains(&control.value) {
            values.push(control.value.clone());
            // It was read as a value of its factor, which takes it therefore.
            if factors.set(control.factor, &values).is_ok() {
                notes.push(format!(
                    "{control} is added: the outcome {} needs its control",
                    definition.outcome.stall
                ));
            }
        }
    }
    notes.extend(idle(definition));
    let mut cells: Vec<Cell> = Vec::new();
    let plain = ("", Variant::default());
    let variants: Vec<(&str, &Variant)> = match definition.variants.is_empty() {
        true => vec![(plain.0, &plain.1)],
        false => definition.variants.iter().map(|(name, of)| (name.as_str(), of)).collect(),
    };
    for kernel in &site.kernels {
        for &workload in &factors.workload {
            let crossed = factors.own_crossed(workload);
            for threads in &factors.threads {
                for &ramp in &factors.ramp {
                    for &hash in &factors.hash {
                        for placement in &factors.placement {
                            for memory in &factors.memory {
                                let around = Around {
                                    threads: threads.on(site.cpus),
                                    ramp,
                                    hash,
                                    placement,
                                    memory,
                                    duration: definition.duration,
                                    until: definition.until,
                                };
                                for own in &crossed {
                                    for variant in &variants {
                                        if cells.len() as u64 >= MOST_TRIALS {
                                            return Err(PlanError::TooManyCells);
                                        }
                                        let spec = spec(
                                            definition, site, workload, around, own, variant.1,
                                        )?;
                                        let labels = labels(definition, own, variant.0);
                                        let kernel = kernel.clone();
                                        cells.push(Cell { kernel, labels, spec });
                                    }
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

/// What a definition says for a workload that it no longer has, since the workload was changed.
/// Where it was asked for beside that workload it is refused before there is a plan.
fn idle(definition: &Definition) -> Option<String> {
    let workloads = &definition.factors.workload;
    let mut idle: Vec<String> =
        definition.factors.idle().map(|(name, of)| format!("{name} (of {of})")).collect();
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
fn drop_what_does_not_grow(
    cells: &mut Vec<Cell>,
    notes: &mut Vec<String>,
) -> Result<(), PlanError> {
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
    let dropped = dropped.join(", ");
    match (dropped.is_empty(), cells.is_empty()) {
        (true, _) => {}
        (false, true) => return Err(PlanError::NothingGrows { ramps: dropped }),
        (false, false) => {
            notes.push(format!("left out, since the pool would not grow: {dropped}"));
        }
    }
    Ok(())
}

/// What the trials of a cell do; number and seed are still 0.
fn spec(
    definition: &Definition,
    site: &Site,
    workload: Workload,
    around: Around<'_>,
    own: &[(&'static OwnFactor, String)],
    variant: &Variant,
) -> Result<TrialSpec, BadValue> {
    let around = variant.around(around);
    let command = definition.command.as_ref().map(|table| variant.command(table));
    let task = workload.task(&workload::Cell {
        around,
        cpus: site.cpus,
        own,
        mutex: &definition.mutex,
        command: command.as_ref(),
    })?;
    let spec = TrialSpec {
        trial: 0,
        task,
        threads: around.threads,
        ramp: around.ramp,
        hash: around.hash,
        placement: around.placement.clone(),
        memory: around.memory.clone(),
        duration: around.duration,
        until: around.until,
        sample: definition.sample,
        seed: 0,
        watch: Watch::default(),
    };
    Ok(TrialSpec { watch: watch(definition, &spec), ..spec })
}

/// What the trials look for, since the rule asks for it.
fn watch(definition: &Definition, spec: &TrialSpec) -> Watch {
    let rule = &definition.outcome.stall;
    let of_a_program = spec.workload() == Workload::Command;
    Watch {
        hang: rule.hang(),
        expressions: rule.expressions().map(str::to_string).collect(),
        limit: of_a_program.then(|| limit(definition, spec)),
    }
}

/// What a trial may take beyond its planned time before it is ended: starting, joining its threads, and
/// writing what it saw.
const GRACE: Span = Span::from_ms(20_000);

/// After how long a trial is ended.
pub fn limit(definition: &Definition, spec: &TrialSpec) -> Span {
    let twice = expected(spec).ns().saturating_mul(2);
    definition.limit.unwrap_or(Span::from_ns(twice.saturating_add(GRACE.ns())))
}

fn expected(spec: &TrialSpec) -> Span {
    let ramp = model::ramp::planned_ns(spec.ramp, spec.threads);
    Span::from_ns(ramp.saturating_add(spec.duration.ns()))
}

/// The labels of a cell: the definition's, and the own factors that have no column, where they are
/// varied or are not the default.
fn labels(definition: &Definition, own: &[(&'static OwnFactor, String)], variant: &str) -> String {
    let mut labels: BTreeMap<&str, &str> =
        definition.labels.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    for (factor, value) in own {
        let varied = definition.factors.own(factor).len() > 1;
        if !factor.has_column && (varied || value != factor.default) {
            labels.insert(factor.name, value);
        }
    }
    if !variant.is_empty() {
        labels.insert(variants::LABEL, variant);
    }
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use model::outcome::Condition;

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
        definition.outcome.stall = Condition::Absolute { mops: 1.0 }.into();
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
        assert!(plan.notes[1].contains("grow:8@1s to 2 threads"), "{:?}", plan.notes);
        let text = text.replace("16, ", "");
        let error = Plan::new(&definition(&text), &site(2)).unwrap_err().to_string();
        assert!(error.contains("would not grow"), "{error}");
        assert_eq!(Plan::new(&definition(&text), &site(32)).unwrap().cells.len(), 2);
    }

    #[test]
    fn factors_of_another_workload_are_not_crossed() {
        let text = "workload = [\"wake-storm\", \"mutex\"]\nthreads = 2\nlocks = [1, 2]\nunlock = [\"exchange\", \"store-wake\"]\n";
        let plan = Plan::new(&definition(text), &site(2)).unwrap();
        assert_eq!(plan.cells.len(), 2 + 2 * 4);
        assert!(plan.cells[0].spec.task.columns().locks.is_none());
    }

    #[test]
    fn what_a_changed_workload_leaves_idle_is_named() {
        let mut definition = definition(
            "workload = \"mutex\"\nthreads = 2\nlocks = 5\n[mutex]\npairs_per_thread = 9\n",
        );
        let notes = |it: &Definition| Plan::new(it, &site(2)).unwrap().notes;
        assert_eq!(notes(&definition).len(), 1, "the control is added");
        definition.factors.set("workload", &["wake-storm".to_string()]).unwrap();
        assert_eq!(
            notes(&definition)[1..],
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
    fn too_many_are_refused() {
        let mut many = definition(SWEEP);
        many.trials = MOST_TRIALS;
        assert!(Plan::new(&many, &site(96)).unwrap_err().to_string().contains("more than"));
    }
}
