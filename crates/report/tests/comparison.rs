//! A comparison in every form.

use analysis::compare::{Asked, Comparison, Options, compare};
use analysis::synthetic::Synthetic;
use model::record::Pivot;
use stallscope_report::{Format, comparison_summary, comparison_text, write_comparison};

/// Two sides over thread counts, with a machine of a long name or a short one, each in a run of its own.
fn comparison(machine: &str) -> Comparison {
    let side = |patch: &str, stalled: usize, start: &str| {
        let mut made = Synthetic::new(192);
        made.manifest.started_at = start.into();
        rows(&mut made, machine, patch, stalled);
        made.written()
    };
    let (_base, base) = side("stock", 12, "2026-09-01T10:00:00Z");
    let (_test, test) = side("fix", 1, "2026-09-01T11:00:00Z");
    let asked = Asked::Runs { base: vec![base], test: vec![test] };
    compare(&asked, &Options::default()).unwrap()
}

/// The same in one run, both sides in each block.
fn in_turns(machine: &str) -> Comparison {
    let mut made = Synthetic::new(192);
    rows(&mut made, machine, "stock", 12);
    rows(&mut made, machine, "fix", 1);
    let (_folder, run) = made.written();
    let [base, test] = ["stock", "fix"].map(|patch| vec![patch.to_string()]);
    let asked = Asked::By { runs: vec![run], key: "patch".into(), base, test };
    compare(&asked, &Options::default()).unwrap()
}

fn rows(made: &mut Synthetic, machine: &str, patch: &str, stalled: usize) {
    for threads in [48, 96, 192] {
        for at in 0..20 {
            for hash in ["auto", "slots:512"] {
                let row = made.trial(threads, hash);
                row.labels = format!("machine={machine};patch={patch}");
                let stalls = hash == "auto" && at < stalled;
                let mops = f64::from(threads) * 10.0 + at as f64;
                row.mops_per_s = Some(if stalls { 5.0 } else { mops });
                if hash == "auto" {
                    row.pivot = Some(if stalls { Pivot::Pending } else { Pivot::Settled });
                    row.pivot_s = Some(if stalls { 1.0 } else { 0.01 * (at as f64 + 1.0) });
                }
            }
        }
    }
    // A second machine, so that the name of each stratum has it.
    let row = made.trial(8, "auto");
    row.labels = format!("machine=other;patch={patch}");
    made.trial(8, "slots:512").labels = format!("machine=other;patch={patch}");
}

/// Lines that could have been broken: a name longer than half a line can't.
fn too_wide(text: &str) -> Vec<&str> {
    let long = |word: &str| word.chars().count() > 39;
    text.lines()
        .filter(|line| line.chars().count() > 78 && !line.split_whitespace().any(long))
        .collect()
}

#[test]
fn a_mail_keeps_its_width_whatever_the_names() {
    for machine in
        ["a", "Xeon-6975P-C", "a-machine-whose-name-is-longer-than-any-table-has-room-for"]
    {
        let found = comparison(machine);
        let mail = comparison_text(&found, Format::Mail).unwrap();
        assert_eq!(too_wide(&mail), Vec::<&str>::new(), "{mail}");
        for details in [false, true] {
            let summary = comparison_summary(&found, details);
            assert_eq!(too_wide(&summary), Vec::<&str>::new(), "{summary}");
        }
        assert!(mail.starts_with("`fix` against `stock`: undecided\n===="), "{mail}");
        assert!(mail.contains("12 of 20  1 of 20 "), "{mail}");
        assert!(mail.contains("To do it again"), "{mail}");
    }
}

#[test]
fn a_name_that_does_not_fit_is_a_number_with_its_meaning() {
    let name = "a-machine-whose-name-is-longer-than-any-table-has-room-for";
    let mail = comparison_text(&comparison(name), Format::Mail).unwrap();
    assert!(mail.contains("  #1 "), "{mail}");
    let flat = mail.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(flat.contains(&format!("- #1 48 threads, machine={name}")), "{mail}");
    let short = comparison_text(&comparison("m2"), Format::Mail).unwrap();
    assert!(short.contains("  48 threads, machine=m2    12 of 20"), "{short}");
}

#[test]
fn every_section_is_in_markdown_with_its_intervals() {
    let markdown = comparison_text(&comparison("m2"), Format::Markdown).unwrap();
    for part in [
        "# `fix` against `stock`: undecided",
        "## Stalls",
        "| 48 threads, machine=m2 | 12 of 20 | 1 of 20 |",
        "## Over all strata",
        "Breslow-Day-Tarone",
        "## Recovery",
        "## Throughput of the controls",
        "## Throughput of the trials that did not stall",
        "## Harm",
        "## What was compared",
        "told apart by patch",
        "experiments compare --base",
    ] {
        assert!(markdown.contains(part), "{part:?} is not in\n{markdown}");
    }
    let html = comparison_text(&comparison("m2"), Format::Html).unwrap();
    assert!(html.contains("<svg"), "figures are in it");
}

#[test]
fn each_stratum_has_its_hazard_ratio_and_mean_with_intervals_in_every_form() {
    let found = in_turns("m2");
    let one = &found.recovery.strata[1];
    let ratio =
        stallscope_report::say::compare::recovery::ratio_in_words(one.hazard_ratio().unwrap())
            .unwrap();
    let difference = one.mean_difference().unwrap();
    let until = stats::words::seconds(difference.until);
    let low = stats::words::significant(difference.low.unwrap(), 3);
    assert!(ratio.contains(" to "), "{ratio}");
    let forms = [
        comparison_text(&found, Format::Mail).unwrap(),
        comparison_text(&found, Format::Markdown).unwrap(),
        comparison_text(&found, Format::Html).unwrap(),
        comparison_summary(&found, true),
    ];
    for text in forms {
        for part in [ratio.as_str(), &format!("({low} to "), &until] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(text.contains("One hazard ratio in all strata"), "{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&found.json()).unwrap();
    let contrast = &json["recovery"]["strata"][1]["contrasts"][0];
    assert!(contrast["hazard_ratio"]["intervals"][0]["low"].is_number(), "{contrast}");
    assert!(contrast["rmst_difference"]["high"].is_number(), "{contrast}");
}

#[test]
fn every_figure_is_drawn_and_linked() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_comparison(&comparison("m2"), folder.path()).unwrap();
    let names: Vec<String> = written
        .iter()
        .filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()))
        .collect();
    for name in ["compare.md", "compare.txt", "compare.json", "strata.csv", "stalls-by-side.png"] {
        assert!(names.iter().any(|found| found == name), "{names:?}");
    }
    let recovery = names.iter().filter(|name| name.starts_with("recovery-by-side-"));
    assert_eq!(recovery.count(), 8, "of four strata, SVG and PNG: {names:?}");
    let markdown = std::fs::read_to_string(folder.path().join("compare.md")).unwrap();
    assert!(markdown.contains("](stalls-by-side.svg)"), "{markdown}");
}
