//! Runs of this case made up for tests: a hash that grows, or stays behind.

use model::factor::{Memory, Placement, Ramp};
use model::manifest::{FORMAT, Kernel, Machine, Manifest, Source};
use model::record::{Pivot, Status};
use model::rows::{TimelineRow, TrialRow};
use model::workload::Workload;
use serde_json::json;

use super::futex_hash::LEAST_SLOTS;
use crate::synthetic::Synthetic;

impl Synthetic {
    /// A run on a machine with so many CPUs, judged by `control:0.5` against `slots:512`.
    pub fn new(cpus: u32) -> Self {
        let manifest = Manifest {
            format: FORMAT,
            name: "race-sweep".into(),
            definition: json!({
                "title": "Stall probability over thread counts",
                "question": "From which thread count does the hash stay behind?",
                "trials": 10,
                "duration": "1s",
                "sample": "5ms",
                "control": {"hash": "slots:512"},
                "outcome": {"stall": "control:0.5"},
            }),
            source: Source {
                from: "built in".into(),
                sha256: "00".repeat(32),
                text: String::new(),
            },
            command_line: vec!["experiments".into(), "run".into(), "race-sweep".into()],
            versions: [("stallscope".to_string(), "0.1.0".to_string())].into(),
            seed: 7,
            planned: 0,
            machine: Machine {
                cpu_model: Some("Xeon 6975P-C".into()),
                cpus_online: cpus,
                cpus_allowed: format!("0-{}", cpus - 1),
                nodes: 1,
                kernel_release: "7.2.0".into(),
                kernel_version: "#1 SMP PREEMPT_DYNAMIC".into(),
                architecture: "x86_64".into(),
                ..Machine::default()
            },
            executor: model::manifest::Origin::ThisMachine,
            kernels: vec![Kernel {
                name: "7.2.0".into(),
                release: Some("7.2.0".into()),
                cpus: Some(cpus),
                nodes: Some(1),
                ..Kernel::default()
            }],
            labels: [].into(),
            started_at: "2026-09-01T10:00:00Z".into(),
            ended_at: Some("2026-09-01T10:05:00Z".into()),
            resumed: Vec::new(),
            disturbances: Vec::new(),
            skipped: Vec::new(),
        };
        Synthetic { manifest, rows: Vec::new(), samples: Vec::new(), cpus }
    }

    /// The report's ten runs a thread count on v7.2, 3 s each, stalled below 100 Mops/s. Printed are
    /// five throughputs a count; those are repeated to make the stalled counts that are printed.
    pub fn reported() -> Self {
        let mut made = Synthetic::new(192);
        made.manifest.definition["outcome"]["stall"] = json!("absolute:100");
        let printed: [(u32, [f64; 10]); 8] = [
            (24, [259.3, 249.3, 261.3, 250.0, 251.6, 259.3, 249.3, 261.3, 250.0, 251.6]),
            (32, [334.6, 332.0, 335.3, 326.5, 335.3, 334.6, 332.0, 335.3, 326.5, 335.3]),
            (40, [415.3, 300.5, 415.7, 389.1, 416.3, 415.3, 300.5, 415.7, 389.1, 416.3]),
            (48, [251.2, 423.8, 482.1, 6.5, 410.8, 251.2, 423.8, 482.1, 410.8, 482.1]),
            (56, [526.9, 6.2, 7.0, 7.0, 540.0, 6.2, 7.0, 7.0, 6.2, 7.0]),
            (64, [9.4, 8.6, 8.0, 8.5, 9.3, 9.4, 8.6, 8.0, 8.5, 9.3]),
            (72, [11.7, 10.7, 12.2, 331.0, 10.1, 11.7, 10.7, 12.2, 10.1, 11.7]),
            (96, [11.8, 9.4, 12.1, 12.9, 13.4, 11.8, 9.4, 12.1, 12.9, 13.4]),
        ];
        for (threads, throughputs) in printed {
            for mops in throughputs {
                let row = made.trial(threads, "auto");
                row.mops_per_s = Some(mops);
                row.pivot = Some(if mops < 100.0 { Pivot::Pending } else { Pivot::Settled });
                row.pivot_s = Some(if mops < 100.0 { 3.0 } else { 0.02 });
                let control = made.trial(threads, "slots:512");
                control.mops_per_s = Some(11.7 * f64::from(threads) + mops / 1e3);
            }
        }
        made
    }

    /// A trial that did its work; what is special about it is the caller's to set.
    ///
    /// # Panics
    /// If `hash` is no hash policy.
    pub fn trial(&mut self, threads: u32, hash: &str) -> &mut TrialRow {
        let number = self.rows.len() as u64 + 1;
        let expected = (4 * threads.min(self.cpus)).next_power_of_two().max(LEAST_SLOTS as u32);
        let due = hash == "auto" && expected > LEAST_SLOTS as u32;
        self.manifest.planned = self.manifest.planned.max(number);
        self.rows.push(TrialRow {
            sequence: number,
            trial: number,
            block: 1,
            cell: 1,
            experiment: self.manifest.name.clone(),
            workload: Workload::WakeStorm,
            threads,
            ramp: Ramp::Burst,
            hash: hash.parse().expect("a hash policy"),
            placement: Placement::Unpinned,
            memory: Memory::Default,
            locks: None,
            unlock: None,
            messengers: None,
            duration_s: Some(1.0),
            seed: number,
            boot: None,
            kernel: "7.2.0".into(),
            cpus: Some(self.cpus),
            nodes: Some(1),
            labels: String::new(),
            started_at: "2026-09-01T10:00:00Z".into(),
            elapsed_s: Some(1.0),
            ops: Some(100_000_000),
            mops_per_s: Some(100.0),
            thread_ops_min: None,
            thread_ops_median: None,
            thread_ops_max: None,
            slots_start: Some(0),
            slots_set: None,
            slots_loaded: Some(expected),
            slots_end: Some(expected),
            slots_expected: Some(expected),
            pivot: Some(if due { Pivot::Settled } else { Pivot::None }),
            pivot_s: due.then_some(0.01),
            user_s: None,
            system_s: None,
            voluntary_switches: None,
            involuntary_switches: None,
            steal_s: None,
            splats: None,
            status: Status::Ok,
            error: None,
        });
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }

    /// A trial that did not do its work.
    pub fn failed(&mut self, threads: u32, hash: &str, status: Status, error: &str) {
        let row = self.trial(threads, hash);
        row.mops_per_s = None;
        row.ops = None;
        row.pivot = None;
        row.pivot_s = None;
        row.status = status;
        row.error = Some(error.into());
    }

    /// Adds a trial's samples: throughputs that are each kept for so many samples, one every
    /// `every_s`. All threads are there from the first on.
    pub fn timeline(&mut self, trial: u64, every_s: f64, levels: &[(f64, usize)]) {
        let threads = self.rows.iter().find(|row| row.trial == trial).map_or(1, |row| row.threads);
        let levels = levels.iter().flat_map(|(level, count)| std::iter::repeat_n(*level, *count));
        let row = |(at, mops): (usize, Option<f64>)| TimelineRow {
            trial,
            t_s: every_s * at as f64,
            threads,
            ops: None,
            mops_per_s: mops,
            slots: None,
        };
        self.samples.extend(std::iter::once(None).chain(levels.map(Some)).enumerate().map(row));
    }
}
