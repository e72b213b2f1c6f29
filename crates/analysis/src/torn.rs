//! What a crash tore off the files beside `trials.csv`, found now or taken out by a resumption. The
//! lines of `trials.csv`, the plan and the timeline are named where those are read.

use std::collections::HashSet;

use model::columns::{METRICS, PIVOTS};
use records::table::{Headless, Torn};

use crate::data::Data;
use crate::error::AnalysisError;

/// Files that a run may do without, with their columns: one without a header is as one without rows.
const MAY_BE_HEADLESS: [(&str, &[&str]); 2] = [("metrics.csv", &METRICS), ("pivots.csv", &PIVOTS)];

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
                sentences
                    .push(format!("{}: it is as a file without rows", headless.sentence(&file)));
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

#[cfg(test)]
mod tests {
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
            let said = found.warnings.join("\n");
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
        let said = analyze(&[run], &Options::default()).unwrap().warnings.join("\n");
        assert!(
            said.contains(
                "metrics.csv line 3 is torn (\"1,p50,\"): it is not used; the metrics of trial 1 end \
                 there. The trial has its row in trials.csv"
            ),
            "{said}"
        );
        assert!(said.contains(": timeline.csv line 9 was torn and is taken out"), "{said}");
    }
}
