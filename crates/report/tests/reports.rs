//! Whole reports of made-up runs, against the texts that a person has read and found right.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p stallscope-report` writes them anew; the diff is to be read.

use std::path::{Path, PathBuf};

use analysis::synthetic::Synthetic;
use analysis::{Analysis, Options, analyze};
use model::record::{Pivot, Status};
use stallscope_report::{Format, figure::AnyFigure, text, write};

fn analysed(made: &Synthetic) -> Analysis {
    let (_folder, run) = made.written();
    analyze(&[run], &Options::default()).unwrap()
}

/// The text without the folder, which is another each time.
fn report(made: &Synthetic, format: Format) -> String {
    let analysis = analysed(made);
    let folder = analysis.runs[0].folder.display().to_string();
    text(&analysis, format).unwrap().replace(&folder, "RUN")
}

fn compare(name: &str, found: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, expected, "{} differs", file.display());
}

fn small_machine() -> Synthetic {
    let mut made = Synthetic::new(2);
    for threads in [1, 2, 4] {
        for trial in 0..10 {
            let mops = f64::from(threads.min(2)) * 4.0 + f64::from(trial) / 10.0;
            made.trial(threads, "auto").mops_per_s = Some(mops);
            made.trial(threads, "slots:512").mops_per_s = Some(mops * 1.01);
        }
    }
    made.manifest.disturbances.push("another process used 31 % of CPU 1".into());
    made
}

fn several_kernels() -> Synthetic {
    let mut made = Synthetic::new(192);
    made.manifest.executor = model::manifest::Origin::Lab { boots: 1 };
    for kernel in ["debian:6.12", "debian:6.17", "debian:7.3"] {
        for threads in (8..=192).step_by(8) {
            for trial in 0..5u32 {
                let row = made.trial(threads, "auto");
                row.kernel = kernel.into();
                row.labels = "machine=a;patch=v2".into();
                match kernel {
                    "debian:6.12" => (row.pivot, row.pivot_s) = (Some(Pivot::Unsupported), None),
                    "debian:7.3" if trial * 40 < threads => {
                        (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(1.0));
                        row.mops_per_s = Some(3.0 + f64::from(trial));
                    }
                    _ => row.mops_per_s = Some(10.0 * f64::from(threads)),
                }
                let control = made.trial(threads, "slots:512");
                control.kernel = kernel.into();
                control.labels = "machine=a;patch=v2".into();
                control.mops_per_s = Some(10.5 * f64::from(threads));
            }
        }
    }
    made
}

#[test]
fn the_reported_machine() {
    compare("reported.md", &report(&Synthetic::reported(), Format::Markdown));
    compare("reported.txt", &report(&Synthetic::reported(), Format::Mail));
}

#[test]
fn a_machine_that_cannot_show_the_race() {
    compare("small-machine.md", &report(&small_machine(), Format::Markdown));
}

/// Names as long as users make them, in wide characters too, and every factor in use.
fn hostile() -> Synthetic {
    let mut made = Synthetic::new(192);
    let path = "a/very/long/path/".repeat(12);
    made.manifest.command_line =
        vec!["experiments".into(), "run".into(), path.clone(), "--label".into(), "机=".repeat(60)];
    made.manifest.definition["title"] = serde_json::json!("机器与内核".repeat(20));
    made.manifest.source.from = path;
    made.manifest.disturbances.push("x".repeat(300));
    for (at, machine) in ["机器".repeat(40), "machine-".repeat(20), "b".into()].iter().enumerate()
    {
        for trial in 0..8 {
            for hash in ["auto", "slots:512"] {
                let row = made.trial(96, hash);
                row.workload = model::workload::Workload::Mutex;
                row.locks = (32 + at).to_string().parse().ok();
                row.unlock = Some(model::workload::mutex::Unlock::StoreWake);
                row.messengers = (4 + at).to_string().parse().ok();
                row.ramp = format!("grow:{}@1s", 8 + at).parse().unwrap();
                row.kernel = format!("7.3.{at}-a-kernel-with-a-long-suffix-{}", "y".repeat(50));
                row.labels = format!("machine={machine};patch={}{at}", "z".repeat(90));
                if hash == "auto" && trial < 4 {
                    row.mops_per_s = Some(1.0);
                    (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(1.0));
                }
            }
        }
    }
    made.failed(96, "auto", Status::Crashed, &"e".repeat(200));
    made
}

#[test]
fn a_mail_fits_78_columns_whatever_is_in_it() {
    use stallscope_report::document::plain_text::width;
    for made in [Synthetic::reported(), small_machine(), several_kernels(), hostile()] {
        let mail = report(&made, Format::Mail);
        for line in mail.lines() {
            assert!(width(line) <= 78, "{} columns: {line}", width(line));
        }
        assert!(
            mail.contains("Recovery\n--------") || made.rows.iter().all(|r| r.pivot_s.is_none())
        );
    }
}

#[test]
fn a_contrast_has_its_raw_and_its_adjusted_p_values() {
    let mail = report(&Synthetic::reported(), Format::Mail);
    assert!(mail.contains("p, Holm") && mail.contains("p, BH"), "{mail}");
    let words: Vec<&str> = mail.split_whitespace().collect();
    assert!(words.join(" ").contains("Adjusted over all 8 contrasts of `contrasts.csv`"), "{mail}");
    let mut one = Synthetic::new(96);
    one.trial(96, "auto").mops_per_s = Some(1.0);
    one.trial(96, "slots:512");
    let mail = report(&one, Format::Mail);
    assert!(mail.contains("nothing to adjust for") && !mail.contains("Holm"), "{mail}");
}

#[test]
fn checks_alone_are_a_report() {
    let mut made = Synthetic::new(2);
    made.manifest.executor = model::manifest::Origin::Imported;
    made.manifest.definition = serde_json::json!({"title": "futex selftests"});
    let (_folder, run) = made.written();
    let checks =
        "check,passed,failed\nfutex: futex_wait,3,0\nfutex: futex_requeue,2,1\nskipped,0,0\n";
    std::fs::write(run.join("checks.csv"), checks).unwrap();
    let analysis = analyze(&[run], &Options::default()).unwrap();
    assert!(AnyFigure::of(&analysis).is_empty());
    let mail = text(&analysis, Format::Mail).unwrap();
    assert!(mail.contains("1 of 2 checks failed: `futex: futex_requeue`."), "{mail}");
    assert!(mail.contains("  futex: futex_requeue       2       1  0.008 to 0.906\n"), "{mail}");
    assert!(mail.contains("skipped"), "{mail}");
    for absent in ["Cells", "--stall", "No trial", "seed"] {
        assert!(!mail.contains(absent), "{absent}: {mail}");
    }
}

#[test]
fn html_holds_its_figures_and_nothing_from_elsewhere() {
    let html = report(&Synthetic::reported(), Format::Html);
    assert_eq!(html.matches("<svg").count(), 6);
    assert!(!html.contains("src=") && !html.contains("<script"));
    assert!(html.contains("<code>auto</code> stalled from 48 threads on"));
}

#[test]
fn every_shape_of_data_is_drawn() {
    let mut nothing = Synthetic::new(96);
    nothing.manifest.planned = 10;
    let mut all_failed = Synthetic::new(96);
    all_failed.failed(96, "auto", Status::Crashed, "signal 9");
    let mut one = Synthetic::new(96);
    one.trial(96, "auto").mops_per_s = Some(0.0);
    one.trial(96, "slots:512");
    let mut huge = Synthetic::new(96);
    huge.trial(u32::MAX, "auto").mops_per_s = Some(1e300);
    huge.trial(1, "auto").mops_per_s = Some(1e-9);
    huge.trial(1, "slots:512").mops_per_s = Some(f64::MAX);
    for (made, figures) in [
        (nothing, 0),
        (all_failed, 0),
        (one, 5),
        (huge, 5),
        (several_kernels(), 6),
        (small_machine(), 2),
    ] {
        let analysis = analysed(&made);
        let drawn: Vec<_> = AnyFigure::of(&analysis).iter().map(|f| f.svg().unwrap()).collect();
        assert_eq!(drawn.len(), figures);
        for figure in drawn {
            assert!(!figure.svg.contains("NaN") && !figure.caption.is_empty());
        }
    }
}

/// Long trials at a sample every 100 ms: one that recovers, one that rises and falls back, the control.
fn long_trials() -> Synthetic {
    let mut made = Synthetic::new(192);
    for at in 0..6u32 {
        let row = made.trial(192, "auto");
        (row.duration_s, row.elapsed_s) = (Some(300.0), Some(300.0));
        (row.mops_per_s, row.pivot_s) = (Some(9.0 + f64::from(at)), Some(170.0));
        let (trial, long) = (row.trial, 1690 + 100 * at as usize);
        if at == 0 {
            let levels = [(3.4, 900), (9.0, 300), (3.4, 900), (31.0, 15), (3.4, 885)];
            made.timeline(trial, 0.1, &levels);
        } else {
            made.timeline(trial, 0.1, &[(9.0, 10), (3.4, long), (24.8, 1), (34.7, 2989 - long)]);
        }
        let control = made.trial(192, "slots:512");
        (control.duration_s, control.mops_per_s) = (Some(300.0), Some(40.0 + f64::from(at)));
    }
    made
}

#[test]
fn the_timeline_shows_a_recovery_a_rise_and_the_control() {
    let analysis = analysed(&long_trials());
    let figures = AnyFigure::of(&analysis);
    let drawn: Vec<_> = figures.iter().map(|figure| figure.svg().unwrap()).collect();
    let timeline = drawn.iter().find(|drawn| drawn.name == "timeline").unwrap();
    for said in
        ["trial 7: back at 200 to 200.1 s", "trial 1: not back by 300 s", "trial 2: the control"]
    {
        assert!(timeline.caption.contains(said), "{}", timeline.caption);
    }
    for label in ["change of level", "rise that was no recovery", "50 % of the control"] {
        assert!(timeline.svg.contains(label), "{label}");
    }
    assert!(drawn.iter().any(|drawn| drawn.name == "recovery-throughput"));
    // To be looked at.
    if let Some(folder) = std::env::var_os("FIGURES") {
        write(&analysis, Path::new(&folder)).unwrap();
    }
}

#[test]
fn throughputs_of_one_workload_have_one_scale() {
    let analysis = analysed(&several_kernels());
    let drawn: Vec<_> = AnyFigure::of(&analysis).iter().map(|f| f.svg().unwrap()).collect();
    let numbers = |name: &str| -> Vec<f64> {
        let figure = drawn.iter().find(|figure| figure.name == name).unwrap();
        figure.svg.lines().filter_map(|line| line.trim().parse().ok()).collect()
    };
    assert!(numbers("throughput-1").contains(&1000.0));
    assert_eq!(numbers("throughput-1"), numbers("throughput-2"));
    assert_eq!(numbers("throughput-1"), numbers("throughput-3"));
}

#[test]
fn a_threshold_beyond_the_thread_counts_has_an_arrow() {
    let threshold = |stalled_at: &dyn Fn(u32) -> u32| {
        let mut made = Synthetic::new(192);
        for (at, threads) in [16, 32, 48].into_iter().enumerate() {
            for trial in 0..20 {
                let row = made.trial(threads, "auto");
                if trial < stalled_at(at as u32) {
                    (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(1.0));
                    row.mops_per_s = Some(1.0);
                }
                made.trial(threads, "slots:512");
            }
        }
        let analysis = analysed(&made);
        let mut drawn = AnyFigure::of(&analysis).into_iter().map(|figure| figure.svg().unwrap());
        drawn.find(|figure| figure.name == "threshold").unwrap().svg
    };
    // A text is broken into lines; its words are what a reader sees.
    let words = |svg: String| svg.split_whitespace().collect::<Vec<_>>().join(" ");
    let seldom = words(threshold(&|at| [0, 2, 6][at as usize]));
    let edge = words(threshold(&|at| [0, 2, 11][at as usize]));
    let within = words(threshold(&|at| [0, 10, 20][at as usize]));
    assert!(seldom.contains("half above 48 threads") && !seldom.contains("an arrow:"));
    assert!(edge.contains("an arrow:") && !edge.contains("half above"));
    assert!(!within.contains("an arrow:"));
}

#[test]
fn what_is_written_is_told_and_a_bad_place_is_an_error() {
    let folder = tempfile::TempDir::new().unwrap();
    let analysis = analysed(&Synthetic::reported());
    let written = write(&analysis, &folder.path().join("new/report")).unwrap();
    let names: Vec<String> = written
        .iter()
        .map(|file| file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "report.md",
            "report.html",
            "stall-probability.svg",
            "threshold.svg",
            "throughput.svg",
            "timeline.svg",
            "recovery.svg",
            "recovery-throughput.svg",
            "stall-probability.png",
            "threshold.png",
            "throughput.png",
            "timeline.png",
            "recovery.png",
            "recovery-throughput.png"
        ]
    );
    let png = std::fs::read(&written[8]).unwrap();
    assert_eq!(&png[1..4], b"PNG");
    let occupied = folder.path().join("file");
    std::fs::write(&occupied, "").unwrap();
    let error = write(&analysis, Path::new(&occupied)).unwrap_err().to_string();
    assert!(error.contains("can't be written"), "{error}");
}
