//! kselftest's results: the Kernel Test Anything Protocol, version 1, and TAP 13 and 14
//! (Documentation/dev-tools/ktap.rst), nested by indentation or, as kselftest's runner does, by
//! leading `# `.
//!
//! | line | counts as |
//! | --- | --- |
//! | `ok 1 name`, `ok 1 name # TODO` | passed |
//! | `not ok 1 name`, also with `# TIMEOUT`, `# ERROR`, `# exit=1` | failed |
//! | `# SKIP`, with either | neither: it was not run |
//! | `not ok` with `# TODO`; `# XFAIL`, with either | neither: it failed as expected |
//! | `Bail out!` | failed |
//!
//! A test that holds others is not counted beside them ([`Depth::Leaves`]), unless it failed and none
//! of them did: it crashed, or ended with an error of its own. [`Depth::Programs`] counts the outermost
//! results only, as kselftest's summary does.

use std::sync::LazyLock;

use regex::Regex;

use crate::check::{Check, together};
use crate::imported::{Imported, Unread};
use crate::lines;

static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?<result>ok|not ok) (?<number>\d+)(?: (?<rest>.*))?$").expect("a pattern")
});
static PLAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^1\.\.(?<count>\d+)(?: # (?:SKIP|skip).*)?$").expect("a pattern")
});
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:K?TAP version \d+)$").expect("a pattern"));

/// Which results are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// The innermost.
    #[default]
    Leaves,
    /// The outermost.
    Programs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
    ExpectedFailure,
}

#[derive(Debug)]
struct Node {
    name: String,
    verdict: Verdict,
    children: Vec<Node>,
}

/// Results on their way up: of each depth, those that no result further out has taken yet.
#[derive(Debug, Default)]
struct Tree {
    levels: Vec<(usize, Vec<Node>)>,
    /// The number of tests planned at each depth that is open.
    planned: Vec<(usize, u64)>,
}

/// Reads a log of kselftest.
pub fn read(text: &str, depth: Depth) -> Imported {
    let mut imported = Imported::default();
    let mut tree = Tree::default();
    for (number, line) in lines::raw(text) {
        if line.trim().is_empty() {
            continue;
        }
        imported.lines += 1;
        let (level, marked, rest) = nesting(line);
        if let Some(found) = RESULT.captures(rest) {
            let (name, verdict) = result(&found);
            tree.result(level, name, verdict, &mut imported.notes);
        } else if let Some(found) = PLAN.captures(rest) {
            if let Ok(count) = found["count"].parse() {
                tree.planned.retain(|(at, _)| *at < level);
                tree.planned.push((level, count));
            }
        } else if let Some(reason) = rest.strip_prefix("Bail out!") {
            let name = format!("Bail out! {}", reason.trim()).trim().to_string();
            tree.add(level, Node { name, verdict: Verdict::Failed, children: Vec::new() });
        } else if !(marked || VERSION.is_match(rest) || rest.starts_with('#')) {
            imported.unread.push(Unread::new(number, line));
        }
    }
    let roots = tree.roots(&mut imported.notes);
    let mut counts = Counts::default();
    for node in &roots {
        collect(node, "", depth, &mut counts);
    }
    imported.checks = together(counts.checks);
    for (count, what) in [(counts.skipped, "skipped"), (counts.expected, "expected to fail")] {
        if count > 0 {
            let checks = if count == 1 { "check was" } else { "checks were" };
            imported.notes.push(format!("{count} {checks} {what}: neither passed nor failed"));
        }
    }
    imported
}

/// The deepest nesting that is told apart; real logs have three or four.
const DEEPEST: usize = 64;

/// How deep a line is, whether by `#` marks, and what stands there.
fn nesting(line: &str) -> (usize, bool, &str) {
    let mut level = 0;
    let mut rest = line;
    let mut marked = false;
    loop {
        if let Some(inner) = rest.strip_prefix("# ") {
            rest = inner;
            marked = true;
        } else if let Some(inner) = rest.strip_prefix("  ").or_else(|| rest.strip_prefix('\t')) {
            rest = inner;
        } else {
            return (level, marked, rest.trim());
        }
        level = DEEPEST.min(level + 1);
    }
}

fn result(found: &regex::Captures<'_>) -> (String, Verdict) {
    let passed = &found["result"] == "ok";
    let rest = found.name("rest").map_or("", |m| m.as_str());
    let (description, directive) = match rest.split_once("# ") {
        Some((description, directive)) => (description, directive.trim()),
        None => (rest, ""),
    };
    let (word, reason) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
    let verdict = match (word.to_ascii_uppercase().as_str(), passed) {
        ("SKIP", _) => Verdict::Skipped,
        ("XFAIL", _) | ("TODO", false) => Verdict::ExpectedFailure,
        (_, true) => Verdict::Passed,
        (_, false) => Verdict::Failed,
    };
    let mut name = description.trim().trim_start_matches("- ").trim_start_matches("selftests: ");
    if name.is_empty() {
        // kselftest.h prints the name behind the directive.
        name = reason.trim();
    }
    let name = match name {
        "" => format!("test {}", &found["number"]),
        name => name.to_string(),
    };
    (name, verdict)
}

impl Tree {
    fn add(&mut self, level: usize, node: Node) {
        match self.levels.iter_mut().find(|(at, _)| *at == level) {
            Some((_, nodes)) => nodes.push(node),
            None => self.levels.push((level, vec![node])),
        }
    }

    fn take_below(&mut self, level: usize) -> Vec<Node> {
        self.levels.sort_by_key(|(at, _)| *at);
        let from = self.levels.partition_point(|(at, _)| *at <= level);
        self.levels.split_off(from).into_iter().flat_map(|(_, nodes)| nodes).collect()
    }

    fn result(&mut self, level: usize, name: String, verdict: Verdict, notes: &mut Vec<String>) {
        let children = self.take_below(level);
        let planned = self.planned.iter().position(|(at, _)| *at > level);
        if let Some((_, count)) = planned.map(|at| self.planned.remove(at)) {
            missing(&name, count, children.len(), notes);
        }
        self.planned.retain(|(at, _)| *at <= level);
        self.add(level, Node { name, verdict, children });
    }

    fn roots(mut self, notes: &mut Vec<String>) -> Vec<Node> {
        self.levels.sort_by_key(|(at, _)| *at);
        let mut levels = self.levels.into_iter();
        let mut roots = levels.next().map(|(_, nodes)| nodes).unwrap_or_default();
        let orphans: Vec<Node> = levels.flat_map(|(_, nodes)| nodes).collect();
        if !orphans.is_empty() {
            notes.push(format!(
                "{} results at the end belong to a test without a result of its own: the log may have been cut",
                orphans.len()
            ));
        }
        if let Some((_, count)) = self.planned.first() {
            missing("the log", *count, roots.len(), notes);
        }
        roots.extend(orphans);
        roots
    }
}

/// A log may be joined from several, so more results than the last plan are nothing to remark.
fn missing(name: &str, planned: u64, seen: usize, notes: &mut Vec<String>) {
    if (seen as u64) < planned {
        notes.push(format!("{name}: {planned} planned, {seen} have a result"));
    }
}

#[derive(Default)]
struct Counts {
    checks: Vec<Check>,
    skipped: u64,
    expected: u64,
}

fn collect(node: &Node, path: &str, depth: Depth, counts: &mut Counts) {
    let name = if path.is_empty() { node.name.clone() } else { format!("{path} / {}", node.name) };
    if depth == Depth::Leaves && !node.children.is_empty() {
        for child in &node.children {
            collect(child, &name, depth, counts);
        }
        if node.verdict != Verdict::Failed || node.children.iter().any(any_failed) {
            return;
        }
    }
    counts.skipped += u64::from(node.verdict == Verdict::Skipped);
    counts.expected += u64::from(node.verdict == Verdict::ExpectedFailure);
    counts.checks.push(Check {
        name,
        passed: u64::from(node.verdict == Verdict::Passed),
        failed: u64::from(node.verdict == Verdict::Failed),
    });
}

fn any_failed(node: &Node) -> bool {
    node.verdict == Verdict::Failed || node.children.iter().any(any_failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KSELFTEST: &str = "\
TAP version 13
1..3
# timeout set to 180
# selftests: futex: futex_requeue
# TAP version 13
# 1..2
# # Starting 2 tests from 1 test cases.
# #  RUN           global.requeue_single ...
# ok 1 global.requeue_single
# # futex_requeue.c:92:requeue_multiple:Expected 10 (10) == res (0)
# not ok 2 global.requeue_multiple
# # Totals: pass:1 fail:1 xfail:0 xpass:0 skip:0 error:0
not ok 1 selftests: futex: futex_requeue # exit=1
# selftests: futex: futex_wait
# TAP version 13
# 1..3
# ok 1 futex_wake private
# ok 2 # SKIP no hugetlbfs
# ok 3 # XFAIL shared file
ok 2 selftests: futex: futex_wait
# selftests: futex: futex_numa
#
not ok 3 selftests: futex: futex_numa # TIMEOUT 180 seconds
";

    fn counts(imported: &Imported) -> Vec<(&str, u64, u64)> {
        imported.checks.iter().map(|c| (c.name.as_str(), c.passed, c.failed)).collect()
    }

    #[test]
    fn leaves_and_programs_of_kselftest() {
        let leaves = read(KSELFTEST, Depth::Leaves);
        assert_eq!(
            counts(&leaves),
            [
                ("futex: futex_requeue / global.requeue_single", 1, 0),
                ("futex: futex_requeue / global.requeue_multiple", 0, 1),
                ("futex: futex_wait / futex_wake private", 1, 0),
                ("futex: futex_wait / no hugetlbfs", 0, 0),
                ("futex: futex_wait / shared file", 0, 0),
                ("futex: futex_numa", 0, 1),
            ]
        );
        assert_eq!(leaves.unread, []);
        assert_eq!(leaves.notes.len(), 2, "{:?}", leaves.notes);
        let programs = read(KSELFTEST, Depth::Programs);
        assert_eq!(
            counts(&programs),
            [
                ("futex: futex_requeue", 0, 1),
                ("futex: futex_wait", 1, 0),
                ("futex: futex_numa", 0, 1)
            ]
        );
    }

    #[test]
    fn nested_by_indentation_as_the_specification_has_it() {
        let text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..3\n    KTAP version 1\n    1..1\n    # one: sets up\n    ok 1 one\n  ok 1 wait\n    KTAP version 1\n    1..2\n    ok 1 one # SKIP no memory\n    ok 2 two\n  ok 2 wake\n    KTAP version 1\n    1..3\n    ok 1 one\n    # two: FAIL\n    not ok 2 two\n    ok 3 three # SKIP no time\n  not ok 3 requeue\nnot ok 1 futex\n";
        let imported = read(&text.replace('\n', "\r\n"), Depth::Leaves);
        assert_eq!(
            counts(&imported),
            [
                ("futex / wait / one", 1, 0),
                ("futex / wake / one", 0, 0),
                ("futex / wake / two", 1, 0),
                ("futex / requeue / one", 1, 0),
                ("futex / requeue / two", 0, 1),
                ("futex / requeue / three", 0, 0),
            ]
        );
        assert_eq!(counts(&read(text, Depth::Programs)), [("futex", 0, 1)]);
    }

    #[test]
    fn a_test_that_dies_after_its_parts_passed_has_failed() {
        let text = "1..1\n# 1..2\n# ok 1 a\n# ok 2 b\nnot ok 1 selftests: futex: x # exit=139\n";
        assert_eq!(
            counts(&read(text, Depth::Leaves)),
            [("futex: x / a", 1, 0), ("futex: x / b", 1, 0), ("futex: x", 0, 1)]
        );
    }

    #[test]
    fn directives_repetitions_and_bailing_out() {
        let text = "ok 1 - a\nok 1 - a\nnot ok 1 - a # TODO known\nok 2 b # rcode=0\nok 3\nBail out! no memory\n";
        assert_eq!(
            counts(&read(text, Depth::Leaves)),
            [("a", 2, 0), ("b", 1, 0), ("test 3", 1, 0), ("Bail out! no memory", 0, 1)]
        );
    }

    #[test]
    fn what_is_cut_or_foreign_is_said() {
        let cut = read(KSELFTEST.split_once("# # Totals").unwrap().0, Depth::Leaves);
        assert_eq!(counts(&cut).len(), 2);
        assert!(cut.notes.is_empty() || cut.notes[0].contains("2"), "{:?}", cut.notes);
        let cut =
            read(KSELFTEST.split_once("# selftests: futex: futex_numa").unwrap().0, Depth::Leaves);
        assert!(
            cut.notes.iter().any(|n| n.contains("3 planned, 2 have a result")),
            "{:?}",
            cut.notes
        );
        let lines = ["ok", "ok one", "not ok2", "okay 3 x", "[   1.0] ok 1 x", "\u{0}\u{feff}"];
        let imported = read(&lines.join("\n"), Depth::Leaves);
        assert_eq!((imported.checks.len(), imported.unread.len()), (0, lines.len()));
        let huge = "9".repeat(400);
        let imported = read(&format!("1..{huge}\nok {huge} x\n"), Depth::Leaves);
        assert_eq!(counts(&imported), [("x", 1, 0)]);
        let deep = format!("{}ok 1 x\nok 1 y\n", "# ".repeat(100_000));
        assert_eq!(read(&deep, Depth::Leaves).checks.len(), 1);
    }
}
