//! Reads `timeline.csv` a trial at a time: what is held is one trial's samples, whatever the file's
//! size.
//!
//! Every row is checked as [`crate::stream`] checks rows. Beyond that a trial's samples must stand
//! together, as a runner writes them, their times must ascend, and operations, which are counted from
//! the trial's start, must not fall.

use std::collections::HashSet;
use std::path::Path;

use crate::RecordError;
use crate::stream::Rows;
use crate::torn::Torn;
use model::columns::TIMELINE;

/// The name of the file.
pub const FILE: &str = "timeline.csv";

/// A sample, in 32 bytes. What was not observed has a value that no sample has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    t_s: f64,
    mops_per_s: f64,
    ops: u64,
    threads: u32,
    slots: u32,
}

impl Sample {
    /// When it was taken, in seconds since the trial's start.
    pub fn t_s(&self) -> f64 {
        self.t_s
    }

    /// The throughput since the last sample that has one, or the trial's first.
    pub fn mops_per_s(&self) -> Option<f64> {
        Some(self.mops_per_s).filter(|mops| *mops >= 0.0)
    }

    /// Operations since the trial's start.
    pub fn ops(&self) -> Option<u64> {
        Some(self.ops).filter(|ops| *ops != u64::MAX)
    }

    /// Threads that existed.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// Slots of the private hash.
    pub fn slots(&self) -> Option<u32> {
        Some(self.slots).filter(|slots| *slots != u32::MAX)
    }
}

/// Where the samples of a trial stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The trial's number.
    pub trial: u64,
    /// The line of its first sample, from 1.
    pub line: u64,
    /// The byte at which that line begins.
    pub offset: u64,
}

/// A `timeline.csv` that is read from its begin to its end.
#[derive(Debug)]
pub struct TimelineReader {
    rows: Rows,
    /// The first row of the next trial has been read already.
    waiting: bool,
    seen: HashSet<u64>,
    /// The latest count of the trial, and its line.
    counted: Option<(u64, u64)>,
}

impl TimelineReader {
    /// Opens the file of a run and checks its header; `None` where the run has none. A last line
    /// that is torn is set aside. What is appended from here on is not read.
    pub fn open(run: &Path) -> Result<Option<TimelineReader>, RecordError> {
        let rows = Rows::open(&run.join(FILE), &TIMELINE)?;
        Ok(rows.map(TimelineReader::of))
    }

    fn of(rows: Rows) -> TimelineReader {
        TimelineReader { rows, waiting: false, seen: HashSet::new(), counted: None }
    }

    /// Reads the next trial's samples into `samples`, which is emptied first; `None` at the end.
    pub fn next(&mut self, samples: &mut Vec<Sample>) -> Result<Option<Place>, RecordError> {
        samples.clear();
        if !self.waiting && !self.rows.read()? {
            return Ok(None);
        }
        self.waiting = false;
        let trial = self.trial()?;
        let place = Place { trial, line: self.rows.line(), offset: self.rows.offset() };
        if !self.seen.insert(trial) {
            return Err(self.rows.bad(format!(
                "trial {trial} comes back, and other trials stand between: the samples of a trial \
                 stand together"
            )));
        }
        self.counted = None;
        samples.push(self.sample(None)?);
        while self.rows.read()? {
            if self.trial()? != trial {
                self.waiting = true;
                break;
            }
            samples.push(self.sample(samples.last())?);
        }
        Ok(Some(place))
    }

    /// How many rows were read.
    pub fn rows(&self) -> u64 {
        self.rows.count() - u64::from(self.waiting)
    }

    /// The last line, if it was torn; its number is right once all rows are read.
    pub fn torn(&self) -> Option<Torn> {
        self.rows.torn()
    }

    /// The file.
    pub fn file(&self) -> &Path {
        self.rows.file()
    }

    fn trial(&self) -> Result<u64, RecordError> {
        self.rows.needed(0, self.rows.integer(0)?)
    }

    fn sample(&mut self, before: Option<&Sample>) -> Result<Sample, RecordError> {
        let rows = &self.rows;
        let t_s = rows.needed(1, rows.number(1)?)?;
        if let Some(before) = before.filter(|before| before.t_s >= t_s) {
            return Err(rows.bad(format!(
                "t_s is {t_s}, and {} in the line before: accepted is a later time, a trial's samples \
                 stand in the order of time",
                before.t_s
            )));
        }
        let ops = rows.integer(3)?;
        if let (Some(ops), Some((counted, line))) = (ops, self.counted)
            && ops < counted
        {
            return Err(rows.bad(format!(
                "ops is {ops}, and {counted} in line {line}: accepted is that or more, a trial's \
                 operations are counted from its start"
            )));
        }
        self.counted = ops.map(|ops| (ops, rows.line())).or(self.counted);
        let rows = &self.rows;
        Ok(Sample {
            t_s,
            threads: rows.needed(2, self.small(2)?)?,
            ops: ops.unwrap_or(u64::MAX),
            mops_per_s: rows.number(4)?.unwrap_or(-1.0),
            slots: self.small(5)?.unwrap_or(u32::MAX),
        })
    }

    fn small(&self, at: usize) -> Result<Option<u32>, RecordError> {
        let Some(value) = self.rows.integer(at)? else { return Ok(None) };
        u32::try_from(value).map(Some).map_err(|_| {
            self.rows.bad(format!(
                "{} is {value}: accepted is a whole number up to {}",
                TIMELINE[at].name,
                u32::MAX
            ))
        })
    }
}

/// Reads the samples of one trial again, whose place is known.
pub fn samples_at(run: &Path, place: Place) -> Result<Vec<Sample>, RecordError> {
    let mut samples = Vec::new();
    if let Some(rows) = Rows::open_at(&run.join(FILE), &TIMELINE, place.offset)? {
        TimelineReader::of(rows).next(&mut samples)?;
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "trial,t_s,threads,ops,mops_per_s,slots\n";

    /// Every trial's place and samples, how many rows there were, and the torn line.
    type All = (Vec<(Place, Vec<Sample>)>, u64, Option<Torn>);

    fn read(text: &str) -> Result<All, RecordError> {
        let run = tempfile::tempdir().unwrap();
        std::fs::write(run.path().join(FILE), text).unwrap();
        let mut reader = TimelineReader::open(run.path())?.expect("a file");
        let mut all = Vec::new();
        let mut samples = Vec::new();
        while let Some(place) = reader.next(&mut samples)? {
            assert_eq!(samples_at(run.path(), place).unwrap(), samples, "read again");
            all.push((place, samples.clone()));
        }
        Ok((all, reader.rows(), reader.torn()))
    }

    #[test]
    fn samples_come_a_trial_at_a_time() {
        let (all, rows, torn) =
            read(&format!("{HEADER}7,0,1,0,,16\n7,0.5,2,100,0.2,\n3,0.1,2,,0,512\n")).unwrap();
        assert_eq!((all.len(), rows, torn), (2, 3, None));
        assert_eq!(all[0].0, Place { trial: 7, line: 2, offset: HEADER.len() as u64 });
        let last = all[0].1[1];
        assert_eq!((last.t_s(), last.threads(), last.ops()), (0.5, 2, Some(100)));
        assert_eq!((last.mops_per_s(), last.slots()), (Some(0.2), None));
        let first = all[0].1[0];
        assert_eq!((first.mops_per_s(), first.slots()), (None, Some(16)));
        assert_eq!((all[1].0.trial, all[1].0.line), (3, 4));
        assert_eq!((all[1].1[0].ops(), all[1].1[0].mops_per_s()), (None, Some(0.0)));
    }

    #[test]
    fn an_empty_timeline_has_no_trial_and_a_run_may_have_no_file() {
        assert_eq!(read(HEADER).unwrap(), (Vec::new(), 0, None));
        assert!(TimelineReader::open(tempfile::tempdir().unwrap().path()).unwrap().is_none());
    }

    #[test]
    fn a_torn_last_line_is_set_aside_with_its_number() {
        let (all, rows, torn) = read(&format!("{HEADER}1,0,1,0,,\n1,0.5,2,1")).unwrap();
        assert_eq!((all[0].1.len(), rows), (1, 1));
        assert_eq!(torn, Some(Torn { line: 3, text: "1,0.5,2,1".into() }));
        // Longer than a step back from the end.
        let long = "9".repeat(200_000);
        let (all, _, torn) = read(&format!("{HEADER}1,0,1,0,,\n{long}")).unwrap();
        assert_eq!((all.len(), torn.map(|torn| torn.line)), (1, Some(3)));
        assert!(read("").unwrap_err().to_string().contains("empty"));
        assert!(read("trial,t_s").unwrap_err().to_string().contains("torn"));
    }

    #[test]
    fn what_is_no_timeline_is_named_with_its_line() {
        let error = |rows: &str| read(&format!("{HEADER}{rows}")).unwrap_err().to_string();
        for (rows, problem) in [
            (
                "1,0,1,0,,\n1,0,1,0,,\n",
                "line 3: t_s is 0, and 0 in the line before: accepted is a later",
            ),
            ("1,1,1,0,,\n1,0.5,1,0,,\n", "line 3: t_s is 0.5, and 1 in the line before"),
            (
                "1,0,1,9,,\n1,1,1,8,,\n",
                "line 3: ops is 8, and 9 in line 2: accepted is that or more",
            ),
            ("1,0,1,9,,\n1,1,1,,,\n1,2,1,8,,\n", "line 4: ops is 8, and 9 in line 2"),
            ("1,0,1,0,,\n2,0,1,0,,\n1,1,1,0,,\n", "line 4: trial 1 comes back"),
            ("1,0,1,0,\n", "line 2: 5 cells: a row has 6"),
            ("1,0,1,0,,\n1,1\n", "line 3: 2 cells"),
            ("one,0,1,0,,\n", "line 2: trial is \"one\": accepted is a whole number"),
            (",0,1,0,,\n", "line 2: trial is empty"),
            ("1,-1,1,0,,\n", "line 2: t_s is \"-1\": accepted is a finite number from 0"),
            ("1,NaN,1,0,,\n", "line 2: t_s is \"NaN\""),
            ("1,,1,0,,\n", "line 2: t_s is empty"),
            ("1,0,,0,,\n", "line 2: threads is empty"),
            ("1,0,5000000000,0,,\n", "line 2: threads is 5000000000"),
            ("1,0,1,0,inf,\n", "line 2: mops_per_s is \"inf\""),
            ("1,0,1,0,-2,\n", "line 2: mops_per_s is \"-2\""),
            ("1,0,1,0,,x\n", "line 2: slots is \"x\""),
        ] {
            let error = error(rows);
            assert!(error.contains(problem), "{rows:?}: {error}");
        }
        // Each trial counts from its own start, and may stand still.
        read(&format!("{HEADER}1,0,1,9,,\n1,1,1,9,,\n2,0,1,0,,\n")).unwrap();
        assert!(read("trial,t\n1,2\n").unwrap_err().to_string().contains("missing \"t_s\""));
    }
}
