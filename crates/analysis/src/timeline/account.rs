//! What a run's timeline held, and what it did not.

use std::collections::BTreeMap;

use records::timeline::Place;
use records::torn::Headless;
use serde::Serialize;

use super::{Look, Why};
use crate::damage::{Damage, TornLine};
use crate::run::Run;
use model::recovery::Recovery;

/// What a run's timeline held, and what it did not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Account {
    /// When a trial of this run counts as recovered.
    pub terms: Recovery,
    /// Whether the run has the file.
    pub exists: bool,
    /// Its rows.
    pub rows: u64,
    /// Trials that did their work and should have samples.
    pub expected: u64,
    /// Those that have.
    pub with_samples: u64,
    /// Those of which a stall could be seen.
    pub watched: u64,
    /// Those of which it could not, by the reason.
    pub not_watched: BTreeMap<Why, u64>,
    /// The first trial without a sample.
    pub first_without: Option<u64>,
    /// Trials whose samples end before their work did.
    pub cut: u64,
    /// The first of them.
    pub first_cut: Option<u64>,
    /// Samples of trials that `trials.csv` does not have.
    pub foreign_rows: u64,
    /// How many trials those are.
    pub foreign_trials: u64,
    /// The first of them: its number and its line.
    pub first_foreign: Option<(u64, u64)>,
    /// The torn last line.
    pub torn: Option<TornLine>,
    /// That the file has no whole header, and so no row.
    #[serde(skip)]
    pub headless: Option<Headless>,
}

impl Account {
    /// Of a run without a timeline.
    pub fn new(terms: Recovery) -> Self {
        Account {
            terms,
            exists: false,
            rows: 0,
            expected: 0,
            with_samples: 0,
            watched: 0,
            not_watched: BTreeMap::new(),
            first_without: None,
            cut: 0,
            first_cut: None,
            foreign_rows: 0,
            foreign_trials: 0,
            first_foreign: None,
            torn: None,
            headless: None,
        }
    }

    pub(super) fn foreign(&mut self, place: Place, rows: u64) {
        self.foreign_rows += rows;
        self.foreign_trials += 1;
        self.first_foreign.get_or_insert((place.trial, place.line));
    }

    /// Counts a trial that did its work.
    pub(super) fn expect(&mut self, trial: u64, has_samples: bool, look: &Look) {
        self.expected += 1;
        if has_samples {
            self.with_samples += 1;
        } else {
            self.first_without.get_or_insert(trial);
        }
        match look {
            Look::NotObservable(why) => *self.not_watched.entry(*why).or_default() += 1,
            Look::NeverStalled => self.watched += 1,
            Look::Stalled(stall) => {
                self.watched += 1;
                if stall.cut {
                    self.cut += 1;
                    self.first_cut.get_or_insert(trial);
                }
            }
        }
    }

    /// What the file lacks.
    pub fn damage(&self, run: &Run) -> Vec<Damage> {
        let file = || run.folder.join(records::timeline::FILE);
        let imported = run.is_imported();
        let mut found = Vec::new();
        // A source that prints no timeline has none; of trials measured here it is missing.
        let is_missed = !imported || self.with_samples > 0;
        let trials = self.expected;
        if let Some(headless) = self.headless.clone().filter(|_| trials > 0) {
            let file = file();
            found.push(Damage::NoTimelineHeader { file, found: headless, trials, imported });
        } else if !self.exists && trials > 0 && !imported {
            found.push(Damage::NoTimeline { file: file(), trials });
        } else if let Some(first) = self.first_without.filter(|_| is_missed) {
            let without = trials - self.with_samples;
            found.push(Damage::NoSamples { file: file(), without, trials, first });
        }
        if let Some(first) = self.first_cut {
            found.push(Damage::SamplesEndEarly { file: file(), trials: self.cut, first });
        }
        if let Some((first, line)) = self.first_foreign {
            let (rows, trials) = (self.foreign_rows, self.foreign_trials);
            found.push(Damage::ForeignSamples { file: file(), rows, trials, first, line });
        }
        found.extend(self.torn.clone().map(Damage::TornLine));
        for why in [Why::NoControl, Why::NoThroughput] {
            if let Some(trials) = self.not_watched.get(&why).filter(|_| self.with_samples > 0) {
                found.push(Damage::NotWatched { file: file(), trials: *trials, why });
            }
        }
        found
    }
}
