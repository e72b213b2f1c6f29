//! The throughput in what a program printed.
//!
//! Exactly one number must be found. None, or two that differ, end the trial as crashed with what
//! was found: a number taken by guess would be a wrong row.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use regex::Captures;

use model::throughput::{Form, Throughput};

/// The most of a program's output that is read.
const MOST_BYTES: u64 = 64 << 20;

/// How much of an output is shown when nothing is found in it.
const SHOWN_AT_MOST: usize = 200;

/// What a program told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// Its throughput.
    pub throughput: f64,
    /// Further numbers, by the names of their groups.
    pub more: Vec<(String, f64)>,
}

/// Reads the number.
#[derive(Debug)]
pub struct Reader {
    form: Form,
}

impl Reader {
    /// From the spec's text.
    pub fn new(throughput: &Throughput) -> Result<Reader, String> {
        let form = throughput.form().map_err(|error| error.to_string())?;
        Ok(Reader { form })
    }

    /// The number in a program's standard output; a regular expression that finds nothing there is
    /// tried on standard error, where some benchmarks report. Other groups with a name are further
    /// numbers; one that took no part in the match is left out.
    pub fn read(&self, output: &str, errors: &str) -> Result<Told, String> {
        match &self.form {
            Form::Regex { regex, group } => {
                let matches = |text| -> Vec<Captures<'_>> {
                    regex.captures_iter(text).filter(|found| found.get(*group).is_some()).collect()
                };
                let mut found = matches(output);
                if found.is_empty() {
                    found = matches(errors);
                }
                let text =
                    |found: &Captures<'_>| found.get(*group).map_or("", |m| m.as_str()).to_owned();
                match found.as_slice() {
                    [one] => {
                        let mut more = Vec::new();
                        for name in regex.capture_names().flatten().filter(|n| *n != "value") {
                            if let Some(other) = one.name(name) {
                                let value = plain(other.as_str()).ok_or_else(|| {
                                    format!("{name}: {:?} is no number", other.as_str())
                                })?;
                                more.push((name.to_owned(), value));
                            }
                        }
                        Ok(Told { throughput: number(&text(one))?, more })
                    }
                    [] if output.trim().is_empty() && errors.trim().is_empty() => {
                        Err(format!("it printed nothing for {:?} to match", regex.as_str()))
                    }
                    [] => Err(format!(
                        "{:?} matches nothing of what it printed, which begins {:?}",
                        regex.as_str(),
                        begin(if output.trim().is_empty() { errors } else { output })
                    )),
                    [first, second, ..] => Err(format!(
                        "{:?} matches {} times ({:?}, {:?}, …): it must match once",
                        regex.as_str(),
                        found.len(),
                        text(first),
                        text(second)
                    )),
                }
            }
            Form::Pointer(pointer) => {
                let json: serde_json::Value =
                    serde_json::from_str(output.trim()).map_err(|error| {
                        format!(
                            "what it printed is not JSON ({error}); it begins {:?}",
                            begin(output)
                        )
                    })?;
                let throughput = match json.pointer(pointer) {
                    Some(serde_json::Value::String(text)) => number(text),
                    Some(value) => match value.as_f64() {
                        Some(value) => number(&value.to_string()),
                        None => Err(format!("{pointer:?} points to no number: {value}")),
                    },
                    None => Err(format!("{pointer:?} points to nothing of what it printed")),
                }?;
                Ok(Told { throughput, more: Vec::new() })
            }
        }
    }
}

/// A throughput: finite and not negative.
fn number(text: &str) -> Result<f64, String> {
    plain(text)
        .filter(|value| *value >= 0.0)
        .ok_or_else(|| format!("{text:?} is no throughput: a number from 0 is"))
}

/// A finite number. Thousands may be set off by commas, as some programs print them.
fn plain(text: &str) -> Option<f64> {
    text.trim().replace(',', "").parse::<f64>().ok().filter(|value| value.is_finite())
}

fn begin(text: &str) -> String {
    text.trim_start().chars().take(SHOWN_AT_MOST).collect()
}

/// All of a file that a program wrote.
pub(crate) fn text_of(file: &mut File) -> Result<String, String> {
    let mut bytes = Vec::new();
    let unread = |error| format!("what the program printed can't be read: {error}");
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unread)?;
    if read as u64 > MOST_BYTES {
        return Err(format!("the program printed more than {} MiB", MOST_BYTES >> 20));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regex(text: &str) -> Result<Reader, String> {
        Reader::new(&Throughput::Regex(text.into()))
    }

    fn pointer(text: &str) -> Result<Reader, String> {
        Reader::new(&Throughput::Pointer(text.into()))
    }

    fn told(throughput: f64) -> Result<Told, String> {
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
        assert!(reader.read("abc 5", "").expect_err("").contains("words: \"abc\""));
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
    fn none_two_and_nonsense_are_told_apart() {
        let reader = regex(r"(\S+) ops").expect("one");
        assert!(reader.read("", "").expect_err("").contains("printed nothing"));
        assert!(reader.read("no rate", "").expect_err("").contains("\"no rate\""));
        let two = reader.read("5 ops\n7 ops", "").expect_err("");
        assert!(two.contains("2 times") && two.contains("\"5\""), "{two}");
        for text in ["nan ops", "inf ops", "-1 ops", "ten ops"] {
            assert!(reader.read(text, "").expect_err(text).contains("no throughput"), "{text}");
        }
    }

    #[test]
    fn an_expression_needs_a_group_and_its_syntax() {
        assert!(regex("ops").expect_err("").contains("no group"));
        let error = regex("(").expect_err("");
        assert!(error.contains("no regular expression") && !error.contains('\n'), "{error}");
        // A group that takes no part in a match is no number.
        let reader = regex("a|b([0-9]+)").expect("one");
        assert!(reader.read("a", "").expect_err("").contains("matches nothing"));
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
            let error = reader.read(text, "").expect_err(text);
            assert!(error.contains(part), "{error}");
        }
        assert!(pointer("rate").expect_err("").contains("begins with `/`"));
    }
}
