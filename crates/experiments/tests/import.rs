//! `import`, driven: outside measurements to a run that the rest of the suite reads.

mod driven;

use std::fs;
use std::process::Stdio;

use driven::User;

const REPRO: &str = "\
$ numactl --membind=0,1,2 taskset -c 0-95 ./futex_hash_repro 96 5 0
threads=96 slots(start=0 set=0 end=512) 5.01s   13.0 Mops/s
# pre-sized
$ numactl --membind=0,1,2 taskset -c 0-95 ./futex_hash_repro 96 5 512
threads=96 slots(start=0 set=512 end=512) 5.00s 1049.0 Mops/s
";

const MAP: &str = r#"
[columns]
threads = "T"
hash = { column = "mode", values = { auto = "auto", presized = "slots:512" } }
mops_per_s = "rate"
[constants]
workload = "wake-storm"
[notes]
approximate = { column = "about" }
[outcome]
stall = "absolute:100"
"#;

#[test]
fn a_log_becomes_a_run() {
    let user = User::new();
    user.write("repro.log", REPRO);
    let ended = user.experiments(
        "import repro.log --kernel 6.17 --set cpus=192 --label machine=xeon --out runs/R",
    );
    assert!(ended.err.contains("not understood: repro.log line 3 \"# pre-sized\""), "{ended:?}");
    let out = ended.ok();
    assert!(out.contains("2 trials in 2 cells; 1 of 5 lines not understood"), "{out}");
    let rows = user.rows("runs/R/trials.csv");
    let [auto, presized] = &rows[..] else { panic!("{rows:?}") };
    for (column, expected) in [
        ("experiment", "repro"),
        ("workload", "wake-storm"),
        ("threads", "96"),
        ("ramp", "burst"),
        ("hash", "auto"),
        ("placement", "cpus:0-95"),
        ("memory", "bind:0,1,2"),
        ("kernel", "6.17"),
        ("cpus", "192"),
        ("labels", "machine=xeon"),
        ("elapsed_s", "5.01"),
        ("mops_per_s", "13"),
        ("slots_set", "0"),
        ("slots_end", "512"),
        ("status", "ok"),
        // What the source doesn't say.
        ("seed", ""),
        ("started_at", ""),
        ("ops", ""),
        ("slots_loaded", ""),
        ("pivot", ""),
        ("splats", ""),
    ] {
        assert_eq!(auto[column], expected, "{column}");
    }
    assert_eq!([&presized["hash"], &presized["cell"]], ["slots:512", "2"]);
    assert_eq!(user.rows("runs/R/plan.csv").len(), 2);
    assert_eq!(user.rows("runs/R/timeline.csv").len(), 0);
    let manifest: serde_json::Value =
        serde_json::from_str(&user.read("runs/R/manifest.json")).expect("JSON");
    assert_eq!(manifest["executor"], "imported");
    assert_eq!(manifest["source"]["text"], REPRO);
    assert_eq!(manifest["definition"]["import"]["not_understood"][0]["line"], 3);
    assert_eq!(manifest["machine"]["cpus_online"], 192);
    let report = user.experiments("report runs/R --format md --stall absolute:100").ok();
    assert!(
        report.contains("1 of 5 lines") && report.contains("stalled in the only trial"),
        "{report}"
    );
}

#[test]
fn a_csv_with_a_mapping_and_checks_beside_it() {
    let user = User::new();
    user.write("runs.csv", "T,mode,rate,about\n96,auto,6.5,\n96,presized,1128,yes\n");
    user.write("runs.toml", MAP);
    user.write("self.tap", "TAP version 13\n1..2\n# 1..2\n# ok 1 a\n# not ok 2 b\nnot ok 1 selftests: futex: x # exit=1\nok 2 selftests: futex: y\n");
    user.write("more.csv", "check,passed,failed\nstress-ng futex,1,0\n");
    let out = user
        .experiments("import runs.csv --map runs.toml --checks self.tap --checks more.csv --out R")
        .ok();
    assert!(out.contains("2 trials in 2 cells, 4 checks"), "{out}");
    assert_eq!(
        user.read("R/checks.csv"),
        "check,passed,failed\nfutex: x / a,1,0\nfutex: x / b,0,1\nfutex: y,1,0\nstress-ng futex,1,0\n"
    );
    assert_eq!(user.read("R/notes.csv"), "trial,note,text\n2,approximate,yes\n");
    let manifest: serde_json::Value =
        serde_json::from_str(&user.read("R/manifest.json")).expect("JSON");
    assert_eq!(manifest["definition"]["outcome"]["stall"], "absolute:100");

    user.experiments("import self.tap --programs --name selftests --out C").ok();
    assert_eq!(user.read("C/checks.csv"), "check,passed,failed\nfutex: x,0,1\nfutex: y,1,0\n");
    let analysed = user.experiments("analyze C").ok();
    assert!(analysed.starts_with("1 of 2 checks failed: `futex: x`."), "{analysed}");
    assert!(user.read("C/analysis/checks.csv").contains("futex: x,0,1,1,0.025"));
    assert!(user.experiments("report C --format mail").ok().contains("exact 95 %"));
    user.experiments("resume C").refused(&["C was imported from self.tap", "experiments report C"]);
    assert_eq!(user.rows("C/trials.csv").len(), 0);
}

#[test]
fn standard_input_and_json() {
    let user = User::new();
    let mut child = user
        .command("import - --name x --set hash=auto --out R --json")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let text = "threads=8 slots(start=0 set=0 end=0) 1.00s 80.0 Mops/s\r\n";
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.as_bytes())
        .expect("written");
    let ended = child.wait_with_output().expect("waited");
    let told: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((&told["trials"], &told["format"]), (&1.into(), &"reproducer".into()));
}

#[test]
fn what_can_not_be_imported_leaves_nothing_behind() {
    let user = User::new();
    user.write("repro.log", REPRO);
    user.write("prose.txt", "Hello\nworld\n");
    user.write("open.log", "threads=8 slots(start=0 set=0 end=0) 1.00s 80.0 Mops/s\n");
    user.write("runs.csv", "T,mode,rate,about\n0,auto,6.5,\n");
    user.write("head.csv", "T,mode,rate,about\n");
    user.write("one.txt", "Hello\n");
    user.write("good.csv", "T,mode,rate,about\n8,auto,6.5,\n");
    user.write("runs.toml", MAP);
    user.write("rule.toml", &MAP.replace("absolute:100", "sometimes"));
    user.write("bad.toml", "[columns]\nthread = \"T\"\n");
    fs::write(user.path("bytes.bin"), [0xff, 0xfe, 0, 1, b'\n', 0xc3]).expect("written");
    for (args, parts) in [
        ("prose.txt", &["prose.txt", "nothing in its 2 lines", "line 1 \"Hello\"", "schbench"][..]),
        ("bytes.bin", &["nothing", "--map"]),
        ("none.log", &["none.log can't be read"]),
        ("open.log", &["open.log, line 1", "does not say hash", "--set hash=VALUE"]),
        ("repro.log --threads 8", &["line 2", "threads is 96", "set to 8"]),
        ("repro.log --set rate=8", &["no column \"rate\"", "threads"]),
        ("repro.log --set cpus", &["accepted is COLUMN=VALUE"]),
        ("repro.log --set cpus=", &["needs a value"]),
        ("repro.log --threads many", &["--threads", "\"many\""]),
        ("repro.log --label a", &["accepted is KEY=VALUE"]),
        ("repro.log --format ktap", &["repro.log", "nothing"]),
        ("repro.log --name ../x", &["no name for an experiment"]),
        (
            "good.csv --map rule.toml",
            &["rule.toml, line 11: outcome.stall", "\"sometimes\"", "pivot:1s"],
        ),
        ("repro.log --map runs.toml --format schbench", &["a mapping is for a CSV", "--map"]),
        ("runs.csv", &["runs.csv", "--map FILE.toml"]),
        ("head.csv --map runs.toml", &["head.csv: it has a header and no row"]),
        ("one.txt", &["nothing in its only line is understood"]),
        ("runs.csv --map runs.toml", &["runs.csv: line 2", "column \"T\"", "threads is \"0\""]),
        ("runs.csv --map bad.toml", &["bad.toml, line 2", "columns.thread"]),
        ("repro.log --checks prose.txt", &["prose.txt", "nothing"]),
    ] {
        user.experiments(&format!("import {args} --out R/S")).refused(parts);
        assert!(!user.path("R").exists(), "{args} left something behind");
    }
    let ended = user.experiments("import repro.log --format tap --out R");
    assert!(ended.status == Some(2) && ended.err.contains("perf-bench-futex"), "{ended:?}");

    user.experiments("import repro.log --out R").ok();
    let before = user.read("R/trials.csv");
    let taken = user.experiments("import repro.log --out R");
    assert!(!taken.err.contains("resume"), "{taken:?}");
    taken.refused(&["R", "holds another run"]);
    assert_eq!(user.read("R/trials.csv"), before);
}

#[test]
fn a_source_that_says_how_trials_ended_is_heard_and_one_that_does_not_is_not() {
    let user = User::new();
    user.write(
        "ended.toml",
        &MAP.replace("[constants]", "status = \"ended\"\nerror = \"why\"\n[constants]"),
    );
    let csv = |patch: &str, rows: &[(u32, f64, &str, &str)]| {
        let mut text = "T,mode,rate,about,ended,why\n".to_string();
        for (n, rate, ended, why) in rows {
            for at in 0..*n {
                let rate = if *rate > 0.0 {
                    (rate + f64::from(at) / 64.0).to_string()
                } else {
                    String::new()
                };
                text += &format!("96,auto,{rate},,{ended},{why}\n");
            }
        }
        user.write(&format!("{patch}.csv"), &text);
        user.experiments(&format!(
            "import {patch}.csv --map ended.toml --kernel 7.3 --label patch={patch} --out {patch}"
        ))
        .ok();
    };
    csv("stock", &[(60, 6.5, "ok", "")]);
    csv("fix", &[(60, 900.0, "ok", ""), (30, 0.0, "crashed", "signal 11")]);
    csv("mixed", &[(60, 901.0, "", ""), (2, 902.0, "ok", "")]);
    csv("silent", &[(60, 903.0, "", "")]);
    let status = |run: &str| {
        let text = user.read(&format!("{run}/manifest.json"));
        let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        manifest["definition"]["import"]["status"].clone()
    };
    assert_eq!(status("stock"), "all");
    assert_eq!(status("mixed")["not_of"].as_array().map(Vec::len), Some(60));
    assert!(status("silent").is_null());
    let gate = |test: &str| user.experiments(&format!("compare --base stock --test {test} --gate"));
    let crashed = gate("fix");
    assert_eq!(crashed.status, Some(10), "{crashed:?}");
    assert!(crashed.out.contains("Crashed: 30 of 90 trials of the test side"), "{}", crashed.out);
    let mixed = gate("mixed");
    assert_eq!(mixed.status, Some(11), "one stretch of time a side: {mixed:?}");
    assert!(mixed.out.contains("none seen in 2 of the 62 trials"), "{}", mixed.out);
    let silent = gate("silent");
    assert_eq!(silent.status, Some(11), "{silent:?}");
    assert!(silent.out.contains("Harm: not observed"), "{}", silent.out);
}

#[test]
fn checks_alone_are_heard_with_the_label_or_the_kernel_that_they_were_imported_with() {
    let user = User::new();
    user.write("good.tap", "1..3\nok 1 a\nok 2 b\nok 3 c\n");
    user.write("cut.tap", "1..3\nok 1 a\nok 2 b # SKIP\n");
    user.write("skip.tap", "TAP version 13\n1..0 # SKIP not root\n");
    user.write("runs.toml", MAP);
    for (patch, kernel, rate) in [("stock", "7.3.0", 6.5), ("fix", "7.3.1", 900.0)] {
        let row = |at: u32| format!("96,auto,{},\n", rate + f64::from(at) / 64.0);
        let rows: String = (0..60).map(row).collect();
        user.write(&format!("{patch}.csv"), &format!("T,mode,rate,about\n{rows}"));
        user.experiments(&format!(
            "import {patch}.csv --map runs.toml --kernel {kernel} --label patch={patch} --out {patch}"
        ))
        .ok();
    }
    user.experiments("import good.tap --kernel 7.3.0 --label patch=stock --out good").ok();
    let cut = user.experiments("import cut.tap --kernel 7.3.1 --label patch=fix --out cut");
    assert!(cut.err.contains("the log: 3 planned, 2 have a result"), "{cut:?}");
    user.experiments("import skip.tap --kernel 7.3.1 --out skip").ok();
    for args in [
        "--base stock good --test fix cut",
        "stock good fix cut --by patch --base stock --test fix",
        "stock good fix cut --by kernel --base 7.3.0 --test 7.3.1",
    ] {
        let ended = user.experiments(&format!("compare {args} --gate"));
        assert_eq!(ended.status, Some(11), "{args}: {ended:?}");
        let said: String = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("Checks `b` and `c` passed on the base side and have no"), "{said}");
    }
    assert_eq!(user.read("skip/checks.csv"), "check,passed,failed\nall tests,0,0\n");
}
