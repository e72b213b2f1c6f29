//! `experiments stat samples A.csv B.csv`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use stats::said::samples as said;
use stats::samples::split::{Split, split};
use stats::samples::{Resampling, SampleComparison, compare};
use stats::{Alternative, StatError};

use super::super::planning::counted;
use super::Options;
use super::columns::{self, Columns};
use super::side::Side;
use super::table::{Table, number, p_value};
use crate::failure::{Failure, Outcome};
use crate::number::{how_many, seed};

/// Two samples: medians, their ratio, the shift, whether they differ, whether they have two modes
///
/// Each file has a number a line. Blank lines and lines that begin with # are passed over, and so is
/// a first line that is no number, as a header. Of a CSV with several columns --column names the one to
/// take, by its header; a file whose first line is numbers has none and is refused, as a number taken for
/// a name would be missing among the data. Empty cells were not observed and are left out.
///
/// The ratio of medians is a over b. The median's interval is distribution-free, and does not exist
/// below 6 values at 95 %; the ratio's are bootstrap intervals, which cover less than they say below 5
/// values. Mann-Whitney is exact for small samples, with ties as well.
///
/// Two modes: of the logarithms, Hartigans' dip with a simulated p-value, and two log-normal components
/// against one. There is a cut, as by the rule `split`, where two gain at least 10 in BIC and the cut
/// misplaces at most 1 % of either; the dip stands beside it and does not decide.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  experiments stat samples fast.csv slow.csv --level 0.9
  experiments stat samples patched.csv stock.csv --alternative greater
  experiments stat samples R1/trials.csv R2/trials.csv --column mops_per_s")]
pub struct SamplesArgs {
    /// The sample a; `-` reads standard input
    #[arg(value_name = "A.csv")]
    a: PathBuf,
    /// The sample b
    #[arg(value_name = "B.csv")]
    b: PathBuf,
    /// The column that holds the numbers, in files with several: its name in the header, not its place
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The column of B.csv, if it has another name there
    #[arg(long, value_name = "NAME")]
    column_b: Option<String>,
    /// What the tests look for: that the two differ, that a's values tend to be smaller than b's, that
    /// they tend to be greater. To be chosen before the values are seen; the intervals stay two-sided
    #[arg(long, value_enum, default_value_t)]
    alternative: Side,
    /// Bootstrap resamples, from 100 to 100000000
    #[arg(long, default_value_t = Resampling::default().resamples, value_name = "COUNT", value_parser = how_many::<usize>, allow_negative_numbers = true)]
    resamples: usize,
    /// Where chance starts; the same seed gives the same result on any number of CPUs
    #[arg(long, default_value_t = Resampling::default().seed, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: SamplesArgs, out: &mut dyn Write) -> Outcome {
    if args.a == Path::new("-") && args.b == Path::new("-") {
        return Err(Failure::Request(
            "both samples are `-`: standard input can be one of them only".into(),
        ));
    }
    let resampling = Resampling::new(args.resamples, args.seed)?;
    let column_b = args.column_b.as_deref().or(args.column.as_deref());
    let (a, b) = (read(&args.a, args.column.as_deref())?, read(&args.b, column_b)?);
    let alternative = args.alternative.into();
    let found = compare(&a.values, &b.values, args.options.level, alternative, resampling)?;
    let mut notes: Vec<String> = found.notes.iter().map(said::note).collect();
    for (name, of) in [("a", &a), ("b", &b)] {
        if of.unobserved > 0 {
            notes.push(format!(
                "{name}: {} without a value, left out of {}",
                counted(of.unobserved, "row"),
                of.unobserved + of.values.len() as u64
            ));
        }
    }
    let modes = Modes {
        a: modes("a", &a.values, resampling, &mut notes)?,
        b: modes("b", &b.values, resampling, &mut notes)?,
    };
    let answer = Answer { found, modes, notes };
    args.options.answer(out, &answer, || text(&answer, &args.options))
}

/// What docs/reference/commands.md promises, then whether a sample has two modes.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    found: SampleComparison,
    modes: Modes,
    notes: Vec<String>,
}

/// The rule `split` on each sample; `None` for one with negative values, which have no logarithm.
#[derive(Debug, Serialize)]
struct Modes {
    a: Option<Mode>,
    b: Option<Mode>,
}

/// A sample's modes, and why there are two or one.
#[derive(Debug, Serialize)]
struct Mode {
    #[serde(flatten)]
    found: Split,
    reason: String,
}

fn modes(
    name: &str,
    values: &[f64],
    resampling: Resampling,
    notes: &mut Vec<String>,
) -> Result<Option<Mode>, StatError> {
    if values.iter().any(|x| *x < 0.0) {
        notes.push(format!(
            "{name} is not looked at for two modes: it has negative values, which have no logarithm"
        ));
        return Ok(None);
    }
    let found = split(values, resampling)?;
    let reason = said::modes(&found);
    Ok(Some(Mode { found, reason }))
}

/// The values of a file.
#[derive(Debug, PartialEq)]
struct Values {
    values: Vec<f64>,
    /// Rows whose cell is empty, in a file with several columns.
    unobserved: u64,
}

fn read(path: &Path, column: Option<&str>) -> Result<Values, Failure> {
    let (name, mut source) = columns::open(path)?;
    let mut bytes = Vec::new();
    source
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Request(format!("{name} cannot be read: {error}")))?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line =
            1 + bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count();
        Failure::Request(format!("{name}, line {line}: it is not UTF-8 text"))
    })?;
    let text = text.trim_start_matches('\u{feff}');
    match column {
        Some(column) => parse_column(name, text, column),
        None => {
            refuse_several_columns(&name, text)?;
            Ok(Values { values: parse(&name, text)?, unobserved: 0 })
        }
    }
}

/// The numbers of one column of a CSV file.
fn parse_column(name: String, text: &str, column: &str) -> Result<Values, Failure> {
    let columns = Columns::parse(name, text.as_bytes(), &[&[column]])?;
    let mut read = Values { values: Vec::new(), unobserved: 0 };
    for row in columns.rows() {
        match row.text(column) {
            "" => read.unobserved += 1,
            _ => read.values.push(row.number(column)?),
        }
    }
    if read.values.is_empty() {
        return Err(columns.wrong(format!("every cell of the column `{column}` is empty")));
    }
    Ok(read)
}

/// A header of several columns is no header of one: which of them is meant must be said.
fn refuse_several_columns(name: &str, text: &str) -> Result<(), Failure> {
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let first = lines.into_iter().find(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((line, header)) = first else { return Ok(()) };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(header.as_bytes());
    let Some(Ok(cells)) = reader.records().next() else { return Ok(()) };
    let named = cells.iter().any(|cell| cell.starts_with(char::is_alphabetic));
    if cells.len() < 2 || !named {
        return Ok(());
    }
    let cells: Vec<&str> = cells.iter().collect();
    Err(Failure::Request(format!(
        "{name}, line {line}: there are {} columns, `{}`; say which holds the numbers, with --column \
         NAME",
        cells.len(),
        cells.join("`, `")
    )))
}

/// The numbers of a file, one a line.
fn parse(name: &str, text: &str) -> Result<Vec<f64>, Failure> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut values = Vec::new();
    for (place, (line, cell)) in lines.enumerate() {
        match cell.parse::<f64>() {
            // −0 is 0.
            Ok(value) if value.is_finite() => values.push(value + 0.0),
            Ok(_) => {
                return Err(Failure::Request(format!(
                    "{name}, line {line}: `{cell}` is not a finite number"
                )));
            }
            // A header, unless it begins as a number does: `12,5` or `3 4` is a mistake.
            Err(_) if place == 0 && cell.starts_with(|c: char| c.is_alphabetic() || c == '"') => {}
            Err(_) => {
                return Err(Failure::Request(format!(
                    "{name}, line {line}: `{cell}` is not a number; a line holds one number, such as \
                     52.8, or a CSV has a header and --column NAME says which column"
                )));
            }
        }
    }
    if values.is_empty() {
        return Err(Failure::Request(format!("{name} has no numbers: it needs one a line")));
    }
    Ok(values)
}

fn text(answer: &Answer, options: &Options) -> String {
    let found = &answer.found;
    let percent = options.level.percent();
    let mut samples = Table::new(&["sample", "n", "median", "low", "high"]);
    for (name, of) in [("a", &found.a), ("b", &found.b)] {
        let n = of.n.to_string();
        samples.row([name.into(), n, number(of.median), number(of.low), number(of.high)]);
    }
    let mut effects = Table::new(&["a against b", "estimate", "low", "high", "interval"]);
    let ratio = &found.median_ratio;
    for interval in &ratio.intervals {
        effects.row([
            "ratio of medians".into(),
            number(ratio.estimate),
            number(interval.low),
            number(interval.high),
            interval.method.into(),
        ]);
    }
    let shift = &found.hodges_lehmann;
    effects.row([
        "shift".into(),
        number(shift.estimate),
        number(shift.low),
        number(shift.high),
        "hodges-lehmann".into(),
    ]);
    let asked = match found.tests.first().map(|test| test.alternative) {
        Some(Alternative::Less) => "test, one-sided: a below b",
        Some(Alternative::Greater) => "test, one-sided: a above b",
        _ => "test, two-sided",
    };
    let mut tests = Table::new(&[asked, "statistic", "p"]);
    for test in &found.tests {
        tests.row([test.method.into(), number(test.statistic), p_value(test.p_value)]);
    }
    let mut notes: String = answer.notes.iter().map(|note| format!("Note: {note}.\n")).collect();
    let mut shape =
        Table::new(&["modes", "dip", "p", "BIC gain", "cut", "weight", "median", "sigma of log"]);
    for (name, modes) in [("a", &answer.modes.a), ("b", &answer.modes.b)] {
        let Some(modes) = modes else { continue };
        notes += &modes_in_words(name, modes);
        let modes = &modes.found;
        let mut head = vec![
            name.to_owned(),
            number(modes.dip.map(|dip| dip.statistic)),
            p_value(modes.dip.map(|dip| dip.p_value)),
            number(modes.bic_gain),
            number(modes.cut),
        ];
        if modes.components.is_empty() {
            head.extend(["-", "-", "-"].map(str::to_owned));
            shape.row(head);
            continue;
        }
        for component in &modes.components {
            let parameters = [component.weight, component.mu.exp(), component.sigma].map(number);
            shape.row(head.into_iter().chain(parameters));
            head = vec![String::new(); 5];
        }
    }
    format!(
        "{percent} % intervals, two-sided\n{}\n{}\n{}\n{}\n{notes}Assumes independent values within and between \
         the samples.\n",
        samples.render(),
        effects.render(),
        tests.render(),
        shape.render(),
    )
}

/// Whether a sample has two modes, and why.
fn modes_in_words(name: &str, Mode { found: modes, reason }: &Mode) -> String {
    match (modes.cut, modes.lower) {
        // Nothing but zeros below the cut: no fit, but the rule's convention.
        (Some(cut), Some(lower)) if lower == modes.zeros => format!(
            "Note: {lower} of {} values of {name} {} no logarithm: the rule `split` takes {} as the \
             lower mode, below {}; dip and components are of the others.\n",
            modes.n,
            if lower == 1 { "is 0, which has" } else { "are 0, which have" },
            if lower == 1 { "it" } else { "them" },
            number(cut),
        ),
        (Some(cut), Some(lower)) => format!(
            "Note: {name} has two modes, {lower} of {} below {}: {}. A median describes neither.\n",
            modes.n,
            number(cut),
            reason
        ),
        _ => format!("Note: {name} is not called bimodal: {reason}.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Level;

    #[test]
    fn headers_blank_lines_and_comments_are_passed_over() {
        let values = parse("a.csv", "mops_per_s\n\n52.8\n# warm\n 46.1 \r\n-3e2\n").unwrap();
        assert_eq!(values, [52.8, 46.1, -300.0]);
        assert_eq!(parse("a.csv", "1\n2").unwrap(), [1.0, 2.0]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let says = |text: &str| parse("a.csv", text).unwrap_err().to_string();
        assert!(says("1\nx\n").contains("a.csv, line 2: `x` is not a number"));
        assert!(says("head\n1\nhead\n").contains("line 3"));
        assert!(says("1,5\n").contains("line 1: `1,5` is not a number"));
        assert!(says("mops\nNaN\n").contains("line 2: `NaN` is not a finite number"));
        assert!(says("\n\n").contains("a.csv has no numbers"));
        assert!(says("mops\n").contains("no numbers"));
    }

    fn answer(a: &[f64], b: &[f64]) -> Answer {
        let resampling = Resampling { resamples: 500, seed: 1 };
        let found = compare(a, b, Level::P95, Alternative::TwoSided, resampling).unwrap();
        let mut notes = found.notes.iter().map(said::note).collect();
        let a = modes("a", a, resampling, &mut notes).unwrap();
        let b = modes("b", b, resampling, &mut notes).unwrap();
        Answer { found, modes: Modes { a, b }, notes }
    }

    const OPTIONS: Options = Options { level: Level::P95, json: false };
    const FAST: [f64; 5] = [52.8, 46.1, 36.3, 51.7, 49.6];
    const SLOW: [f64; 5] = [4.2, 4.5, 4.0, 5.1, 4.6];

    #[test]
    fn one_of_several_columns_is_taken_by_name() {
        let csv = "trial,mops_per_s\n1,52.8\n2,\n3,46.1\n";
        let read = parse_column("t.csv".into(), csv, "mops_per_s").unwrap();
        assert_eq!(read, Values { values: vec![52.8, 46.1], unobserved: 1 });
        let says = |text: &str| refuse_several_columns("t.csv", text).unwrap_err().to_string();
        assert_eq!(
            says("# of a run\n\ntrial,mops_per_s\n1,2\n"),
            "t.csv, line 3: there are 2 columns, `trial`, `mops_per_s`; say which holds the numbers, \
             with --column NAME"
        );
        for one in ["mops\n1\n", "1,5\n", "\"mops, all\"\n3\n", ""] {
            assert!(refuse_several_columns("t.csv", one).is_ok(), "{one:?}");
        }
    }

    #[test]
    fn the_text_has_every_estimate_and_note() {
        let text = text(&answer(&FAST, &SLOW), &OPTIONS);
        for word in ["11.0222", "45.1", "0.00794", "bca", "Note: mann-whitney: exact", "too few"] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }

    #[test]
    fn two_modes_are_pointed_out_with_both_components_and_the_dip() {
        let both = [FAST, SLOW].concat();
        let text = text(&answer(&both, &[-1.0, 2.0]), &OPTIONS);
        assert!(text.contains("a has two modes, 5 of 10 below"), "{text}");
        assert!(text.contains("b is not looked at for two modes"), "{text}");
        let at = text.lines().position(|line| line.trim_start().starts_with("modes")).unwrap();
        let cells = |line: usize| -> Vec<f64> {
            let cells = text.lines().nth(line).unwrap().split_whitespace();
            cells.filter_map(|cell| cell.parse().ok()).collect()
        };
        // dip, p, gain, cut, then weight, median and sigma of the lower; of the upper.
        let (lower, upper) = (cells(at + 1), cells(at + 2));
        assert_eq!((lower.len(), upper.len()), (7, 3), "{text}");
        assert!((lower[4] - 0.5).abs() < 1e-3 && (upper[0] - 0.5).abs() < 1e-3, "{text}");
        assert!((lower[5] - 4.5).abs() < 0.1 && (upper[1] - 46.9).abs() < 0.5, "{text}");
    }
}
