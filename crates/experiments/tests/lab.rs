//! Real stock kernels in real guests of 8 CPUs. Needs QEMU, and once the Debian archive: what was
//! fetched is kept in the user's cache.

mod driven;

use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use driven::{Row, User};
use libtest_mimic::{Arguments, Trial};

/// The newest of it that the archive holds has the private hash.
const KERNEL: &str = "debian:7";

/// One guest at a time: two would share the two CPUs of a small machine.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the kernel can't be had, the tests that boot it are reported as ignored; in CI it must be.
fn main() {
    let fetched = User::new().experiments(&format!("kernel fetch {KERNEL}"));
    let is_here = fetched.status == Some(0);
    if !is_here {
        let sentence = format!("{KERNEL} can't be had, so no guest is booted: {}", fetched.err);
        assert!(std::env::var_os("CI").is_none(), "{sentence}");
        eprintln!("{sentence}");
    }
    let booting: [(&str, fn()); 4] = [
        (
            "a_stock_kernel_does_trials_and_its_hash_follows_the_kernels_rule",
            a_stock_kernel_does_trials_and_its_hash_follows_the_kernels_rule,
        ),
        (
            "a_guest_that_dies_costs_its_trial_and_the_run_goes_on",
            a_guest_that_dies_costs_its_trial_and_the_run_goes_on,
        ),
        (
            "no_guest_outlives_a_killed_runner_and_the_run_can_be_resumed",
            no_guest_outlives_a_killed_runner_and_the_run_can_be_resumed,
        ),
        (
            "a_runner_killed_while_its_guest_boots_leaves_nothing_behind",
            a_runner_killed_while_its_guest_boots_leaves_nothing_behind,
        ),
    ];
    let mut tests: Vec<Trial> = booting
        .into_iter()
        .map(|(name, test)| test_of(name, test).with_ignored_flag(!is_here))
        .collect();
    tests.push(test_of(
        "a_guest_that_cannot_be_is_refused_before_anything_is_made",
        a_guest_that_cannot_be_is_refused_before_anything_is_made,
    ));
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

fn test_of(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

const DEFINITION: &str = r#"
title = "End to end"
trials = 2
duration = "1s"
sample = "10ms"

[factors]
workload = "wake-storm"
threads = [4, 8]
ramp = ["burst", "grow:2@200ms"]
hash = ["auto", "slots:512"]

[control]
hash = "slots:512"

[outcome]
stall = "pivot:500ms"
"#;

fn a_stock_kernel_does_trials_and_its_hash_follows_the_kernels_rule() {
    let _alone = alone();
    let user = User::new();
    user.write("lab.toml", DEFINITION);
    user.experiments(&format!(
        "run lab.toml --kernel {KERNEL} --cpus 8 --nodes 2 --out R --no-report"
    ))
    .ok();
    let rows = user.rows("R/trials.csv");
    assert_eq!(rows.len(), 16);
    for row in &rows {
        assert_eq!((row["status"].as_str(), row["error"].as_str()), ("ok", ""), "{row:?}");
        assert_eq!((row["cpus"].as_str(), row["nodes"].as_str()), ("8", "2"), "{row:?}");
        assert!(row["kernel"].starts_with(KERNEL), "{row:?}");
        assert_eq!(row["boot"], rows[0]["boot"], "one boot does");
        assert!(row["ops"].parse::<u64>().unwrap() > 0, "{row:?}");
        follows_the_rule(row);
    }
    let sampled: Vec<_> =
        user.rows("R/timeline.csv").into_iter().map(|row| row.0[0].1.clone()).collect();
    assert!(rows.iter().all(|row| sampled.contains(&row["trial"])), "every trial has a timeline");
    let manifest = user.read("R/manifest.json");
    assert!(manifest.contains("\"accelerator\": \"tcg\"") || manifest.contains("\"kvm\""));
    let console = user.read("R/console.log");
    for row in &rows {
        for what in ["begins", "ended"] {
            assert!(console.contains(&format!("stallscope: trial {} {what}", row["trial"])));
        }
    }
}

/// kernel/futex/core.c: 4 × min(threads, CPUs), the next power of two, at least 16.
#[track_caller]
fn follows_the_rule(row: &Row) {
    let expected = if row["threads"] == "4" { "16" } else { "32" };
    assert_eq!(row["slots_expected"], expected, "{row:?}");
    match (row["hash"].as_str(), row["threads"].as_str(), row["pivot"].as_str()) {
        ("slots:512", _, pivot) => {
            assert_eq!((row["slots_loaded"].as_str(), pivot), ("512", "none"), "{row:?}");
        }
        ("auto", "4", pivot) => {
            assert_eq!((row["slots_loaded"].as_str(), pivot), ("16", "none"), "{row:?}");
        }
        ("auto", "8", "settled") => assert_eq!(row["slots_loaded"], "32", "{row:?}"),
        ("auto", "8", "pending") => assert_eq!(row["slots_loaded"], "16", "{row:?}"),
        _ => panic!("{row:?}"),
    }
}

const LONG: &str = "\
    trials = 3\nduration = \"3s\"\n[factors]\nworkload = \"wake-storm\"\nthreads = [8]\nhash = [\"auto\"]\n\
    [outcome]\nstall = \"pivot:1s\"\n";

/// Waits until a trial runs in a guest, and gives QEMU's process, a child of this runner.
fn guest_in_a_trial(user: &User, runner: &mut Child) -> u32 {
    let until = Instant::now() + Duration::from_secs(400);
    loop {
        assert!(Instant::now() < until, "no trial has begun");
        if let Some(status) = runner.try_wait().unwrap() {
            panic!("it ended with {status} before a trial began");
        }
        let console = std::fs::read_to_string(user.path("R/console.log")).unwrap_or_default();
        let below = kernel_abi::process_tree::descendants(runner.id()).unwrap();
        if console.contains(" begins")
            && let Some(qemu) = below.first()
        {
            std::thread::sleep(Duration::from_millis(500));
            return qemu.pid;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A run of [`LONG`] with a trial at work in a guest, and nobody else's guest beside it.
struct InATrial {
    user: User,
    runner: Child,
    qemu: u32,
    _alone: MutexGuard<'static, ()>,
}

fn in_a_trial() -> InATrial {
    let alone = alone();
    let user = User::new();
    user.write("long.toml", LONG);
    let mut runner =
        user.start(&format!("run long.toml --kernel {KERNEL} --cpus 8 --out R --no-report"));
    let qemu = guest_in_a_trial(&user, &mut runner);
    InATrial { user, runner, qemu, _alone: alone }
}

fn a_guest_that_dies_costs_its_trial_and_the_run_goes_on() {
    let InATrial { user, runner, qemu, _alone } = in_a_trial();
    kernel_abi::process::kill(qemu).unwrap();
    let ended = driven::Ended::from(runner.wait_with_output().unwrap());
    ended.ok();
    let rows = user.rows("R/trials.csv");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0]["status"], "crashed");
    assert!(rows[0]["error"].contains("SIGKILL"), "{}", rows[0]["error"]);
    for row in &rows[1..] {
        assert_eq!(row["status"], "ok", "{row:?}");
        assert_ne!(row["boot"], rows[0]["boot"], "{row:?}");
    }
}

fn no_guest_outlives_a_killed_runner_and_the_run_can_be_resumed() {
    let InATrial { user, mut runner, qemu, _alone } = in_a_trial();
    runner.kill().unwrap();
    runner.wait().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while std::path::Path::new(&format!("/proc/{qemu}")).exists() {
        assert!(Instant::now() < until, "QEMU {qemu} still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    let before = user.rows("R/trials.csv").len();
    user.experiments("resume R --no-report").ok();
    let rows = user.rows("R/trials.csv");
    assert!(before < 3);
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["status"] == "ok"), "{rows:?}");
}

fn a_runner_killed_while_its_guest_boots_leaves_nothing_behind() {
    let _alone = alone();
    let user = User::new();
    user.write("long.toml", LONG);
    let temporary = user.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut runner = user
        .command(&format!("run long.toml --kernel {KERNEL} --cpus 8 --out R --no-report"))
        .env("TMPDIR", &temporary)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let qemu = loop {
        // QEMU was asked for its version before; once there is a console it boots a guest.
        let boots = user.path("R/console.log").exists();
        let below = kernel_abi::process_tree::descendants(runner.id()).unwrap();
        if let Some(qemu) = below.first().filter(|_| boots) {
            break qemu.pid;
        }
        assert!(Instant::now() < until, "no guest was started");
        std::thread::sleep(Duration::from_millis(2));
    };
    runner.kill().unwrap();
    runner.wait().unwrap();
    while std::path::Path::new(&format!("/proc/{qemu}")).exists() {
        assert!(Instant::now() < until, "QEMU {qemu} still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    assert!(!user.read("R/console.log").contains("ready after"), "it was killed too late");
}

fn a_guest_that_cannot_be_is_refused_before_anything_is_made() {
    let user = User::new();
    user.write("long.toml", LONG);
    let image = std::env::current_exe().unwrap();
    let image = image.display();
    for (args, parts) in [
        ("--kernel long.toml --cpus 8", ["long.toml", "no x86-64 kernel"]),
        ("--kernel nonesuch", ["nonesuch", "kernel list"]),
        ("--kernel debian:latest", ["debian:latest", "6.17"]),
        ("--kernel debian:7 --cpus 0", ["--cpus 0", "1 to 255"]),
        ("--kernel debian:7 --cpus 300", ["--cpus 300", "1 to 255"]),
        ("--kernel debian:7 --cpus 8 --nodes 3", ["--nodes 3", "1, 2, 4, 8"]),
        (&format!("--kernel {image}"), ["PVH", "accepted are"]),
    ] {
        user.experiments(&format!("run long.toml {args} --out R")).refused(&parts);
        assert!(!user.path("R").exists(), "{args}");
    }
    let mut command = user.command("run long.toml --kernel debian:7 --out R");
    let ended = driven::Ended::from(command.env("PATH", "/nowhere").output().unwrap());
    assert_eq!(ended.status, Some(1), "{ended:?}");
    assert!(ended.err.contains("apt-get install qemu-system-x86"), "{ended:?}");
}
