//! The throughput in what a program printed.
//!
//! Exactly one number must be found. None, or two that differ, end the trial as crashed with what
//! was found: a number taken by guess would be a wrong row.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use model::factor::BadValue;
use regex::{Captures, Regex};
use thiserror::Error;

use model::throughput::{Form, Throughput};

/// The most of a program's output that is read.
const MOST_BYTES: u64 = 64 << 20;

/// How much of an output is shown when nothing is found in it.
const SHOWN_AT_MOST: usize = 200;

/// Why there is no number in what a program printed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OutputError {
    /// Another number than the throughput is none.
    #[error("{name}: {found:?} is no number")]
    NoNumber {
        /// The name of its group.
        name: String,
        /// The text of the group.
        found: String,
    },
    /// The throughput is no number, or a negative one.
    #[error("{0:?} is no throughput: a number from 0 is")]
    NoThroughput(String),
    /// The number has a comma, and what the comma means can't be told.
    #[error(
        "{0:?} can be read in two ways, by whether its comma is a decimal one: accepted is a decimal \
         point, and commas only between all groups of three digits, as in 1,234,567 or 1,234.5"
    )]
    TwoWays(String),
    /// The program printed nothing.
    #[error("it printed nothing for {regex:?} to match")]
    Nothing {
        /// The expression.
        regex: String,
    },
    /// The expression matches nothing.
    #[error("{regex:?} matches nothing of what it printed, which begins {begin:?}")]
    NoMatch {
        /// The expression.
        regex: String,
        /// The begin of the output.
        begin: String,
    },
    /// The expression matches several times.
    #[error("{regex:?} matches {times} times ({first:?}, {second:?}, …): it must match once")]
    SeveralMatches {
        /// The expression.
        regex: String,
        /// How often it matches.
        times: usize,
        /// The first match.
        first: String,
        /// The second match.
        second: String,
    },
    /// The output is not JSON.
    #[error("what it printed is not JSON ({reason}); it begins {begin:?}")]
    NoJson {
        /// The parser's answer.
        reason: String,
        /// The begin of the output.
        begin: String,
    },
    /// The pointer does not point to a number.
    #[error("{pointer:?} points to {to}")]
    NoTarget {
        /// The JSON pointer.
        pointer: String,
        /// What is there.
        to: String,
    },
    /// The output can't be read back.
    #[error("what the program printed can't be read: {0}")]
    Unreadable(String),
    /// The output is too long.
    #[error("the program printed more than {} MiB", MOST_BYTES >> 20)]
    TooMuch,
}

/// Whether each of these files, which a program writes, is still one that is read.
pub fn is_bounded(files: &[&File]) -> bool {
    files.iter().all(|file| file.metadata().is_ok_and(|meta| meta.len() <= MOST_BYTES))
}

/// What a program told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// Its throughput.
    pub throughput: f64,
    /// Further numbers, by the names of their groups.
    pub more: Vec<(String, f64)>,
}

/// The number of an expression's group in what a program printed; `None` where it matches nothing.
pub fn metric(
    (regex, group): &(Regex, usize),
    output: &str,
    errors: &str,
) -> Result<Option<f64>, OutputError> {
    let found = match the_match(regex, *group, output, errors) {
        Ok(found) => found.get(*group).map_or("", |part| part.as_str()),
        Err(OutputError::Nothing { .. } | OutputError::NoMatch { .. }) => return Ok(None),
        Err(other) => return Err(other),
    };
    let no_number = || OutputError::NoNumber { name: regex.to_string(), found: found.to_string() };
    plain(found)?.ok_or_else(no_number).map(Some)
}

/// The one match of an expression in standard output or, where that has none, on standard error, where
/// some benchmarks report.
fn the_match<'t>(
    regex: &Regex,
    group: usize,
    output: &'t str,
    errors: &'t str,
) -> Result<Captures<'t>, OutputError> {
    let matches = |text: &'t str| -> Vec<Captures<'t>> {
        regex.captures_iter(text).filter(|found| found.get(group).is_some()).collect()
    };
    let mut found = matches(output);
    if found.is_empty() {
        found = matches(errors);
    }
    let text = |found: &Captures<'_>| found.get(group).map_or("", |m| m.as_str()).to_owned();
    match found.as_slice() {
        [first, second, ..] => Err(OutputError::SeveralMatches {
            regex: regex.as_str().to_string(),
            times: found.len(),
            first: text(first),
            second: text(second),
        }),
        [] if output.trim().is_empty() && errors.trim().is_empty() => {
            Err(OutputError::Nothing { regex: regex.as_str().to_string() })
        }
        [] => Err(OutputError::NoMatch {
            regex: regex.as_str().to_string(),
            begin: begin(if output.trim().is_empty() { errors } else { output }),
        }),
        [_] => Ok(found.remove(0)),
    }
}

/// Reads the number.
#[derive(Debug)]
pub struct Reader {
    form: Form,
}

impl Reader {
    /// From the spec's text.
    pub fn new(throughput: &Throughput) -> Result<Reader, BadValue> {
        throughput.form().map(|form| Reader { form })
    }

    /// The number in what a program printed. Other groups with a name are further numbers; one that took
    /// no part in the match is left out.
    pub fn read(&self, output: &str, errors: &str) -> Result<Told, OutputError> {
        match &self.form {
            Form::Regex { regex, group } => {
                let one = the_match(regex, *group, output, errors)?;
                let mut more = Vec::new();
                for name in regex.capture_names().flatten().filter(|name| *name != "value") {
                    let Some(other) = one.name(name) else { continue };
                    let no_number = || OutputError::NoNumber {
                        name: name.to_string(),
                        found: other.as_str().to_string(),
                    };
                    more.push((name.to_owned(), plain(other.as_str())?.ok_or_else(no_number)?));
                }
                let throughput = number(one.get(*group).map_or("", |part| part.as_str()))?;
                Ok(Told { throughput, more })
            }
            Form::Pointer(pointer) => {
                let json: serde_json::Value =
                    serde_json::from_str(output.trim()).map_err(|error| OutputError::NoJson {
                        reason: error.to_string(),
                        begin: begin(output),
                    })?;
                let throughput = match json.pointer(pointer) {
                    Some(serde_json::Value::String(text)) => number(text),
                    Some(value) => match value.as_f64() {
                        Some(value) => number(&value.to_string()),
                        None => Err(OutputError::NoTarget {
                            pointer: pointer.clone(),
                            to: format!("no number: {value}"),
                        }),
                    },
                    None => Err(OutputError::NoTarget {
                        pointer: pointer.clone(),
                        to: "nothing of what it printed".to_string(),
                    }),
                }?;
                Ok(Told { throughput, more: Vec::new() })
            }
        }
    }
}

/// A throughput: finite and not negative.
fn number(text: &str) -> Result<f64, OutputError> {
    plain(text)?
        .filter(|value| *value >= 0.0)
        .ok_or_else(|| OutputError::NoThroughput(text.to_string()))
}

/// A finite number; `None` where the text is none. Commas between groups of three digits are taken as
/// such where they can be nothing else: there are two or more, or a decimal point follows.
fn plain(text: &str) -> Result<Option<f64>, OutputError> {
    let text = text.trim();
    let finite = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    if !text.contains(',') {
        return Ok(finite(text));
    }
    let digits = |c: char| c.is_ascii_digit();
    if !text.trim_start_matches(['+', '-']).chars().all(|c| digits(c) || c == ',' || c == '.') {
        return Ok(None);
    }
    let (whole, part) = match text.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (text, None),
    };
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default().trim_start_matches(['+', '-']);
    let rest: Vec<&str> = groups.collect();
    let grouped = (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3);
    let only_way =
        rest.len() > 1 || (rest.len() == 1 && part.is_some_and(|part| !part.contains(',')));
    match grouped && only_way {
        true => Ok(finite(&text.replace(',', ""))),
        false => Err(OutputError::TwoWays(text.to_string())),
    }
}

fn begin(text: &str) -> String {
    text.trim_start().chars().take(SHOWN_AT_MOST).collect()
}

/// What a program wrote first, as much of it as is read.
pub(crate) fn beginning_of(file: &mut File) -> Result<String, OutputError> {
    let mut bytes = Vec::new();
    let unread = |error: std::io::Error| OutputError::Unreadable(error.to_string());
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(unread)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// All of a file that a program wrote.
pub(crate) fn text_of(file: &mut File) -> Result<String, OutputError> {
    let mut bytes = Vec::new();
    let unread = |error: std::io::Error| OutputError::Unreadable(error.to_string());
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
    if read as u64 > MOST_BYTES {
        return Err(OutputError::TooMuch);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regex(text: &str) -> Result<Reader, String> {
        Reader::new(&Throughput::Regex(text.into())).map_err(|error| error.to_string())
    }

    fn pointer(text: &str) -> Result<Reader, String> {
        Reader::new(&Throughput::Pointer(text.into())).map_err(|error| error.to_string())
    }

    fn told(throughput: f64) -> Result<Told, OutputError> {
        Ok(Told { throughput, more: Vec::new() })
    }

    #[test]
    fn other_named_groups_are_further_numbers() {
        let reader = regex(r"start=(?<start>-?\d+)( set=(?<set>\d+))? .* (?<value>[0-9.]+) Mops")
            .expect("one");
        let told = reader.read("start=-1 set=512 5.01s 13.0 Mops/s", "").expect("a number");
        assert_eq!(told.throughput, 13.0);
        assert_eq!(told.more, [("start".to_owned(), -1.0), ("set".to_owned(), 512.0)]);
        let told = reader.read("start=0 5.01s 13.0 Mops/s", "").expect("a number");
        assert_eq!(told.more, [("start".to_owned(), 0.0)]);
        let reader = regex(r"(?<words>[a-z]+) (?<value>\d+)").expect("one");
        assert!(reader.read("abc 5", "").expect_err("").to_string().contains("words: \"abc\""));
    }

    #[test]
    fn the_named_group_or_the_first_is_the_number() {
        let reader = regex(r"Averaged (\d+) operations/sec").expect("one");
        assert_eq!(reader.read("x\nAveraged 420864 operations/sec (+- 7%)\n", ""), told(420864.0));
        let reader = regex(r"(average) rps: (?<value>[0-9.]+)").expect("one");
        // schbench reports on standard error.
        assert_eq!(reader.read("", "average rps: 1701947.02"), told(1701947.02));
        let reader = regex(r"([0-9,]+) ops").expect("one");
        assert_eq!(reader.read("1,234,567 ops", ""), told(1234567.0));
    }

    #[test]
    fn a_number_that_can_be_read_in_two_ways_is_refused() {
        let reader = regex(r"rate ([0-9.,]+)").expect("one");
        for text in ["12,5", "1,234", "1.234,5", "12,500", "1,23,456", "1,2.5", "0,5", "1,234,56"] {
            let error = reader.read(&format!("rate {text}"), "").expect_err(text).to_string();
            assert!(error.contains("can be read in two ways"), "{text}: {error}");
        }
        for (text, value) in [("1,234.5", 1234.5), ("12,345,678", 12345678.0), ("0.5", 0.5)] {
            assert_eq!(reader.read(&format!("rate {text}"), ""), told(value));
        }
    }

    #[test]
    fn none_two_and_nonsense_are_told_apart() {
        let reader = regex(r"(\S+) ops").expect("one");
        assert!(reader.read("", "").expect_err("").to_string().contains("printed nothing"));
        assert!(reader.read("no rate", "").expect_err("").to_string().contains("\"no rate\""));
        let two = reader.read("5 ops\n7 ops", "").expect_err("").to_string();
        assert!(two.contains("2 times") && two.contains("\"5\""), "{two}");
        for text in ["nan ops", "inf ops", "-1 ops", "ten ops"] {
            assert!(
                reader.read(text, "").expect_err(text).to_string().contains("no throughput"),
                "{text}"
            );
        }
    }

    #[test]
    fn an_expression_needs_a_group_and_its_syntax() {
        assert!(regex("ops").expect_err("").to_string().contains("no group"));
        let error = regex("(").expect_err("");
        assert!(error.contains("no regular expression") && !error.contains('\n'), "{error}");
        // A group that takes no part in a match is no number.
        let reader = regex("a|b([0-9]+)").expect("one");
        assert!(reader.read("a", "").expect_err("").to_string().contains("matches nothing"));
    }

    #[test]
    fn a_pointer_points_into_json() {
        let reader = pointer("/summary/rate").expect("one");
        assert_eq!(reader.read(r#"{"summary":{"rate":12.5}}"#, ""), told(12.5));
        assert_eq!(reader.read(r#"{"summary":{"rate":"12.5"}}"#, ""), told(12.5));
        for (text, part) in [
            ("", "not JSON"),
            ("{}", "points to nothing"),
            (r#"{"summary":{"rate":[1]}}"#, "no number"),
            (r#"{"summary":{"rate":-1}}"#, "no throughput"),
        ] {
            let error = reader.read(text, "").expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!(pointer("rate").expect_err("").to_string().contains("begins with `/`"));
    }
}
