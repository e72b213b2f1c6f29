//! A CSV with a [`Mapping`].
//!
//! Every row must fit: a cell that is no value of its column is an error of the file, with line and
//! column, and nothing of it is used. An empty cell is not known. A column that nothing maps is
//! named among the notes.

use std::collections::BTreeMap;

use csv::StringRecord;
use model::definition::MOST_TRIALS;
use model::outcome::reported::METRIC as REPORTED;
use records::quotes::Style;
use thiserror::Error;

use crate::cells::Cells;
use crate::check::together;
use crate::imported::{Imported, ImportedTrial, Sample};
use crate::mapping::{Mapping, Rows, SAMPLE};
use crate::mapping_value::{Column, Plain, Text};
use model::rows::CheckRow;

/// The most trials that one row may stand for.
const MOST_REPEATED: u64 = 100_000;

/// A CSV that does not fit its mapping.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct BadCsv {
    line: u64,
    problem: String,
}

/// A row, and where it stands.
struct Row<'a> {
    header: &'a StringRecord,
    record: &'a StringRecord,
    line: u64,
}

/// Reads a CSV.
pub fn read(text: &str, mapping: &Mapping) -> Result<Imported, BadCsv> {
    read_at_most(MOST_TRIALS, text, mapping)
}

fn read_at_most(most: u64, text: &str, mapping: &Mapping) -> Result<Imported, BadCsv> {
    let text = text.trim_start_matches('\u{feff}');
    let delimiter = mapping.delimiter.map_or(b',', |c| c as u8);
    let style = Style { delimiter, comment: Some(b'#'), strict: false };
    if let Some((line, problem)) = style.problem(text.as_bytes()) {
        return Err(BadCsv { line, problem: problem.to_string() });
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(broken)?.clone();
    check_header(&header, mapping)?;
    let mut imported = Imported { lines: 1, ..Imported::default() };
    let unmapped: Vec<&str> = header.iter().filter(|name| !named(mapping).contains(name)).collect();
    if !unmapped.is_empty() {
        imported.notes.push(format!("columns that nothing maps: {}", unmapped.join(", ")));
    }
    let mut sampled: Vec<(String, ImportedTrial)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        imported.lines += 1;
        let line = record.position().map_or(0, csv::Position::line);
        let row = Row { header: &header, record: &record, line };
        match mapping.rows {
            Rows::Trials => {
                let trial = row.trial(mapping, &[])?;
                let repeat = row.repeat(mapping)?;
                if imported.trials.len() as u64 + repeat > most {
                    return Err(row.error(format!(
                        "the rows up to here stand for more than {most} trials, the most of a run"
                    )));
                }
                imported.trials.extend((0..repeat).map(|_| trial.clone()));
            }
            Rows::Samples => row.sample(mapping, &mut sampled)?,
            Rows::Checks => imported.checks.push(row.check(mapping)?),
        }
    }
    imported.trials.extend(sampled.into_iter().map(|(_, trial)| trial));
    imported.checks = together(imported.checks);
    Ok(imported)
}

fn broken(error: csv::Error) -> BadCsv {
    let line = error.position().map_or(1, csv::Position::line);
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let cells = if *len == 1 { "1 cell".to_string() } else { format!("{len} cells") };
            format!("it has {cells} where the header has {expected_len}")
        }
        _ => error.to_string(),
    };
    BadCsv { line, problem }
}

/// Their columns that the mapping names.
fn named(mapping: &Mapping) -> Vec<&str> {
    let texts =
        mapping.labels.values().chain(mapping.notes.values()).filter_map(|text| match text {
            Text::Constant(_) => None,
            Text::Column(column) => Some(column.column.as_str()),
        });
    let columns =
        mapping.columns.values().chain(mapping.metrics.values().map(|metric| &metric.column));
    columns
        .map(|column| column.column.as_str())
        .chain(texts)
        .chain(mapping.repeat.as_deref())
        .collect()
}

fn check_header(header: &StringRecord, mapping: &Mapping) -> Result<(), BadCsv> {
    for wanted in named(mapping) {
        let problem = match header.iter().filter(|name| *name == wanted).count() {
            1 => continue,
            0 => {
                let found: Vec<String> = header.iter().map(|name| format!("{name:?}")).collect();
                format!(
                    "there is no column {wanted:?}, which the mapping names; there are {}",
                    if found.is_empty() { "none".into() } else { found.join(", ") }
                )
            }
            _ => format!("the column {wanted:?}, which the mapping names, is there more than once"),
        };
        return Err(BadCsv { line: 1, problem });
    }
    Ok(())
}

impl Row<'_> {
    fn error(&self, problem: impl Into<String>) -> BadCsv {
        BadCsv { line: self.line, problem: problem.into() }
    }

    fn raw(&self, column: &str) -> &str {
        let at = self.header.iter().position(|name| name == column);
        at.and_then(|at| self.record.get(at)).unwrap_or("")
    }

    /// A cell as the mapping reads it.
    fn cell(&self, column: &Column) -> Result<String, BadCsv> {
        let mut text = self.raw(&column.column).to_string();
        if text.is_empty() {
            return Ok(text);
        }
        if let Some(values) = &column.values {
            let accepted = || values.keys().map(|key| format!("{key:?}")).collect::<Vec<_>>();
            text = values.get(&text).map(|Plain(ours)| ours.clone()).ok_or_else(|| {
                self.error(format!(
                    "column {:?} is {text:?}; the mapping's values are {}",
                    column.column,
                    accepted().join(", ")
                ))
            })?;
        }
        let Some(scale) = column.scale else { return Ok(text) };
        let value = match text.parse::<f64>() {
            Ok(value) if (value * scale).is_finite() => value * scale,
            _ => {
                return Err(self.error(format!(
                    "column {:?} is {text:?}: a number is needed to be scaled by {scale}",
                    column.column
                )));
            }
        };
        Ok(model::rows::decimal_text(value))
    }

    fn number(&self, column: &Column) -> Result<Option<f64>, BadCsv> {
        let text = self.cell(column)?;
        match text.parse::<f64>() {
            _ if text.is_empty() => Ok(None),
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(self.error(format!(
                "column {:?} is {text:?}: accepted is a finite number",
                column.column
            ))),
        }
    }

    fn whole(&self, column: &Column) -> Result<Option<u64>, BadCsv> {
        let text = self.cell(column)?;
        match text.parse() {
            _ if text.is_empty() => Ok(None),
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(self.error(format!(
                "column {:?} is {text:?}: accepted is a whole number from 0",
                column.column
            ))),
        }
    }

    fn texts(&self, texts: &BTreeMap<String, Text>) -> Result<BTreeMap<String, String>, BadCsv> {
        let mut found = BTreeMap::new();
        for (key, text) in texts {
            let value = match text {
                Text::Constant(value) => value.clone(),
                Text::Column(column) => self.cell(column)?,
            };
            if !value.is_empty() {
                found.insert(key.clone(), value);
            }
        }
        Ok(found)
    }

    /// The trial that a row says, without the columns of `except`.
    fn trial(&self, mapping: &Mapping, except: &[&str]) -> Result<ImportedTrial, BadCsv> {
        let mut cells = Cells::default();
        for (ours, Plain(value)) in &mapping.constants {
            cells.set(ours, value).map_err(|problem| self.error(problem.to_string()))?;
        }
        for (ours, column) in &mapping.columns {
            if except.contains(&ours.as_str()) {
                continue;
            }
            let text = self.cell(column)?;
            cells
                .set(ours, &text)
                .map_err(|problem| self.error(format!("column {:?}: {problem}", column.column)))?;
        }
        let mut trial = ImportedTrial {
            line: usize::try_from(self.line).unwrap_or(usize::MAX),
            cells,
            labels: self.texts(&mapping.labels)?,
            notes: self.texts(&mapping.notes)?,
            ..ImportedTrial::default()
        };
        for (name, metric) in &mapping.metrics {
            if let Some(value) = self.number(&metric.column)? {
                if name == REPORTED && value != 0.0 && value != 1.0 {
                    return Err(self.error(format!(
                        "column {:?} is {value}, and the metric {REPORTED} says whether a trial \
                         stalled: accepted is 1 or 0",
                        metric.column.column
                    )));
                }
                trial.metric(name, value, &metric.unit);
            }
        }
        Ok(trial)
    }

    fn repeat(&self, mapping: &Mapping) -> Result<u64, BadCsv> {
        let Some(column) = &mapping.repeat else { return Ok(1) };
        let text = self.raw(column);
        match text.parse::<u64>() {
            Ok(n) if n <= MOST_REPEATED => Ok(n),
            _ => Err(self.error(format!(
                "column {column:?} is {text:?}: accepted is how many trials the row stands for, 0 to {MOST_REPEATED}"
            ))),
        }
    }

    fn sample(
        &self,
        mapping: &Mapping,
        sampled: &mut Vec<(String, ImportedTrial)>,
    ) -> Result<(), BadCsv> {
        let column = |name: &str| mapping.columns.get(name);
        let key = match column("trial") {
            Some(column) => self.cell(column)?,
            None => String::new(),
        };
        let number = |name: &str| column(name).map_or(Ok(None), |column| self.number(column));
        let whole = |name: &str| column(name).map_or(Ok(None), |column| self.whole(column));
        let small = |name: &str| -> Result<Option<u32>, BadCsv> {
            whole(name)?
                .map(|n| {
                    u32::try_from(n).map_err(|_| self.error(format!("{name} {n} is too many")))
                })
                .transpose()
        };
        let t_s = number("t_s")?.filter(|t_s| *t_s >= 0.0);
        let sample = Sample {
            t_s: t_s.ok_or_else(|| self.error("a sample needs its time, from 0"))?,
            threads: small("threads")?,
            ops: whole("ops")?,
            mops_per_s: match number("mops_per_s")? {
                Some(mops) if mops < 0.0 => {
                    return Err(
                        self.error(format!("mops_per_s is {mops}: accepted is a number from 0"))
                    );
                }
                mops => mops,
            },
            slots: small("slots")?,
        };
        // What all samples of a trial share is the trial's; the rest is the sample's own.
        let trial = self.trial(mapping, &SAMPLE)?;
        match sampled.iter_mut().find(|(known, _)| *known == key) {
            None => {
                let trial = ImportedTrial { samples: vec![sample], ..trial };
                sampled.push((key, trial));
            }
            Some((_, known)) => {
                if known.cells != trial.cells || known.labels != trial.labels {
                    return Err(self.error(format!(
                        "trial {key:?} is another trial than in line {}: its columns and labels differ",
                        known.line
                    )));
                }
                if known.samples.last().is_some_and(|last| last.t_s >= sample.t_s) {
                    return Err(self.error("its time is not after that of the sample before"));
                }
                if let Some(ops) = sample.ops
                    && let Some(counted) = known.samples.iter().rev().find_map(|one| one.ops)
                    && ops < counted
                {
                    return Err(self.error(format!(
                        "its ops are {ops}, and {counted} at a sample before: a trial's operations are \
                         counted from its start, and don't fall"
                    )));
                }
                for (key, note) in trial.notes {
                    let time = model::rows::decimal_text(sample.t_s);
                    known.notes.entry(format!("{key} at {time} s")).or_insert(note);
                }
                known.samples.push(sample);
            }
        }
        Ok(())
    }

    fn check(&self, mapping: &Mapping) -> Result<CheckRow, BadCsv> {
        let column = |name: &str| {
            mapping.columns.get(name).ok_or_else(|| self.error(format!("nothing maps {name}")))
        };
        let name = self.cell(column("check")?)?;
        if name.is_empty() {
            return Err(self.error("a check needs its name"));
        }
        let count = |name: &str| -> Result<u64, BadCsv> {
            self.whole(column(name)?)?
                .ok_or_else(|| self.error(format!("{name} is empty: a count is needed")))
        };
        Ok(CheckRow { check: name, passed: count("passed")?, failed: count("failed")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = r#"
repeat = "n"
[columns]
threads = "T"
hash = { column = "mode", values = { auto = "auto", presized = "slots:512" } }
mops_per_s = { column = "ops", scale = 1e-6 }
[constants]
workload = "wake-storm"
duration_s = 3
[labels]
machine = { column = "host" }
source = "table 1"
[metrics]
stalled = { column = "stalled", unit = "1" }
[notes]
approximate = { column = "about" }
"#;

    fn map(text: &str) -> Mapping {
        Mapping::parse("map.toml", text).unwrap()
    }

    fn error(text: &str, mapping: &str) -> String {
        read(text, &map(mapping)).unwrap_err().to_string()
    }

    #[test]
    fn a_row_is_a_trial_or_several() {
        let text = "T,mode,ops,host,stalled,about,n,page\n# a comment\n96,auto,6500000,xeon,1,,1,7\n 96 , auto ,,xeon,1,yes,4,8\r\n";
        let imported = read(text, &map(MAP)).unwrap();
        assert_eq!(imported.trials.len(), 5);
        assert_eq!(imported.notes, ["columns that nothing maps: page"]);
        let [first, second, ..] = &imported.trials[..] else { panic!() };
        assert_eq!(first.cells.get("mops_per_s"), Some("6.5"));
        assert_eq!(first.cells.get("duration_s"), Some("3"));
        assert_eq!(first.labels["machine"], "xeon");
        assert_eq!(second.cells.get("mops_per_s"), None, "an empty cell is not known");
        assert_eq!(second.notes["approximate"], "yes");
        assert_eq!(second.metrics[0].value, 1.0);
        assert!(first.notes.is_empty());
    }

    #[test]
    fn what_analysis_would_refuse_is_refused_here() {
        let text = "T,mode,ops,host,stalled,about,n\n8,auto,1,x,99999999999,,1\n";
        let said = error(text, MAP);
        assert!(said.contains("line 2: column \"stalled\" is 99999999999"), "{said}");
        let rows = "8,auto,1,x,1,,100000\n".repeat(11);
        let said = error(&format!("T,mode,ops,host,stalled,about,n\n{rows}"), MAP);
        assert!(
            said.contains("line 12: the rows up to here stand for more than 1000000"),
            "{said}"
        );
    }

    #[test]
    fn a_quote_that_is_never_closed_is_refused_by_its_line() {
        let text = include_str!("../tests/cases/unclosed-quote.csv");
        let said = error(text, include_str!("../tests/cases/unclosed-quote.toml"));
        assert!(said.starts_with("line 3: a quote is opened and never closed"), "{said}");
    }

    #[test]
    fn samples_are_put_together_to_trials() {
        let mapping = "rows = \"samples\"\n[columns]\ntrial = \"run\"\nt_s = { column = \"ms\", scale = 0.001 }\nmops_per_s = \"rate\"\nhash = \"hash\"\n[constants]\nthreads = 192\n";
        let text = "run,ms,rate,hash\n1,0,,auto\n2,0,9,auto\n1,1000,3.4,auto\n";
        let imported = read(text, &map(mapping)).unwrap();
        assert_eq!(imported.trials.len(), 2);
        let times: Vec<f64> = imported.trials[0].samples.iter().map(|s| s.t_s).collect();
        assert_eq!(times, [0.0, 1.0]);
        assert_eq!(imported.trials[0].samples[1].mops_per_s, Some(3.4));
        assert_eq!(imported.trials[0].samples[0].mops_per_s, None);
        assert_eq!(imported.trials[0].cells.get("threads"), Some("192"));
        let text = "run,ms,rate,hash\n1,0,,auto\n1,1000,3.4,global\n";
        assert!(error(text, mapping).contains("line 3: trial \"1\" is another trial"));
        let text = "run,ms,rate,hash\n1,0,,auto\n1,5,-3.4,auto\n";
        assert!(error(text, mapping).contains("line 3: mops_per_s is -3.4"));
        let text = "run,ms,rate,hash\n1,5,,auto\n1,5,3.4,auto\n";
        assert!(error(text, mapping).contains("line 3: its time"));
    }

    #[test]
    fn checks_have_counts() {
        let checks =
            read("check,passed,failed\na,14,0\n\"b, c\",12,2\na,1,0\n", &Mapping::of_checks());
        let checks = checks.unwrap().checks;
        assert_eq!((checks.len(), checks[0].passed, checks[1].failed), (2, 15, 2));
        let bad = |text: &str| read(text, &Mapping::of_checks()).unwrap_err().to_string();
        assert!(bad("check,passed,failed\na,1,\n").contains("line 2: failed is empty"));
        assert!(bad("check,passed,failed\na,-1,0\n").contains("column \"passed\" is \"-1\""));
        assert!(bad("check,passed\na,1\n").contains("no column \"failed\""));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let header = "T,mode,ops,host,stalled,about,n\n";
        for (row, parts) in [
            ("0,auto,1,x,,,1", ["line 2", "column \"T\"", "threads is \"0\""]),
            ("8,fixed,1,x,,,1", ["column \"mode\" is \"fixed\"", "\"auto\"", "\"presized\""]),
            ("8,auto,many,x,,,1", ["column \"ops\" is \"many\"", "scaled", "1"]),
            ("8,auto,1e400,x,,,1", ["column \"ops\"", "1e400", "number"]),
            ("8,auto,-1,x,,,1", ["column \"ops\"", "mops_per_s", "from 0"]),
            ("8,auto,1,x,nan,,1", ["column \"stalled\" is \"nan\"", "finite", "line 2"]),
            ("8,auto,1,x,,,-3", ["column \"n\" is \"-3\"", "stands for", "100000"]),
            ("8,auto,1", ["line 2", "3 cells", "7"]),
        ] {
            let error = error(&format!("{header}{row}\n"), MAP);
            for part in parts {
                assert!(error.contains(part), "{row}: {error}");
            }
        }
        assert!(error("", MAP).contains("there are none"));
        assert!(error("T,T,mode,ops,host,stalled,about,n\n", MAP).contains("more than once"));
        let none = read(header, &map(MAP)).unwrap();
        assert!(none.trials.is_empty());
    }
}
