//! The formats, and which one a text is in.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::imported::{Imported, Unread};
use crate::ktap::Depth;
use crate::mapping::Mapping;
use crate::{ktap, mapped_csv, perf_bench_futex, reproducer, schbench};

/// A format that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `futex_hash_repro`.
    Reproducer,
    /// `perf bench futex`.
    PerfBenchFutex,
    /// `schbench`.
    Schbench,
    /// kselftest's results.
    Ktap,
    /// A CSV with a mapping.
    Csv,
}

impl Format {
    /// All, in the order in which messages name them.
    pub const ALL: [Format; 5] =
        [Format::Reproducer, Format::PerfBenchFutex, Format::Schbench, Format::Ktap, Format::Csv];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Reproducer => "reproducer",
            Format::PerfBenchFutex => "perf-bench-futex",
            Format::Schbench => "schbench",
            Format::Ktap => "ktap",
            Format::Csv => "csv",
        })
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let found = Format::ALL.into_iter().find(|format| format.to_string() == text);
        found.ok_or_else(|| UnknownFormat { name: text.to_string() })
    }
}

/// A text that names no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is no format; there are {}", Format::ALL.map(|format| format.to_string()).join(", "))]
pub struct UnknownFormat {
    name: String,
}

/// Why a text gives no rows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FormatError {
    /// No line is understood.
    #[error(
        "nothing in its {} is understood{}. Understood are: what futex_hash_repro prints (threads=… slots(…) … Mops/s), `perf bench futex`, schbench, kselftest's TAP, and a CSV with a mapping",
        if *lines == 1 { "only line".to_string() } else { format!("{lines} lines") },
        first.as_ref().map_or(String::new(), |first| format!("; {first}"))
    )]
    NothingUnderstood {
        /// Lines that are not empty.
        lines: usize,
        /// The first whose form is known, with what is wrong with it; else the first.
        first: Option<String>,
    },
    /// Several formats understand some of it.
    #[error("it holds results of {formats}")]
    Several {
        /// Their names.
        formats: String,
    },
    /// A CSV with a mapping and no row.
    #[error("it has a header and no row below it: there is nothing to import")]
    NoRow,
    /// A CSV needs a mapping.
    #[error("a CSV needs a mapping, which says what its columns are")]
    NoMapping,
    /// A mapping needs a CSV.
    #[error("a mapping is for a CSV, and the format is {0}")]
    MappingOf(Format),
    /// The CSV and its mapping don't fit.
    #[error(transparent)]
    Csv(#[from] mapped_csv::BadCsv),
}

/// Reads a text in a format, or in the only one that understands some of it.
pub fn read(
    text: &str,
    format: Option<Format>,
    mapping: Option<&Mapping>,
    depth: Depth,
) -> Result<(Format, Imported), FormatError> {
    let by = |format: Format| match format {
        Format::Reproducer => reproducer::read(text),
        Format::PerfBenchFutex => perf_bench_futex::read(text),
        Format::Schbench => schbench::read(text),
        _ => ktap::read(text, depth),
    };
    let has_results = |found: &Imported| !found.trials.is_empty() || !found.checks.is_empty();
    let (format, imported) = match (format, mapping) {
        (None | Some(Format::Csv), Some(mapping)) => {
            (Format::Csv, mapped_csv::read(text, mapping)?)
        }
        (Some(Format::Csv), None) => return Err(FormatError::NoMapping),
        (Some(other), Some(_)) => return Err(FormatError::MappingOf(other)),
        (Some(format), None) => (format, by(format)),
        (None, None) => {
            let mut all: Vec<(Format, Imported)> =
                Format::ALL.iter().filter(|f| **f != Format::Csv).map(|f| (*f, by(*f))).collect();
            let lines = all.first().map_or(0, |(_, found)| found.lines);
            let nothing = nothing(lines, all.iter().flat_map(|(_, found)| &found.unread));
            all.retain(|(_, found)| has_results(found));
            if all.len() > 1 {
                let names: Vec<String> = all.iter().map(|(format, _)| format.to_string()).collect();
                return Err(FormatError::Several { formats: names.join(" and ") });
            }
            all.pop().ok_or(nothing)?
        }
    };
    if !has_results(&imported) && format == Format::Csv {
        return Err(FormatError::NoRow);
    }
    if !has_results(&imported) {
        return Err(nothing(imported.lines, imported.unread.iter()));
    }
    Ok((format, imported))
}

fn nothing<'a>(lines: usize, mut unread: impl Iterator<Item = &'a Unread> + Clone) -> FormatError {
    let known = unread.clone().find(|line| line.why.is_some());
    let first = known.or_else(|| unread.next()).map(|line| line.to_string());
    FormatError::NothingUnderstood { lines, first }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPRO: &str = "threads=96 slots(start=0 set=0 end=512) 5.01s   13.0 Mops/s\n";

    fn read(text: &str, format: Option<Format>) -> Result<(Format, Imported), FormatError> {
        super::read(text, format, None, Depth::default())
    }

    #[test]
    fn a_text_tells_its_format() {
        assert_eq!(read(REPRO, None).unwrap().0, Format::Reproducer);
        assert_eq!(read("ok 1 a\n", None).unwrap().0, Format::Ktap);
        assert_eq!(read("average rps: 5.0\n", None).unwrap().0, Format::Schbench);
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("tap".parse::<Format>().unwrap_err().to_string().contains("ktap"));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_is() {
        for text in ["", "\n\n", "hello\nworld\n", "{\"a\": 1}", "\u{0}\u{1}\u{2}"] {
            let error = read(text, None).unwrap_err().to_string();
            assert!(error.contains("schbench") && error.contains("mapping"), "{error}");
        }
        assert!(read("hello\n", None).unwrap_err().to_string().contains("line 1 \"hello\""));
        assert!(read(REPRO, Some(Format::Ktap)).is_err());
        assert_eq!(read("a,b\n", Some(Format::Csv)).unwrap_err(), FormatError::NoMapping);
        let mapping = Mapping::of_checks();
        let error = super::read(REPRO, Some(Format::Ktap), Some(&mapping), Depth::default());
        assert_eq!(error.unwrap_err(), FormatError::MappingOf(Format::Ktap));
    }

    #[test]
    fn perf_without_its_summary_is_told_what_is_missing() {
        let text = include_str!("../tests/cases/perf-without-summary.txt");
        for format in [None, Some(Format::PerfBenchFutex)] {
            let error = read(text, format).unwrap_err().to_string();
            assert!(error.contains("the `Run summary` line, which says the number of"), "{error}");
        }
    }

    #[test]
    fn two_formats_in_one_text_are_a_choice() {
        let both = format!("{REPRO}average rps: 5.0\n");
        let error = read(&both, None).unwrap_err().to_string();
        assert!(error.contains("reproducer and schbench"), "{error}");
        let (_, one) = read(&both, Some(Format::Reproducer)).unwrap();
        assert_eq!((one.trials.len(), one.unread.len()), (1, 1));
    }
}
