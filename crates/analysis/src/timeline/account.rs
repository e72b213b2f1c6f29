//! What a run's timeline held, and what it did not.

use std::collections::BTreeMap;

use records::timeline::Place;
use records::torn::Headless;
use serde::Serialize;

use super::{Look, Why};
use crate::run::Run;
use model::recovery::Recovery;
use stats::words::{any_of, counted};

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
    /// The torn last line, in a sentence.
    pub torn: Option<String>,
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

    /// What a reader of the tables must know, in sentences.
    pub fn sentences(&self, run: &Run) -> Vec<String> {
        let file = run.folder.join(records::timeline::FILE).display().to_string();
        let mut sentences = Vec::new();
        // A source that prints no timeline has none; of trials measured here it is missing.
        let is_missed = !run.is_imported() || self.with_samples > 0;
        let without = self.expected - self.with_samples;
        let not_known = "so when they stalled and recovered by throughput is not known, and they are \
                         in no count of it";
        if let Some(headless) = self.headless.as_ref().filter(|_| self.expected > 0) {
            sentences.push(format!(
                "{}: recovery by throughput is not known for any of {}; recovery by the hash (`pivot_s`) is \
                 in trials.csv{}",
                crate::torn::headless(headless, &run.folder.join(records::timeline::FILE)),
                counted(self.expected, "trial", "trials"),
                match run.is_imported() {
                    true => "",
                    false =>
                        ". Resuming puts the header back, and runs no finished trial again",
                }
            ));
        } else if !self.exists && self.expected > 0 && !run.is_imported() {
            sentences.push(format!(
                "{file} is missing: recovery by throughput is not known for {}; recovery by the \
                 hash (`pivot_s`) is in trials.csv",
                any_of(self.expected, "trial", "trials")
            ));
        } else if let Some(first) = self.first_without.filter(|_| is_missed) {
            sentences.push(format!(
                "{file} has no sample of {without} of {} that did their work (the first is trial \
                 {first}): it is not whole, {not_known}",
                counted(self.expected, "trial", "trials"),
            ));
        }
        if let Some(first) = self.first_cut {
            sentences.push(format!(
                "{file}: the samples of {} end before the work did (the first is trial {first}): what \
                 had not recovered by then is censored there",
                counted(self.cut, "stalled trial", "stalled trials")
            ));
        }
        if let Some((trial, line)) = self.first_foreign {
            sentences.push(format!(
                "{file} has {} of {} that trials.csv does not have (the first is trial {trial}, line \
                 {line}): they are not used. A runner that was killed leaves such samples, and \
                 resuming takes them out",
                counted(self.foreign_rows, "sample", "samples"),
                counted(self.foreign_trials, "trial", "trials"),
            ));
        }
        sentences.extend(self.torn.clone());
        if let Some(n) = self.not_watched.get(&Why::NoControl).filter(|_| self.with_samples > 0) {
            sentences.push(format!(
                "{file}: of {} a recovery by throughput is not known, because {}",
                counted(*n, "trial", "trials"),
                Why::NoControl
            ));
        }
        if let Some(n) = self.not_watched.get(&Why::NoThroughput).filter(|_| self.with_samples > 0)
        {
            sentences.push(format!(
                "{file}: of {} {}, {not_known}",
                counted(*n, "trial", "trials"),
                Why::NoThroughput
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use crate::synthetic::Synthetic;
    use crate::{Analysis, Options, analyze};
    use std::path::Path;

    fn made() -> Synthetic {
        let mut made = Synthetic::new(96);
        for aside in [0.0, 0.1, 0.2] {
            made.trial(96, "auto").mops_per_s = Some(1.0 + aside);
            made.trial(96, "slots:512").mops_per_s = Some(100.0 + aside);
        }
        made
    }

    /// The warnings of a run whose timeline was changed.
    fn warnings(made: &Synthetic, change: impl Fn(&Path, String)) -> (String, Analysis) {
        let (_folder, run) = made.written();
        let file = run.join("timeline.csv");
        change(&file, std::fs::read_to_string(&file).unwrap());
        let found = analyze(&[run], &Options::default()).unwrap();
        let of_timeline = found.damage.iter().filter(|said| said.contains("timeline.csv"));
        let said: Vec<String> = of_timeline.cloned().collect();
        (said.join("\n"), found)
    }

    fn write(file: &Path, text: &str) {
        std::fs::write(file, text).unwrap();
    }

    #[test]
    fn a_whole_timeline_needs_no_word() {
        let (said, found) = warnings(&made(), |_, _| {});
        assert_eq!(said, "");
        let account = &found.timelines[0];
        assert_eq!((account.rows, account.expected, account.with_samples), (66, 6, 6));
        assert_eq!((account.watched, account.cut, account.foreign_rows), (6, 0, 0));
    }

    #[test]
    fn a_missing_timeline_is_said() {
        let (said, found) = warnings(&made(), |file, _| std::fs::remove_file(file).unwrap());
        assert!(
            said.contains(
                "timeline.csv is missing: recovery by throughput is not known for any of 6"
            )
        );
        assert!(!found.timelines[0].exists);
        // A source that printed none misses none.
        let mut imported = made();
        imported.manifest.executor = model::manifest::Origin::Imported;
        let (said, _) = warnings(&imported, |file, _| std::fs::remove_file(file).unwrap());
        assert_eq!(said, "");
        let (said, _) = warnings(&imported, |file, text| write(file, &text[..39]));
        assert_eq!(said, "");
    }

    #[test]
    fn a_timeline_without_a_header_is_said_and_stops_nothing() {
        for (text, says) in [
            ("", "timeline.csv is empty, without even a header: recovery by throughput is not"),
            ("trial,t_s,thr", "timeline.csv line 1 is torn (\"trial,t_s,thr\"): it is a part of"),
        ] {
            let (said, found) = warnings(&made(), |file, _| write(file, text));
            assert!(said.contains(says) && said.contains("for any of 6 trials"), "{said}");
            assert!(said.contains("Resuming puts the header back"), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
            assert_eq!((found.timelines[0].exists, found.timelines[0].rows), (true, 0));
            assert_eq!(found.cells.iter().map(|cell| cell.trials).sum::<u64>(), 6);
        }
        // Rows without their header may be of anything.
        let (_folder, run) = made().written();
        write(&run.join("timeline.csv"), "1,0.1,96,5,,16\n");
        let error = analyze(&[run], &Options::default()).unwrap_err();
        assert!(error.is_request());
        assert!(error.to_string().contains("timeline.csv line 1: missing \"trial\""), "{error}");
    }

    #[test]
    fn a_timeline_that_ends_early_is_said() {
        // The last trial has none, and of the one before only half.
        let (said, found) = warnings(&made(), |file, text| {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            write(file, &lines[..1 + 4 * 11 + 6].concat());
        });
        assert!(
            said.contains(
                "has no sample of 1 of 6 trials that did their work (the first is trial 6)"
            )
        );
        assert!(
            said.contains(
                "the samples of 1 stalled trial end before the work did (the first is trial 5)"
            ),
            "{said}"
        );
        assert_eq!((found.timelines[0].cut, found.timelines[0].with_samples), (1, 5));
        // Within a line.
        let (said, _) = warnings(&made(), |file, text| write(file, &text[..text.len() - 3]));
        assert!(said.contains("timeline.csv line 67 is torn"), "{said}");
    }

    #[test]
    fn samples_of_no_trial_are_said_and_not_used() {
        let (said, found) = warnings(&made(), |file, text| {
            write(file, &(text + "77,0,96,0,,\n77,0.1,96,0,5,\n78,0,96,0,,\n"));
        });
        assert!(
            said.contains(
                "has 3 samples of 2 trials that trials.csv does not have (the first is trial 77, line 68)"
            ),
            "{said}"
        );
        assert_eq!(found.timelines[0].watched, 6);
    }

    #[test]
    fn what_is_no_timeline_is_an_error_with_its_line() {
        let (_folder, run) = made().written();
        let file = run.join("timeline.csv");
        let text = std::fs::read_to_string(&file).unwrap();
        write(&file, &(text.clone() + "1,0.5,96,0,,\n"));
        let error = analyze(std::slice::from_ref(&run), &Options::default()).unwrap_err();
        assert!(error.is_request());
        assert!(error.to_string().contains("timeline.csv line 68: trial 1 comes back"), "{error}");
        let mut made = made();
        made.manifest.definition["recovery"] = serde_json::json!({"share": 2});
        let (_folder, run) = made.written();
        let error = analyze(&[run], &Options::default()).unwrap_err().to_string();
        assert!(error.contains("manifest.json: the definition's recovery.share is 2"), "{error}");
    }
}
