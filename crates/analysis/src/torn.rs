//! What a crash tore off the files beside `trials.csv`, found now or taken out by a resumption. The
//! lines of `trials.csv`, the plan and the timeline are named where those are read.

use std::collections::HashSet;
use std::path::Path;

use model::column::Column;
use model::columns::{METRICS, PIVOTS};
use records::torn::{Headless, Torn};

use crate::data::Data;
use crate::error::AnalysisError;

/// Files that a run may do without, with their columns: one without a header is as one without rows.
const MAY_BE_HEADLESS: [(&str, &[Column]); 2] =
    [("metrics.csv", &METRICS), ("pivots.csv", &PIVOTS)];

/// The files that are read whole or not at all, so that a torn line passes unseen.
const FILES: [&str; 4] = ["metrics.csv", "pivots.csv", "checks.csv", "notes.csv"];

/// A sentence each.
pub fn sentences(data: &Data) -> Result<Vec<String>, AnalysisError> {
    let mut sentences = Vec::new();
    for (at, run) in data.runs.iter().enumerate() {
        let rows: HashSet<u64> =
            data.trials.iter().filter(|trial| trial.run == at).map(|trial| trial.trial).collect();
        for (name, columns) in MAY_BE_HEADLESS {
            let file = run.folder.join(name);
            if let Some(headless) = Headless::of(&file, columns)? {
                sentences.push(format!(
                    "{}: it is as a file without rows",
                    self::headless(&headless, &file)
                ));
            }
        }
        for name in FILES {
            let file = run.folder.join(name);
            let columns = MAY_BE_HEADLESS.iter().find(|(known, _)| *known == name);
            if let Some((_, columns)) = columns
                && Headless::of(&file, columns)?.is_some()
            {
                continue;
            }
            if let Some(torn) = Torn::in_file(&file)? {
                sentences.push(run.of_torn(&torn, &file, |trial| rows.contains(&trial)));
            }
        }
        for resumed in &run.manifest.resumed {
            let cut = resumed.cut.iter();
            sentences.extend(cut.map(|cut| format!("{}: {cut}", run.name())));
        }
    }
    Ok(sentences)
}

// The sentences below move to `report::say::torn` with the warnings.

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// The warning that names a torn line that nothing can bring back: in an imported run.
pub fn sentence(torn: &Torn, file: &Path) -> String {
    let (line, text) = (torn.line, shortened(&torn.text));
    format!("{} line {line} is torn ({text:?}): it is not used", file.display())
}

/// The warning that names a torn line in a run of this suite, and what follows from it: a trial's row is
/// written last, so only the trial that has none is run again. `has_row` is whether a trial has
/// one.
pub fn sentence_with_what_next(torn: &Torn, file: &Path, has_row: impl Fn(u64) -> bool) -> String {
    let sentence = sentence(torn, file);
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let what = match name {
        "trials.csv" => {
            return format!("{sentence}; resuming runs its trial again");
        }
        "plan.csv" => {
            return format!(
                "{sentence}, and resuming refuses the run: put the line back as it \
                 was written, or begin a new run"
            );
        }
        "timeline.csv" => "samples",
        "metrics.csv" => "metrics",
        "pivots.csv" => "calls",
        _ => return sentence,
    };
    match torn.trial() {
        Some(trial) if has_row(trial) => format!(
            "{sentence}; the {what} of trial {trial} end there. The trial has its row in \
             trials.csv, so resuming does not run it again"
        ),
        Some(trial) => format!(
            "{sentence}; trial {trial} has no row in trials.csv, so resuming runs it \
             again"
        ),
        None => format!(
            "{sentence}; the {what} of its trial end there, and resuming runs that \
             again only if it has no row in trials.csv"
        ),
    }
}

/// That a file has no whole header.
pub fn headless(headless: &Headless, file: &Path) -> String {
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
    use crate::synthetic::Synthetic;
    use crate::{Options, analyze};

    #[test]
    fn a_file_beside_the_trials_without_its_header_stops_nothing() {
        let mut made = Synthetic::new(96);
        made.trial(8, "auto");
        made.trial(8, "slots:512");
        let (_folder, run) = made.written();
        for (text, says) in
            [("", "metrics.csv is empty"), ("trial,me", "metrics.csv line 1 is torn")]
        {
            std::fs::write(run.join("metrics.csv"), text).unwrap();
            std::fs::write(run.join("pivots.csv"), "").unwrap();
            let found = analyze(std::slice::from_ref(&run), &Options::default()).unwrap();
            let said = found.damage.join("\n");
            assert!(said.contains(says) && said.contains("pivots.csv is empty"), "{said}");
            assert_eq!(said.matches("metrics.csv").count(), 1, "{said}");
        }
    }

    #[test]
    fn a_torn_line_of_a_file_beside_the_trials_is_said_with_what_follows() {
        let mut made = Synthetic::new(96);
        made.trial(8, "auto");
        made.trial(8, "slots:512");
        made.manifest.resumed.push(model::manifest::Resumed {
            at: "2026-01-01T00:00:00.000Z".into(),
            changes: Vec::new(),
            torn: None,
            cut: vec!["timeline.csv line 9 was torn and is taken out".into()],
        });
        let (_folder, run) = made.written();
        std::fs::write(run.join("metrics.csv"), "trial,metric,value,unit\n1,p99,3,us\n1,p50,")
            .unwrap();
        let said = analyze(&[run], &Options::default()).unwrap().damage.join("\n");
        assert!(
            said.contains(
                "metrics.csv line 3 is torn (\"1,p50,\"): it is not used; the metrics of trial 1 end \
                 there. The trial has its row in trials.csv"
            ),
            "{said}"
        );
        assert!(said.contains(": timeline.csv line 9 was torn and is taken out"), "{said}");
    }

    #[test]
    fn what_follows_from_a_torn_line_depends_on_its_file() {
        let torn = |text: &str| Torn { line: 3, text: text.into() };
        let said = |name: &str, text: &str| {
            sentence_with_what_next(&torn(text), &Path::new("R").join(name), |trial| trial == 7)
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
            let found = said(name, text);
            assert!(found.starts_with(&(head(name, text) + rest)), "{found}");
        }
        assert_eq!(sentence(&torn("7,1"), Path::new("R/x.csv")), head("x.csv", "7,1"));
    }
}
