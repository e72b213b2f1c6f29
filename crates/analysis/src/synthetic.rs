//! Runs made up for tests and benches: rows as a runner writes them, with numbers of our choice. The
//! trials themselves are of a case, in its file.

use std::path::{Path, PathBuf};

use model::column::Column;
use model::columns::{PLAN, TIMELINE, TRIALS};
use model::manifest::Manifest;
use model::rows::{PlanRow, TimelineRow, TrialRow};
use tempfile::TempDir;

/// A run in the making.
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its trials.
    pub rows: Vec<TrialRow>,
    /// Its samples; of a trial that has none here, ten are written, all with its throughput.
    pub samples: Vec<TimelineRow>,
    pub(crate) cpus: u32,
}

impl Synthetic {
    /// Every trial that was planned: those that there are, and as many more like the last as the
    /// manifest says.
    fn planned(&self) -> Vec<PlanRow> {
        let mut planned: Vec<PlanRow> = self.rows.iter().map(PlanRow::from).collect();
        let mut model = Synthetic::new(self.cpus);
        let last = self.rows.last().unwrap_or(model.trial(1, "auto"));
        let highest = self.rows.iter().map(|row| row.trial).max().unwrap_or(0);
        let more = self.manifest.planned.saturating_sub(self.rows.len() as u64);
        for number in (1..=more).map(|at| highest.saturating_add(at)) {
            planned.push(PlanRow { sequence: number, trial: number, ..PlanRow::from(last) });
        }
        planned
    }

    /// Writes the run into a folder that exists.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn write(&self, folder: &Path) {
        records::manifest::write(&self.manifest, folder).expect("a writable folder");
        write_table(&folder.join("plan.csv"), &PLAN, &self.planned());
        write_table(&folder.join("trials.csv"), &TRIALS, &self.rows);
        let mut samples = self.samples.clone();
        for row in &self.rows {
            let has = self.samples.iter().any(|sample| sample.trial == row.trial);
            if let (Some(mops), false) = (row.mops_per_s, has) {
                let mut made = Synthetic { rows: vec![row.clone()], ..Synthetic::new(self.cpus) };
                made.timeline(row.trial, row.duration_s.unwrap_or(1.0) / 10.0, &[(mops, 10)]);
                samples.extend(made.samples);
            }
        }
        write_table(&folder.join("timeline.csv"), &TIMELINE, &samples);
    }

    /// Writes the run into a folder of its own, which is gone with the first value.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn written(&self) -> (TempDir, PathBuf) {
        let folder = TempDir::new().expect("a temporary folder");
        let run = folder.path().join("run");
        std::fs::create_dir(&run).expect("a temporary folder");
        self.write(&run);
        (folder, run)
    }
}

fn write_table(file: &Path, columns: &[Column], rows: &[impl serde::Serialize]) {
    let mut out =
        csv::WriterBuilder::new().has_headers(false).from_path(file).expect("a writable folder");
    out.write_record(columns.iter().map(|column| column.name)).expect("a writable file");
    for row in rows {
        out.serialize(row).expect("a writable file");
    }
    out.flush().expect("a writable file");
}
