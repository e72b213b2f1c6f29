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
//! | `Bail out!` | the test it stands in failed; a check of its own only where no failed result follows. It is no result of a plan |
//! | `1..0 # SKIP` | neither: all of it was not run |
//!
//! What a plan promises and no result follows of is counted: a test that was cut off leaves no line. Of
//! joined logs each has its plan, before its results or after them.
//!
//! A test that holds others is counted beside them ([`Depth::Leaves`]) unless it failed and one of them
//! did, whose failure it repeats: one that crashed after its parts passed is then told from the same test
//! where it passed. [`Depth::Programs`] counts the outermost
//! results only, as kselftest's summary does.

use std::collections::BTreeMap;

use model::rows::CheckRow;

use crate::check::together;
use crate::imported::{Imported, Unread, Unusable};
use crate::lines::{self, patterns};

patterns! {
    RESULT = r"^(?<result>ok|not ok) (?<number>\d+)(?: (?<rest>.*))?$";
    PLAN = r"^1\.\.(?<count>\d+)(?:\s+#\s*[Ss][Kk][Ii][Pp]\S*\s*(?<reason>.*))?$";
    /// A result behind text of another program (a time, a mark of a stream), or a failure without its
    /// number.
    HIDDEN = r"\b(?:not )?ok \d+(?:\s|$)|^not ok(?:\s|$)";
    /// A failure behind another program's mark, in a line that is a remark.
    HIDDEN_REMARK = r"^(?:\[[^\]]*\]|\S*[:|])\s*(?:# )*not ok \d+(?:\s|$)";
    VERSION = r"^(?:K?TAP version \d+)$";
}

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
    /// It is no result, but the line with which a test gave up.
    is_bail: bool,
}

impl Node {
    fn new(name: impl Into<String>, verdict: Verdict) -> Node {
        Node { name: name.into(), verdict, children: Vec::new(), is_bail: false }
    }
}

/// Results of one depth that no result further out has taken yet, and the plan that they are under.
#[derive(Debug, Default)]
struct Level {
    nodes: Vec<Node>,
    planned: Option<u64>,
    /// Results before the plan and after it.
    seen: [u64; 2],
}

impl Level {
    fn result(&mut self, node: Node) {
        if !node.is_bail {
            self.seen[usize::from(self.planned.is_some())] += 1;
        }
        self.nodes.push(node);
    }

    /// Ends the plan: how many were planned, and how many have a result. A plan stands before its results
    /// or after them; where there are some on both sides, those before it may be of a joined log without a
    /// plan.
    fn end_plan(&mut self) -> Option<(u64, u64)> {
        let [before, after] = std::mem::take(&mut self.seen);
        let planned = self.planned.take()?;
        let seen = match after {
            0 => before,
            after if before + after == planned => planned,
            after => after,
        };
        Some((planned, seen))
    }
}

/// Results on their way up, by depth.
#[derive(Debug, Default)]
struct Tree {
    levels: BTreeMap<usize, Level>,
    notes: Vec<String>,
    without_result: u64,
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
            tree.result(level, name, verdict);
        } else if let Some(found) = PLAN.captures(rest) {
            if let Ok(count) = found["count"].parse() {
                tree.plan(level, count, found.name("reason").map(|reason| reason.as_str()));
            }
        } else if let Some(reason) = rest.strip_prefix("Bail out!") {
            tree.bail(level, reason.trim());
        } else if VERSION.is_match(rest) {
            continue;
        } else {
            let is_remark = marked || rest.starts_with('#');
            // It may be a failure: what is not known of it must not read as none.
            let hidden = match is_remark {
                true => HIDDEN_REMARK.is_match(rest),
                false => HIDDEN.is_match(rest),
            };
            if is_remark && !hidden {
                continue;
            }
            tree.without_result += u64::from(hidden);
            imported.unread.push(match hidden {
                true => Unread::because(number, line, &Unusable::LooksLikeResult),
                false => Unread::new(number, line),
            });
        }
    }
    let roots = tree.roots();
    let mut counts = Counts::default();
    for node in &roots {
        collect(node, "", depth, &mut counts);
    }
    imported.notes = tree.notes;
    imported.checks_without_result = tree.without_result;
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

/// The name of a test that has no result of its own, and of what was skipped as a whole.
const THE_LOG: &str = "the log";
const ALL_TESTS: &str = "all tests";

impl Tree {
    fn result(&mut self, level: usize, name: String, verdict: Verdict) {
        let children = self.take_below(level, &name);
        let node = Node { children, ..Node::new(name, verdict) };
        self.levels.entry(level).or_default().result(node);
    }

    fn plan(&mut self, level: usize, count: u64, reason: Option<&str>) {
        let here = self.levels.entry(level).or_default();
        // A second plan is that of the next of several joined logs.
        let before = if here.planned.is_some() { here.end_plan() } else { None };
        here.planned = Some(count);
        if let Some(reason) = reason.filter(|_| count == 0) {
            self.notes.push(match reason {
                "" => "nothing was planned: all of it was skipped".to_string(),
                reason => format!("nothing was planned: all of it was skipped, {reason}"),
            });
        }
        self.hold(THE_LOG, before);
    }

    fn bail(&mut self, level: usize, reason: &str) {
        self.notes.push(match reason {
            "" => "a test bailed out".to_string(),
            reason => format!("a test bailed out: {reason}"),
        });
        let node = Node { is_bail: true, ..Node::new("Bail out!", Verdict::Failed) };
        self.levels.entry(level).or_default().result(node);
    }

    fn take_below(&mut self, level: usize, name: &str) -> Vec<Node> {
        let mut taken = Vec::new();
        for (_, mut below) in self.levels.split_off(&(level + 1)) {
            let plan = below.end_plan();
            self.hold(name, plan);
            taken.append(&mut below.nodes);
        }
        taken
    }

    /// What was planned against what has a result.
    fn hold(&mut self, name: &str, plan: Option<(u64, u64)>) {
        let Some((planned, seen)) = plan.filter(|(planned, seen)| planned != seen) else { return };
        self.without_result = self.without_result.saturating_add(planned.saturating_sub(seen));
        let (have, more) = match (seen, seen > planned) {
            (1, more) => ("has", more),
            (_, more) => ("have", more),
        };
        let more = if more { ": more than its plan says" } else { "" };
        self.notes.push(format!("{name}: {planned} planned, {seen} {have} a result{more}"));
    }

    fn roots(&mut self) -> Vec<Node> {
        let mut levels = std::mem::take(&mut self.levels).into_values();
        let mut roots = Vec::new();
        if let Some(mut outermost) = levels.next() {
            let all_skipped = outermost.nodes.is_empty() && outermost.planned == Some(0);
            let plan = outermost.end_plan();
            self.hold(THE_LOG, plan);
            roots = outermost.nodes;
            if all_skipped {
                roots.push(Node::new(ALL_TESTS, Verdict::Skipped));
            }
        }
        let mut orphans: Vec<Node> = Vec::new();
        for mut level in levels {
            let plan = level.end_plan();
            self.hold("a test without a result of its own", plan);
            orphans.append(&mut level.nodes);
        }
        if !orphans.is_empty() {
            let (results, belong) = match orphans.len() {
                1 => ("result", "belongs"),
                _ => ("results", "belong"),
            };
            self.notes.push(format!(
                "{} {results} at the end {belong} to a test without a result of its own: the log may \
                 have been cut",
                orphans.len()
            ));
        }
        roots.extend(orphans);
        roots
    }
}

#[derive(Default)]
struct Counts {
    checks: Vec<CheckRow>,
    skipped: u64,
    expected: u64,
}

fn collect(node: &Node, path: &str, depth: Depth, counts: &mut Counts) {
    let name = if path.is_empty() { node.name.clone() } else { format!("{path} / {}", node.name) };
    if depth == Depth::Leaves && !node.children.is_empty() {
        // A test that bailed out has failed by its own result, which is then the one that counts.
        let told = |child: &&Node| !(child.is_bail && node.verdict == Verdict::Failed);
        let mut failed = false;
        for child in node.children.iter().filter(told) {
            collect(child, &name, depth, counts);
            failed |= any_failed(child);
        }
        let its_own =
            matches!((node.verdict, failed), (Verdict::Passed, _) | (Verdict::Failed, false));
        if !its_own {
            return;
        }
    }
    counts.skipped += u64::from(node.verdict == Verdict::Skipped);
    counts.expected += u64::from(node.verdict == Verdict::ExpectedFailure);
    counts.checks.push(CheckRow {
        check: name,
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
        imported.checks.iter().map(|c| (c.check.as_str(), c.passed, c.failed)).collect()
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
                ("futex: futex_wait", 1, 0),
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
                ("futex / wait", 1, 0),
                ("futex / wake / one", 0, 0),
                ("futex / wake / two", 1, 0),
                ("futex / wake", 1, 0),
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
    fn a_test_that_holds_others_is_known_where_it_passes_and_where_it_fails() {
        let parent = |text: &str| {
            let found = read(text, Depth::Leaves);
            found
                .checks
                .into_iter()
                .find(|one| one.check == "futex: run.sh")
                .map(|c| (c.passed, c.failed))
        };
        assert_eq!(parent(include_str!("../tests/cases/ktap-parent-passes.tap")), Some((1, 0)));
        assert_eq!(parent(include_str!("../tests/cases/ktap-parent-fails.tap")), Some((0, 1)));
    }

    #[test]
    fn a_result_behind_other_text_is_a_check_without_a_result() {
        let found =
            read(include_str!("../tests/cases/ktap-then-prefixed-failures.log"), Depth::Leaves);
        let hidden = found.unread.iter().filter(|line| line.why.is_some()).count();
        assert_eq!((hidden, found.checks_without_result), (3, 3), "{:?}", found.unread);
        for (line, without) in [
            ("[   12.345678] # not ok 1 a", 1),
            ("[   12.345678] not ok 1", 1),
            ("Dec  1 12:00:01 box kernel: not ok 1 a", 1),
            ("kernel: ok 1 a", 1),
            ("<6>[    1.0] not ok 3 - x", 1),
            ("not ok", 1),
            ("not ok x", 1),
            ("# [   12.345678] not ok 1 a", 1),
            ("# kernel: not ok 1 a", 1),
            ("# it is not ok 1 time in 8", 0),
            ("# kernel: ok 1 a", 0),
            ("the book 7 is", 0),
            ("# # futex_wait: ok", 0),
        ] {
            let found = read(&format!("ok 1 first\n{line}\n"), Depth::Leaves);
            assert_eq!(found.checks_without_result, without, "{line}");
            assert_eq!(found.checks.len(), 1, "{line}");
        }
    }

    #[test]
    fn directives_repetitions_and_bailing_out() {
        let text = "ok 1 - a\nok 1 - a\nnot ok 1 - a # TODO known\nok 2 b # rcode=0\nok 3\nBail out! no memory\n";
        assert_eq!(
            counts(&read(text, Depth::Leaves)),
            [("a", 2, 0), ("b", 1, 0), ("test 3", 1, 0), ("Bail out!", 0, 1)]
        );
    }

    #[test]
    fn a_plan_is_held_against_the_results_before_or_after_it() {
        let of = |text: &str| {
            let found = read(text, Depth::Leaves);
            let notes: Vec<String> =
                found.notes.into_iter().filter(|note| note.contains("planned")).collect();
            (found.checks_without_result, notes.join("; "))
        };
        assert_eq!(of("1..2\nok 1 a\nok 2 b\n"), (0, String::new()));
        assert_eq!(of("ok 1 a\nok 2 b\n1..2\n"), (0, String::new()));
        assert_eq!(of("1..5\nok 1 a\nok 2 b\n").0, 3);
        assert_eq!(of("ok 1 a\n1..2\n"), (1, "the log: 2 planned, 1 has a result".into()));
        let more = of("1..2\nok 1 a\nok 2 b\nok 3 c\n");
        assert_eq!(
            more,
            (0, "the log: 2 planned, 3 have a result: more than its plan says".into())
        );
        // Joined logs: each by its own plan, and one without a plan before it.
        assert_eq!(of("1..2\nok 1 a\nok 2 b\n1..1\nok 1 c\n"), (0, String::new()));
        assert_eq!(of("1..2\nok 1 a\n1..1\nok 1 c\n").0, 1);
        assert_eq!(of("ok 1 a\n1..1\nok 1 c\n"), (0, String::new()));
        // Nested, with a result of the test they are in and cut off before it.
        assert_eq!(
            of("1..1\n    1..7\n    ok 1 a\n    ok 2 b\nok 1 x\n"),
            (5, "x: 7 planned, 2 have a result".into())
        );
        let cut = of("1..2\nok 1 x\n# 1..7\n# ok 1 a\n# ok 2 b\n");
        assert_eq!(cut.0, 6, "{}", cut.1);
        let alone = of("1..1\n# 1..7\nok 1 x\n");
        assert_eq!(alone, (7, "x: 7 planned, 0 have a result".into()));
    }

    #[test]
    fn bailing_out_is_the_failure_of_a_test_and_no_result_of_its_plan() {
        let found = read("1..3\nok 1 a\nBail out! no memory\n", Depth::Leaves);
        assert_eq!(counts(&found), [("a", 1, 0), ("Bail out!", 0, 1)]);
        assert_eq!(found.checks_without_result, 2);
        assert!(found.notes.iter().any(|note| note == "a test bailed out: no memory"));
        // kselftest's runner has a line for the test that gave up.
        let text = "1..1\n# 1..2\n# ok 1 a\n# Bail out! no memory\nnot ok 1 selftests: futex: x # exit=1\n";
        let nested = read(text, Depth::Leaves);
        assert_eq!(counts(&nested), [("futex: x / a", 1, 0), ("futex: x", 0, 1)]);
        assert_eq!(nested.checks_without_result, 1);
        // A test that bailed out and says it passed has not.
        let odd = read("1..1\n# Bail out!\nok 1 x\n", Depth::Leaves);
        assert_eq!(counts(&odd), [("x / Bail out!", 0, 1), ("x", 1, 0)]);
    }

    #[test]
    fn a_log_that_skips_all_is_understood() {
        for text in ["TAP version 13\n1..0 # SKIP not root\n", "1..0 # Skipped: no futex\n"] {
            let found = read(text, Depth::Leaves);
            assert_eq!(counts(&found), [("all tests", 0, 0)]);
            assert!(found.notes[0].starts_with("nothing was planned: all of it"), "{text}");
        }
        let nested = read("1..1\n# 1..0 # SKIP no\nok 1 selftests: x # SKIP\n", Depth::Leaves);
        assert_eq!(counts(&nested), [("x", 0, 0)]);
        assert!(read("1..3\n", Depth::Leaves).checks.is_empty());
    }

    #[test]
    fn what_is_cut_or_foreign_is_said() {
        let cut = read(KSELFTEST.split_once("# # Totals").unwrap().0, Depth::Leaves);
        assert_eq!(counts(&cut).len(), 2);
        assert_eq!(cut.checks_without_result, 3);
        assert!(
            cut.notes.iter().any(|n| n.starts_with("2 results at the end belong to a test")),
            "{:?}",
            cut.notes
        );
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
        assert_eq!(read(&deep, Depth::Leaves).checks.len(), 2);
    }
}
