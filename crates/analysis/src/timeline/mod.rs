//! What the timelines of a data set say: when a trial fell below a share of its control, and when it
//! was back.
//!
//! A timeline may be far larger than memory, so it is read once, from its begin to its end, and
//! what is kept of a trial is what its timeline says. Memory holds two batches of samples at most,
//! one that is read and one that is looked at, and beyond that the samples of the one trial that has
//! the most.
//!
//! What a timeline should hold and does not is counted and said: a trial without a sample must not
//! pass for one that never stalled.

pub mod account;
pub mod look;
pub mod shown;
pub mod windows;

use std::collections::HashMap;

use model::columns::TIMELINE;
use model::factor::Span;
use rayon::prelude::*;
use records::timeline::{FILE, Place, Sample, TimelineReader};
use records::torn::Headless;

use crate::cells::Cell;
use crate::damage::TornLine;
use crate::data::{Data, Trial};
use crate::error::AnalysisError;
pub use account::Account;
pub use look::{Asked, Look, Stall, Why};
use model::recovery::Recovery;

/// The samples of a batch, unless a single trial has more: 8 MiB of them.
const BATCH: usize = 1 << 18;

/// The workload whose threads belong to another program: it has no samples.
const WITHOUT_SAMPLES: &str = "command";

/// What the timelines of a data set say.
#[derive(Debug, Clone, Default)]
pub struct Timelines {
    /// Beside the runs: what each timeline held, and what it did not.
    pub accounts: Vec<Account>,
    /// Beside the trials: what each one's samples say.
    pub looks: Vec<Look>,
    /// Beside the trials: where its samples stand, if it has any.
    pub places: Vec<Option<Place>>,
}

impl Timelines {
    /// Reads the timelines of all runs.
    pub fn read(data: &Data, cells: &[Cell]) -> Result<Timelines, AnalysisError> {
        let mut found = Timelines {
            accounts: Vec::new(),
            looks: vec![Look::NotObservable(Why::NoSample); data.trials.len()],
            places: vec![None; data.trials.len()],
        };
        for run in 0..data.runs.len() {
            let account = found.read_run(data, cells, run)?;
            found.accounts.push(account);
        }
        Ok(found)
    }

    fn read_run(
        &mut self,
        data: &Data,
        cells: &[Cell],
        run: usize,
    ) -> Result<Account, AnalysisError> {
        let terms = data.runs[run].definition.recovery;
        let asked = Asking { data, cells, terms, in_lab: data.runs[run].in_lab() };
        let of_run: HashMap<u64, usize> = data
            .trials
            .iter()
            .enumerate()
            .filter(|(_, trial)| trial.run == run)
            .map(|(at, trial)| (trial.trial, at))
            .collect();
        let mut account = Account::new(terms);
        let folder = &data.runs[run].folder;
        account.headless = Headless::of(&folder.join(FILE), &TIMELINE)?;
        account.exists = account.headless.is_some();
        if account.exists {
            // It holds no sample, of which there is nothing to read.
        } else if let Some(mut reader) = TimelineReader::open(folder)? {
            account.exists = true;
            let mut reading = Batch::default();
            let mut looking = Batch::default();
            reading.fill(&mut reader, &of_run, &mut account)?;
            while !reading.trials.is_empty() {
                std::mem::swap(&mut reading, &mut looking);
                let (filled, looks) = rayon::join(
                    || reading.fill(&mut reader, &of_run, &mut account),
                    || looking.looks(&asked),
                );
                filled?;
                for ((at, place, _), look) in looking.trials.iter().zip(looks?) {
                    self.places[*at] = Some(*place);
                    self.looks[*at] = look;
                }
            }
            account.rows = reader.rows();
            account.torn = reader.torn().map(|torn| {
                let has_row = |trial: u64| of_run.contains_key(&trial);
                TornLine::of(&data.runs[run], torn, reader.file(), has_row)
            });
        }
        let workload = |trial: &Trial| data.cells[trial.cell].get("workload");
        for (at, trial) in data.trials.iter().enumerate().filter(|(_, trial)| trial.run == run) {
            if trial.is_ok() && workload(trial) != WITHOUT_SAMPLES {
                account.expect(trial.trial, self.places[at].is_some(), &self.looks[at]);
            }
        }
        Ok(account)
    }
}

/// Trials with their samples, some of all.
#[derive(Debug, Default)]
struct Batch {
    samples: Vec<Sample>,
    /// Each trial by its place in the data set, and where its samples end.
    trials: Vec<(usize, Place, usize)>,
    /// The samples of the trial that is read.
    one: Vec<Sample>,
}

impl Batch {
    fn fill(
        &mut self,
        reader: &mut TimelineReader,
        of_run: &HashMap<u64, usize>,
        account: &mut Account,
    ) -> Result<(), AnalysisError> {
        self.samples.clear();
        self.trials.clear();
        while self.samples.len() < BATCH {
            let Some(place) = reader.next(&mut self.one)? else { return Ok(()) };
            match of_run.get(&place.trial) {
                Some(at) => {
                    self.samples.extend_from_slice(&self.one);
                    self.trials.push((*at, place, self.samples.len()));
                }
                None => account.foreign(place, self.one.len() as u64),
            }
        }
        Ok(())
    }

    /// What each trial's samples say, in the order of trials.
    fn looks(&self, asked: &Asking<'_>) -> Result<Vec<Look>, AnalysisError> {
        (0..self.trials.len())
            .into_par_iter()
            .map(|i| {
                let (at, _, end) = self.trials[i];
                let begin = i.checked_sub(1).map_or(0, |before| self.trials[before].2);
                asked.look(&self.samples[begin..end], &asked.data.trials[at])
            })
            .collect()
    }
}

/// What is asked of the timelines of a run.
struct Asking<'a> {
    data: &'a Data,
    cells: &'a [Cell],
    terms: Recovery,
    in_lab: bool,
}

impl Asking<'_> {
    fn look(&self, samples: &[Sample], trial: &Trial) -> Result<Look, AnalysisError> {
        if !trial.is_ok() {
            return Ok(Look::NotObservable(Why::Failed));
        }
        if self.in_lab {
            return Ok(Look::NotObservable(Why::InLab));
        }
        match asked(self.data, self.cells, &self.terms, trial) {
            Ok(asked) => Ok(look::look(samples, &asked)?),
            Err(why) => Ok(Look::NotObservable(why)),
        }
    }
}

/// What is asked of a trial's timeline; or why nothing can be.
pub(crate) fn asked(
    data: &Data,
    cells: &[Cell],
    terms: &Recovery,
    trial: &Trial,
) -> Result<Asked, Why> {
    let measured = cells[trial.cell].control.and_then(|at| cells[at].mops).map(|mops| mops.median);
    let control_mops = measured.or(terms.control_mops).ok_or(Why::NoControl)?;
    if control_mops <= 0.0 || !control_mops.is_finite() {
        return Err(Why::NoControl);
    }
    let factors = &data.cells[trial.cell];
    Ok(Asked {
        control_mops,
        share: terms.share(),
        hold_s: terms.hold_s(trial.duration_s),
        threads: factors.threads(),
        behind_barrier: factors.get("ramp").starts_with("barrier:"),
        elapsed_s: trial.elapsed_s,
        sample_s: data.runs[trial.run].definition.sample.map(Span::seconds),
        batch: factors.get("workload").parse().map_or(1, model::workload::Workload::ops_a_count),
    })
}
