//! What is torn, missing or contradicts its plan.

use analysis::damage::{Damage, TornLine};
use records::torn::Headless;

use super::{case, torn, trials};
use stats::words::{any_of, counted};
use std::path::Path;

const NOT_KNOWN: &str = "so when they stalled and recovered by throughput is not known, and they are in \
                         no count of it";

/// Each in a sentence.
pub fn all(damage: &[Damage]) -> Vec<String> {
    damage.iter().map(say).collect()
}

fn say(damage: &Damage) -> String {
    match damage {
        Damage::TornLine(line) => torn_line(line),
        Damage::NoHeader { file, found } => {
            format!("{}: it is as a file without rows", headless(found, file))
        }
        Damage::Cut { run, said } => format!("{}: {said}", run.display()),
        Damage::NoPlan { file } => format!(
            "{} is missing: the rows of trials.csv are not held against it, and what was planned and \
             not run is not known",
            file.display()
        ),
        Damage::OtherPlan { file, planned, by_manifest } => format!(
            "{} plans {}, and the manifest says {by_manifest}: one of them is not this run's",
            file.display(),
            trials(*planned)
        ),
        Damage::EmptyCells { run, cells } => format!(
            "{}: {} of the plan have no trial at all, and no row in the tables",
            run.display(),
            counted(*cells, "cell", "cells")
        ),
        Damage::NoTimelineHeader { file, found, trials: n, imported } => format!(
            "{}: recovery by throughput is not known for any of {}; {}{}",
            headless(found, file),
            trials(*n),
            case::EVENT_IN_ROWS,
            match imported {
                true => "",
                false => ". Resuming puts the header back, and runs no finished trial again",
            }
        ),
        Damage::NoTimeline { file, trials } => format!(
            "{} is missing: recovery by throughput is not known for {}; {}",
            file.display(),
            any_of(*trials, "trial", "trials"),
            case::EVENT_IN_ROWS
        ),
        Damage::NoSamples { file, without, trials: n, first } => format!(
            "{} has no sample of {without} of {} that did their work (the first is trial {first}): it is \
             not whole, {NOT_KNOWN}",
            file.display(),
            trials(*n)
        ),
        Damage::SamplesEndEarly { file, trials, first } => format!(
            "{}: the samples of {} end before the work did (the first is trial {first}): what had not \
             recovered by then is censored there",
            file.display(),
            counted(*trials, "stalled trial", "stalled trials")
        ),
        Damage::ForeignSamples { file, rows, trials: n, first, line } => format!(
            "{} has {} of {} that trials.csv does not have (the first is trial {first}, line {line}): \
             they are not used. A runner that was killed leaves such samples, and resuming takes them out",
            file.display(),
            counted(*rows, "sample", "samples"),
            trials(*n)
        ),
        Damage::NotWatched { file, trials: n, why } => {
            use analysis::timeline::Why;
            let (file, n) = (file.display(), trials(*n));
            match why {
                Why::NoControl => {
                    format!("{file}: of {n} a recovery by throughput is not known, because {why}")
                }
                _ => format!("{file}: of {n} {why}, {NOT_KNOWN}"),
            }
        }
    }
}

/// A torn line, and what follows from it: a trial's row is written last, so only the trial that has none
/// is run again.
pub fn torn_line(line: &TornLine) -> String {
    let (number, text) = (line.torn.line, torn::shortened(&line.torn.text));
    let sentence =
        format!("{} line {number} is torn ({text:?}): it is not used", line.file.display());
    // Nothing brings back what an imported run lost.
    if line.imported {
        return sentence;
    }
    let name = line.file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let rows = match name {
        "trials.csv" => return format!("{sentence}; resuming runs its trial again"),
        "plan.csv" => {
            return format!(
                "{sentence}, and resuming refuses the run: put the line back as it was written, or begin \
                 a new run"
            );
        }
        _ => match torn::rows_of(name) {
            Some(rows) => rows,
            None => return sentence,
        },
    };
    match line.trial {
        Some(trial) if trial.has_row => format!(
            "{sentence}; the {rows} of trial {} end there. The trial has its row in trials.csv, so \
             resuming does not run it again",
            trial.number
        ),
        Some(trial) => format!(
            "{sentence}; trial {} has no row in trials.csv, so resuming runs it again",
            trial.number
        ),
        None => format!(
            "{sentence}; the {rows} of its trial end there, and resuming runs that again only if it has \
             no row in trials.csv"
        ),
    }
}

/// That a file has no whole header.
fn headless(headless: &Headless, file: &Path) -> String {
    let file = file.display();
    match headless {
        Headless::Empty => format!("{file} is empty, without even a header"),
        Headless::Torn(text) => format!(
            "{file} line 1 is torn ({text:?}): it is a part of the header, and no row follows"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::damage::TrialOfLine;
    use records::torn::Torn;

    #[test]
    fn what_follows_from_a_torn_line_depends_on_its_file() {
        let line = |name: &str, text: &str, imported| {
            let torn = Torn { line: 3, text: text.into() };
            let of = |number| TrialOfLine { number, has_row: number == 7 };
            let trial = torn.trial().map(of);
            torn_line(&TornLine { file: Path::new("R").join(name), torn, imported, trial })
        };
        let head =
            |name: &str, text: &str| format!("R/{name} line 3 is torn ({text:?}): it is not used");
        for (name, text, rest) in [
            ("trials.csv", "4,7,", "; resuming runs its trial again"),
            ("plan.csv", "4,7,", ", and resuming refuses the run: put the line back"),
            ("timeline.csv", "7,0.2,", "; the samples of trial 7 end there. The trial has its row"),
            ("metrics.csv", "7,p99,", "; the metrics of trial 7 end there."),
            ("pivots.csv", "7,1,", "; the calls of trial 7 end there."),
            ("timeline.csv", "8,0.2,", "; trial 8 has no row in trials.csv, so resuming"),
            // 7 may be the begin of 70.
            ("timeline.csv", "7", "; the samples of its trial end there, and resuming"),
            ("checks.csv", "a,", ""),
        ] {
            let found = line(name, text, false);
            assert!(found.starts_with(&(head(name, text) + rest)), "{found}");
        }
        assert_eq!(line("x.csv", "7,1", true), head("x.csv", "7,1"));
    }
}
