//! Places that no result can be written to, command by command.

mod driven;

use driven::User;

/// A place for results that is none, and what the system says of it.
const PLACES: [(&str, &str); 4] = [
    ("file", "file"),
    ("file/below", "Not a directory"),
    ("/proc/results", "No such file"),
    ("/dev/null/results", "Not a directory"),
];

const LOG: &str = "\
threads=8 slots(start=0 set=0 end=32) 1.00s 80.1 Mops/s
threads=8 slots(start=0 set=512 end=512) 1.00s 81.2 Mops/s
";

/// A run to be analysed.
const IMPORT: &str = "import repro.log --kernel 6.17 --set cpus=8 --stall absolute:50 --out R";

#[test]
fn a_place_that_can_not_be_written_to_is_refused_by_every_command() {
    let user = User::new();
    user.write("file", "mine");
    user.write("repro.log", LOG);
    user.experiments(IMPORT).ok();
    // Another measurement: the same one twice would be refused as a copy.
    user.write("again.log", &LOG.replace("80.1", "80.2"));
    let again = IMPORT.replace("repro.log", "again.log").replace("--out R", "--out T");
    user.experiments(&again).ok();
    let before = listed(&user, "R");
    for (place, said) in PLACES {
        for command in [
            "run race-sweep --quick",
            "import repro.log",
            "analyze R",
            "analyze R --json",
            "report R",
            "compare --base R --test T",
        ] {
            let ended = user.experiments(&format!("{command} --out {place}"));
            ended.refused(&[place, said, "--out"]);
            assert_eq!(ended.err.lines().count(), 1, "{command} --out {place}: {}", ended.err);
        }
        user.experiments(&format!("man --dir {place}")).refused(&[place]);
    }
    assert_eq!(user.read("file"), "mine");
    assert_eq!(listed(&user, "R"), before);
    assert_eq!(listed(&user, "."), ["R", "T", "again.log", "file", "repro.log"]);
}

#[test]
fn a_report_s_file_that_is_a_folder_is_named() {
    let user = User::new();
    user.write("repro.log", LOG);
    user.experiments(IMPORT).ok();
    std::fs::create_dir_all(user.path("to/report.md")).unwrap();
    std::fs::create_dir_all(user.path("to/cells.csv")).unwrap();
    user.experiments("report R --out to").refused(&["to/report.md", "Is a directory"]);
    user.experiments("analyze R --out to").refused(&["to/cells.csv", "Is a directory"]);
}

fn listed(user: &User, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(user.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
