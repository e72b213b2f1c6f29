//! `experiments stat samples A.csv B.csv`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use analysis::stat::samples::split::{Split, split};
use analysis::stat::samples::{Resampling, SampleComparison, compare};
use clap::Args;

use super::Options;
use super::table::{Table, number, p_value};
use crate::failure::{Failure, Outcome};

/// Two samples: medians, their ratio, the shift, and whether they differ
///
/// Each file has a number a line. Blank lines and lines that begin with # are passed over, and so is
/// a first line that is no number, as a header. The ratio of medians is a over b. The median's
/// interval is distribution-free, and does not exist below 6 values at 95 %; the ratio's are
/// bootstrap intervals, which cover less than they say below 5 values. Mann-Whitney is exact for
/// small samples, with ties as well.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  experiments stat samples fast.csv slow.csv --level 0.9")]
pub struct SamplesArgs {
    /// The sample a; `-` reads standard input
    #[arg(value_name = "A.csv")]
    a: PathBuf,
    /// The sample b
    #[arg(value_name = "B.csv")]
    b: PathBuf,
    /// Bootstrap resamples, 100 or more
    #[arg(long, default_value_t = Resampling::default().resamples, value_name = "COUNT")]
    resamples: usize,
    /// Where chance starts; the same seed gives the same result on any number of CPUs
    #[arg(long, default_value_t = Resampling::default().seed)]
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
    let (a, b) = (read(&args.a)?, read(&args.b)?);
    let found = compare(&a, &b, args.options.level, resampling)?;
    let modes =
        |values: &[f64]| values.iter().all(|x| *x >= 0.0).then(|| split(values, resampling));
    let modes = [modes(&a).transpose()?, modes(&b).transpose()?];
    args.options.answer(out, &found, || text(&found, &modes, &args.options))
}

fn read(path: &Path) -> Result<Vec<f64>, Failure> {
    let mut text = String::new();
    let (name, done) = if path == Path::new("-") {
        ("standard input".to_owned(), std::io::stdin().lock().read_to_string(&mut text))
    } else {
        let file = std::fs::File::open(path);
        (path.display().to_string(), file.and_then(|mut file| file.read_to_string(&mut text)))
    };
    done.map_err(|error| Failure::Request(format!("{name} cannot be read: {error}")))?;
    parse(&name, &text)
}

/// The numbers of a file, one a line.
fn parse(name: &str, text: &str) -> Result<Vec<f64>, Failure> {
    let lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let mut values = Vec::new();
    for (place, (line, cell)) in lines.enumerate() {
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => values.push(value),
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
                     52.8"
                )));
            }
        }
    }
    if values.is_empty() {
        return Err(Failure::Request(format!("{name} has no numbers: it needs one a line")));
    }
    Ok(values)
}

fn text(found: &SampleComparison, modes: &[Option<Split>; 2], options: &Options) -> String {
    let percent = number(options.level.get() * 100.0);
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
    let mut tests = Table::new(&["test, two-sided", "statistic", "p"]);
    for test in &found.tests {
        tests.row([test.method.into(), number(test.statistic), p_value(test.p_value)]);
    }
    let mut notes: String = found.notes.iter().map(|note| format!("Note: {note}.\n")).collect();
    for (name, modes) in ["a", "b"].into_iter().zip(modes) {
        if let Some(Split { cut: Some(cut), lower: Some(lower), n, reason, .. }) = modes {
            notes += &format!(
                "Note: {name} has two modes, {lower} of {n} below {}: {reason}. A median describes \
                 neither.\n",
                number(*cut)
            );
        }
    }
    format!(
        "{percent} % intervals\n{}\n{}\n{}\n{notes}Assumes independent values within and between the \
         samples.\n",
        samples.render(),
        effects.render(),
        tests.render(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::stat::Level;

    #[test]
    fn headers_blank_lines_and_comments_are_passed_over() {
        let values =
            parse("a.csv", "\u{feff}mops_per_s\n\n52.8\n# warm\n 46.1 \r\n-3e2\n").unwrap();
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

    #[test]
    fn the_text_has_every_estimate_and_note() {
        let (fast, slow) = ([52.8, 46.1, 36.3, 51.7, 49.6], [4.2, 4.5, 4.0, 5.1, 4.6]);
        let found = compare(&fast, &slow, Level::P95, Resampling::default()).unwrap();
        let text = text(&found, &[None, None], &Options { level: Level::P95, json: false });
        for word in ["11.0222", "45.1", "0.00794", "bca", "Note: mann-whitney: exact"] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }

    #[test]
    fn two_modes_are_pointed_out() {
        let both = [52.8, 46.1, 36.3, 51.7, 49.6, 4.2, 4.5, 4.0, 5.1, 4.6];
        let found = compare(&both, &both, Level::P95, Resampling::default()).unwrap();
        let modes = split(&both, Resampling::default()).unwrap();
        let text = text(&found, &[Some(modes), None], &Options { level: Level::P95, json: false });
        assert!(text.contains("a has two modes, 5 of 10 below"), "{text}");
    }
}
