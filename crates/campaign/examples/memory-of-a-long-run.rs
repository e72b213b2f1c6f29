//! The memory of a run of so many trials (by default 100,000), each done in no time and written as any
//! other: `cargo run --package stallscope-campaign --example memory-of-a-long-run [TRIALS]`.

use std::collections::BTreeSet;
use std::error::Error;
use std::time::{Duration, SystemTime};

use model::definition::parse;
use model::manifest::{FORMAT, Kernel, Machine, Manifest, Origin, Source};
use model::record::{Sample, Status, TrialRecord};
use records::journal::{Journal, TrialRows};
use stallscope_campaign::executor::{Broken, Done, Execution, Executor, Stop};
use stallscope_campaign::plan::{Plan, Planned, Site};
use stallscope_campaign::runner::{Observer, run};

struct Fake;

impl Executor for Fake {
    fn run(&mut self, planned: &Planned, _: Duration, _: &Stop) -> Result<Done, Broken> {
        let mut record = TrialRecord::empty(Status::Ok);
        record.ops = Some(planned.spec.trial);
        record.timeline = (0..100)
            .map(|at| Sample { t_s: at as f64 / 100.0, threads: 2, ops: at, slots: Some(16) })
            .collect();
        Ok(Done::Trial(Box::new(Execution {
            started_at: SystemTime::now(),
            record,
            boot: None,
            kernel: Kernel { name: "k".into(), ..Kernel::default() },
            splats: None,
            disturbances: Vec::new(),
        })))
    }
}

struct Watch {
    done: u64,
    every: u64,
}

impl Observer for Watch {
    fn starts(&mut self, _: &Planned) {}

    fn ended(&mut self, _: &Planned, _: &TrialRows) {
        self.done += 1;
        if self.done == 1 || self.done.is_multiple_of(self.every) {
            println!("{} trials: {}", self.done, resident());
        }
    }
}

/// The line of `/proc/self/status` with the most memory that was resident so far.
fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM unknown").to_string()
}

fn main() -> Result<(), Box<dyn Error>> {
    let trials: u64 = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse())?;
    let text = format!(
        "trials = {}\n[factors]\nworkload = \"wake-storm\"\nthreads = [1, 2, 3, 4]\nhash = \"auto\"\n",
        trials / 4
    );
    let definition = parse("memory", "memory", &text)?;
    let plan = Plan::new(&definition, &Site { cpus: 8, kernels: vec!["k".into()] })?;
    println!("planned {}: {}", plan.trials.len(), resident());
    let manifest = Manifest {
        format: FORMAT,
        name: definition.name.clone(),
        definition: serde_json::Value::Null,
        source: Source { from: String::new(), sha256: String::new(), text: String::new() },
        command_line: Vec::new(),
        versions: Default::default(),
        seed: definition.seed,
        planned: plan.trials.len() as u64,
        machine: Machine::default(),
        executor: Origin::ThisMachine,
        kernels: Vec::new(),
        labels: Default::default(),
        started_at: String::new(),
        ended_at: None,
        resumed: Vec::new(),
        disturbances: Vec::new(),
        skipped: Vec::new(),
    };
    let folder = tempfile::tempdir()?;
    let mut journal = Journal::create(folder.path(), &manifest, &plan.rows())?;
    let mut watch = Watch { done: 0, every: (plan.trials.len() as u64 / 5).max(1) };
    let none = BTreeSet::new();
    let stop = Stop::default();
    let (_, result) = run(&definition, &plan, &none, &mut Fake, &mut journal, &stop, &mut watch);
    Ok(result?)
}
