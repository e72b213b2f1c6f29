//! Damage of a run's files, from the file to the sentence.

use std::path::Path;

use analysis::synthetic::Synthetic;
use analysis::{Analysis, Options, analyze};
use stallscope_report::say::damage;

fn said(found: &Analysis) -> String {
    damage::all(&found.damage).join("\n")
}

fn made() -> Synthetic {
    let mut made = Synthetic::new(96);
    for aside in [0.0, 0.1, 0.2] {
        made.trial(96, "auto").mops_per_s = Some(1.0 + aside);
        made.trial(96, "slots:512").mops_per_s = Some(100.0 + aside);
    }
    made
}

/// The warnings of a run whose timeline was changed.
fn warnings(made: &Synthetic, change: impl Fn(&Path, String)) -> (String, Analysis) {
    let (_folder, run) = made.written();
    let file = run.join("timeline.csv");
    change(&file, std::fs::read_to_string(&file).unwrap());
    let found = analyze(&[run], &Options::default()).unwrap();
    let of_timeline =
        damage::all(&found.damage).into_iter().filter(|said| said.contains("timeline.csv"));
    let said: Vec<String> = of_timeline.collect();
    (said.join("\n"), found)
}

fn write(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap();
}

#[test]
fn a_whole_timeline_needs_no_word() {
    let (said, found) = warnings(&made(), |_, _| {});
    assert_eq!(said, "");
    let account = &found.timelines[0];
    assert_eq!((account.rows, account.expected, account.with_samples), (66, 6, 6));
    assert_eq!((account.watched, account.cut, account.foreign_rows), (6, 0, 0));
}

#[test]
fn a_missing_timeline_is_said() {
    let (said, found) = warnings(&made(), |file, _| std::fs::remove_file(file).unwrap());
    assert!(
        said.contains("timeline.csv is missing: recovery by throughput is not known for any of 6")
    );
    assert!(!found.timelines[0].exists);
    // A source that printed none misses none.
    let mut imported = made();
    imported.manifest.executor = model::manifest::Origin::Imported;
    let (said, _) = warnings(&imported, |file, _| std::fs::remove_file(file).unwrap());
    assert_eq!(said, "");
    let (said, _) = warnings(&imported, |file, text| write(file, &text[..39]));
    assert_eq!(said, "");
}

#[test]
fn a_timeline_without_a_header_is_said_and_stops_nothing() {
    for (text, says) in [
        ("", "timeline.csv is empty, without even a header: recovery by throughput is not"),
        ("trial,t_s,thr", "timeline.csv line 1 is torn (\"trial,t_s,thr\"): it is a part of"),
    ] {
        let (said, found) = warnings(&made(), |file, _| write(file, text));
        assert!(said.contains(says) && said.contains("for any of 6 trials"), "{said}");
        assert!(said.contains("Resuming puts the header back"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!((found.timelines[0].exists, found.timelines[0].rows), (true, 0));
        assert_eq!(found.cells.iter().map(|cell| cell.trials).sum::<u64>(), 6);
    }
    // Rows without their header may be of anything.
    let (_folder, run) = made().written();
    write(&run.join("timeline.csv"), "1,0.1,96,5,,16\n");
    let error = analyze(&[run], &Options::default()).unwrap_err();
    assert!(error.is_request());
    assert!(error.to_string().contains("timeline.csv line 1: missing \"trial\""), "{error}");
}

#[test]
fn a_timeline_that_ends_early_is_said() {
    // The last trial has none, and of the one before only half.
    let (said, found) = warnings(&made(), |file, text| {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        write(file, &lines[..1 + 4 * 11 + 6].concat());
    });
    assert!(
        said.contains("has no sample of 1 of 6 trials that did their work (the first is trial 6)")
    );
    assert!(
        said.contains(
            "the samples of 1 stalled trial end before the work did (the first is trial 5)"
        ),
        "{said}"
    );
    assert_eq!((found.timelines[0].cut, found.timelines[0].with_samples), (1, 5));
    // Within a line.
    let (said, _) = warnings(&made(), |file, text| write(file, &text[..text.len() - 3]));
    assert!(said.contains("timeline.csv line 67 is torn"), "{said}");
}

#[test]
fn samples_of_no_trial_are_said_and_not_used() {
    let (said, found) = warnings(&made(), |file, text| {
        write(file, &(text + "77,0,96,0,,\n77,0.1,96,0,5,\n78,0,96,0,,\n"));
    });
    assert!(
        said.contains(
            "has 3 samples of 2 trials that trials.csv does not have (the first is trial 77, line 68)"
        ),
        "{said}"
    );
    assert_eq!(found.timelines[0].watched, 6);
}

#[test]
fn what_is_no_timeline_is_an_error_with_its_line() {
    let (_folder, run) = made().written();
    let file = run.join("timeline.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    write(&file, &(text.clone() + "1,0.5,96,0,,\n"));
    let error = analyze(std::slice::from_ref(&run), &Options::default()).unwrap_err();
    assert!(error.is_request());
    assert!(error.to_string().contains("timeline.csv line 68: trial 1 comes back"), "{error}");
    let mut made = made();
    made.manifest.definition["recovery"] = serde_json::json!({"share": 2});
    let (_folder, run) = made.written();
    let error = analyze(&[run], &Options::default()).unwrap_err().to_string();
    assert!(error.contains("manifest.json: the definition's recovery.share is 2"), "{error}");
}

#[test]
fn a_file_beside_the_trials_without_its_header_stops_nothing() {
    let mut made = Synthetic::new(96);
    made.trial(8, "auto");
    made.trial(8, "slots:512");
    let (_folder, run) = made.written();
    for (text, says) in [("", "metrics.csv is empty"), ("trial,me", "metrics.csv line 1 is torn")] {
        std::fs::write(run.join("metrics.csv"), text).unwrap();
        std::fs::write(run.join("pivots.csv"), "").unwrap();
        let found = analyze(std::slice::from_ref(&run), &Options::default()).unwrap();
        let said = said(&found);
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
        boot_id: None,
        at: "2026-01-01T00:00:00.000Z".into(),
        changes: Vec::new(),
        torn: None,
        cut: vec!["timeline.csv line 9 was torn and is taken out".into()],
    });
    let (_folder, run) = made.written();
    std::fs::write(run.join("metrics.csv"), "trial,metric,value,unit\n1,p99,3,us\n1,p50,").unwrap();
    let said = said(&analyze(&[run], &Options::default()).unwrap());
    assert!(
        said.contains(
            "metrics.csv line 3 is torn (\"1,p50,\"): it is not used; the metrics of trial 1 end \
             there. The trial has its row in trials.csv"
        ),
        "{said}"
    );
    assert!(said.contains(": timeline.csv line 9 was torn and is taken out"), "{said}");
}
