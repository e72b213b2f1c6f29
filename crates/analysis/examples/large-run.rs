//! Makes a run of any size for `benches/analyze-scale.sh`: as a runner writes it, of trials that a
//! seeded model makes up. It is for measuring `analyze`, and measures nothing of a kernel.
//!
//!     cargo run --release -p stallscope-analysis --example large-run -- FOLDER TRIALS SAMPLES [SEED]
//!
//! The model: a wake-storm of 1 s at six thread counts, automatic hash and control in turn, a sample
//! about every 1/SAMPLES s with a jitter of a tenth of that. An automatic trial stalls at once with a
//! probability that rises with the thread count, at a hundredth of the control's throughput, for an
//! exponential time whose mean is a third of the load; one in fifty rises halfway meanwhile and falls
//! back. Throughputs have 4 % of log-normal noise. The same numbers give the same run.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use model::column::{Column, header};
use model::columns::{METRICS, PLAN, TIMELINE, TRIALS};
use model::factor::{Hash, Memory, Placement, Ramp};
use model::manifest::{FORMAT, Kernel, Machine, Manifest, Source};
use model::record::{Pivot, Status};
use model::rows::{PlanRow, TrialRow};
use model::workload::Workload;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

const THREADS: [u32; 6] = [32, 48, 64, 96, 128, 192];
const CPUS: u32 = 192;
const DURATION_S: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, name: &str| -> Result<u64, String> {
        let text = arguments.get(at).ok_or_else(|| format!("{name} is missing: a whole number"))?;
        text.parse().map_err(|_| format!("{name} is {text:?}: accepted is a whole number"))
    };
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        return Err("usage: large-run FOLDER TRIALS SAMPLES [SEED]".into());
    };
    let (trials, samples) = (number(1, "TRIALS")?, number(2, "SAMPLES")?);
    let seed = if arguments.len() > 3 { number(3, "SEED")? } else { 1 };
    if trials == 0 || samples == 0 || folder.exists() {
        return Err(
            "TRIALS and SAMPLES are at least 1, and FOLDER is made: it must not exist".into()
        );
    }
    std::fs::create_dir_all(&folder)?;
    records::manifest::write(&manifest(trials, samples, seed), &folder)?;
    write(&folder, trials, samples, seed)
}

fn manifest(trials: u64, samples: u64, seed: u64) -> Manifest {
    Manifest {
        format: FORMAT,
        name: "large-run".into(),
        definition: json!({
            "name": "large-run",
            "title": "Made up, to measure the analysis",
            "question": "How long does an analysis take, and how much memory?",
            "duration": "1s",
            "sample": format!("{}us", 1_000_000 / samples.max(1)),
            "control": {"hash": "slots:512"},
            "outcome": {"stall": "control:0.5"},
        }),
        source: Source { from: "large-run".into(), sha256: String::new(), text: String::new() },
        command_line: std::env::args().collect(),
        versions: Default::default(),
        seed,
        planned: trials,
        machine: Machine { cpus_online: CPUS, nodes: 1, ..Machine::default() },
        executor: model::manifest::Origin::ThisMachine,
        kernels: vec![Kernel { name: "made-up".into(), cpus: Some(CPUS), ..Kernel::default() }],
        labels: Default::default(),
        started_at: "2026-01-01T00:00:00Z".into(),
        ended_at: Some("2026-01-01T00:00:00Z".into()),
        resumed: Vec::new(),
        disturbances: Vec::new(),
        skipped: Vec::new(),
    }
}

fn table(file: &Path, columns: &[Column]) -> Result<csv::Writer<BufWriter<File>>, Box<dyn Error>> {
    let out = BufWriter::with_capacity(1 << 20, File::create(file)?);
    let mut out = csv::WriterBuilder::new().has_headers(false).from_writer(out);
    out.write_record(columns.iter().map(|column| column.name))?;
    Ok(out)
}

fn write(folder: &Path, trials: u64, samples: u64, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut plan = table(&folder.join("plan.csv"), &PLAN)?;
    let mut rows = table(&folder.join("trials.csv"), &TRIALS)?;
    table(&folder.join("metrics.csv"), &METRICS)?.flush()?;
    let mut timeline =
        BufWriter::with_capacity(1 << 20, File::create(folder.join(records::timeline::FILE))?);
    writeln!(timeline, "{}", header(&TIMELINE))?;
    let control = Hash::Slots { slots: 512, immutable: false };
    let cells: Vec<(u32, Hash)> =
        THREADS.iter().flat_map(|threads| [(*threads, Hash::Auto), (*threads, control)]).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for number in 1..=trials {
        let cell = (number - 1) % cells.len() as u64;
        let (threads, hash) = cells[cell as usize];
        let model = Model::drawn(&mut rng, threads, hash);
        let ops = model.write_samples(&mut rng, &mut timeline, number, samples)?;
        let row = model.row(number, cell + 1, 1 + (number - 1) / cells.len() as u64, ops);
        plan.serialize(PlanRow::from(&row))?;
        rows.serialize(&row)?;
    }
    plan.flush()?;
    rows.flush()?;
    Ok(timeline.flush()?)
}

/// A trial as it goes.
struct Model {
    threads: u32,
    hash: Hash,
    control_mops: f64,
    /// How long it is stalled from the begin of the load on; 0 without a stall.
    stalled_s: f64,
    rises: bool,
}

impl Model {
    fn drawn(rng: &mut ChaCha8Rng, threads: u32, hash: Hash) -> Model {
        let logit = 4.0 * (f64::from(threads).log2() - 6.0);
        let stalls = hash == Hash::Auto && rng.random::<f64>() < 1.0 / (1.0 + (-logit).exp());
        let lasts = -(1.0 - rng.random::<f64>()).ln() * DURATION_S / 3.0;
        Model {
            threads,
            hash,
            control_mops: 11.7 * f64::from(threads),
            stalled_s: if stalls { lasts } else { 0.0 },
            rises: rng.random::<f64>() < 0.02,
        }
    }

    /// The throughput at a moment, without noise.
    fn level(&self, t_s: f64) -> f64 {
        match t_s {
            t if t >= self.stalled_s => self.control_mops,
            t if self.rises && t > 0.4 * self.stalled_s && t < 0.6 * self.stalled_s => {
                0.2 * self.control_mops
            }
            _ => 0.01 * self.control_mops,
        }
    }

    /// Writes the samples; returns the operations.
    fn write_samples(
        &self,
        rng: &mut ChaCha8Rng,
        out: &mut impl Write,
        trial: u64,
        samples: u64,
    ) -> std::io::Result<u64> {
        let threads = self.threads;
        writeln!(out, "{trial},0,{threads},0,,{}", self.slots(0.0))?;
        let interval_ns = (DURATION_S * 1e9) as u64 / samples;
        let (mut ops, mut before_s) = (0u64, 0.0);
        for sample in 1..samples {
            let late = rng.random::<f64>() * 0.1 * interval_ns as f64;
            let at_ns = sample * interval_ns + late as u64;
            let t_s = at_ns as f64 / 1e9;
            // A sum of six is near enough to a normal deviate.
            let deviate = (0..6).map(|_| rng.random::<f64>()).sum::<f64>() - 3.0;
            let mops = self.level((before_s + t_s) / 2.0) * (0.057 * deviate).exp();
            ops += (mops * 1e6 * (t_s - before_s)) as u64;
            before_s = t_s;
            writeln!(out, "{trial},{t_s:.9},{threads},{ops},{mops:.9},{}", self.slots(t_s))?;
        }
        Ok(ops)
    }

    fn slots(&self, t_s: f64) -> u32 {
        match self.hash {
            Hash::Auto if t_s < self.stalled_s => 16,
            _ => 512,
        }
    }

    fn row(&self, trial: u64, cell: u64, block: u64, ops: u64) -> TrialRow {
        let is_auto = self.hash == Hash::Auto;
        let pending = self.stalled_s >= DURATION_S;
        TrialRow {
            sequence: trial,
            trial,
            block,
            cell,
            experiment: "large-run".into(),
            workload: Workload::WakeStorm,
            threads: self.threads,
            ramp: Ramp::Burst,
            hash: self.hash,
            placement: Placement::Unpinned,
            memory: Memory::Default,
            locks: None,
            unlock: None,
            messengers: None,
            duration_s: Some(DURATION_S),
            seed: trial,
            boot: None,
            kernel: "made-up".into(),
            cpus: Some(CPUS),
            nodes: Some(1),
            labels: String::new(),
            started_at: "2026-01-01T00:00:00.000Z".into(),
            elapsed_s: Some(DURATION_S),
            ops: Some(ops),
            mops_per_s: Some(ops as f64 / DURATION_S / 1e6),
            thread_ops_min: Some(ops / u64::from(self.threads) / 2),
            thread_ops_median: Some(ops / u64::from(self.threads)),
            thread_ops_max: Some(ops / u64::from(self.threads) * 2),
            slots_start: Some(16),
            slots_set: None,
            slots_loaded: Some(self.slots(DURATION_S)),
            slots_end: Some(512),
            slots_expected: Some(512),
            pivot: Some(match (is_auto, pending) {
                (false, _) => Pivot::None,
                (true, true) => Pivot::Pending,
                (true, false) => Pivot::Settled,
            }),
            pivot_s: is_auto.then(|| self.stalled_s.clamp(0.002, DURATION_S)),
            user_s: Some(0.5),
            system_s: Some(0.5),
            voluntary_switches: Some(1000),
            involuntary_switches: Some(100),
            steal_s: Some(0.0),
            splats: None,
            status: Status::Ok,
            error: None,
        }
    }
}
