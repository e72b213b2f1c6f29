//! What is known of one race only, behind [`Case`]: whether it can occur on a machine, what shows
//! it elsewhere, and what `doctor` says of it. A race that is only a definition needs none of this.

mod futex_hash;
mod futex_hash_here;

use analysis::case::CaseFinding;
use analysis::outcome::Reason;
use kernel_abi::kernel_config::KernelConfig;
use model::definition::Definition;
use model::factor::Span;
use model::outcome::StallRule;
use model::spec::TrialSpec;
use serde_json::{Map, Value};

/// Every case.
pub const CASES: [&dyn Case; 1] = [&futex_hash_here::FutexHash];

/// The case that a definition asks about, if any.
pub fn asked_by(definition: &Definition) -> Option<&'static dyn Case> {
    CASES.into_iter().find(|case| case.is_asked_by(definition))
}

/// The rule that replaces the definition's rule in an emulated guest, if a case knows a better one.
pub fn rule_in_guests(definition: &Definition) -> Option<StallRule> {
    CASES.into_iter().find_map(|case| case.rule_in_guests(definition))
}

/// One race.
pub trait Case: Sync {
    /// Whether the definition asks about this race and about nothing else.
    fn is_asked_by(&self, definition: &Definition) -> bool;
    /// Whether the race can occur on the running kernel with these CPUs online.
    fn here(&self, online: u32) -> Here;
    /// Whether a trial can show the race on a kernel that has it, with these CPUs online.
    fn can_show(&self, trial: &TrialSpec, online: u32) -> bool;
    /// The guest that shows the race on a machine that can't.
    fn guest(&self) -> Guest;
    /// The rule that judges trials in an emulated guest, where the definition's rule can't.
    fn rule_in_guests(&self, definition: &Definition) -> Option<StallRule>;
    /// What `doctor` reports.
    fn examine(&self, machine: &Examined<'_>) -> Examination;
}

/// Whether a race can occur on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Here {
    /// `None`: the machine doesn't tell.
    pub is_possible: Option<bool>,
    /// Why, as a clause that follows `because`.
    pub reason: String,
}

/// A guest of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guest {
    /// A kernel by the name that `--kernel` takes.
    pub kernel: &'static str,
    /// How many CPUs it has.
    pub cpus: u32,
}

/// The machine that `doctor` looks at.
pub struct Examined<'a> {
    /// The kernel's release.
    pub release: &'a str,
    /// The kernel's configuration, where it can be read.
    pub config: Option<&'a KernelConfig>,
    /// CPUs online.
    pub online: u32,
    /// CPUs that this process may use.
    pub allowed: u32,
    /// Whether this process is root's.
    pub is_root: bool,
}

/// What `doctor` reports of a case.
#[derive(Debug)]
pub struct Examination {
    /// For `doctor --json`.
    pub facts: Map<String, Value>,
    /// Whether the race can occur, and what shows it: the first section of the page.
    pub verdict: Section,
    /// The sections after the kernel's.
    pub details: Vec<Section>,
}

/// A part of `doctor`'s page.
#[derive(Debug)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// What stands below the heading.
    pub lines: Vec<Line>,
}

/// What stands below a heading.
#[derive(Debug)]
pub enum Line {
    /// A name and its value.
    Pair(&'static str, String),
    /// One of several.
    Item(String),
    /// A paragraph.
    Text(String),
}

/// A case's finding in words.
pub fn say(finding: &CaseFinding) -> String {
    match finding {
        CaseFinding::FutexHash(finding) => futex_hash::say(finding),
    }
}

/// The event of the case that is over, of a series, and what remains where it is not.
pub fn event_over(series: &str) -> (String, &'static str) {
    futex_hash::installed(series)
}

/// Why a trial has no outcome, where the event is the reason.
pub fn why_no_outcome(reason: Reason) -> Option<&'static str> {
    futex_hash::why_no_outcome(reason)
}

/// A rule that judges by the event's time, as the end of "a trial is stalled when …".
pub fn event_is_late(limit: Span) -> String {
    futex_hash::is_late(limit)
}

/// When the event is seen as over, and which trials have no outcome by a rule with this limit.
pub fn when_event_is_over(limit: Span) -> String {
    futex_hash::when_over(limit)
}

/// That the event is judged in guests as anywhere, and the rule that does so where this one does not.
pub fn event_in_guests(rule_is_by_throughput: bool) -> String {
    futex_hash::in_guests(rule_is_by_throughput)
}

/// Where the event's own time is recorded.
pub const EVENT_IN_ROWS: &str = futex_hash::IN_ROWS;

/// What is said of the event's time.
pub fn event() -> &'static EventWords {
    &futex_hash::EVENT
}

/// What tables and figures call the event's time.
pub struct EventWords {
    /// What an event is that is over.
    pub over: &'static str,
    /// What one is that is not.
    pub still: &'static str,
    /// The head of a figure of the time that it takes.
    pub title: &'static str,
    /// The axis of that time.
    pub clock: &'static str,
    /// From when to when the time is.
    pub from_to: &'static str,
    /// What a curve of it shows.
    pub shown: &'static str,
}

/// What a figure says in which nothing could stall.
pub fn nothing_can_stall() -> &'static str {
    futex_hash::NOTHING_CAN_STALL
}

/// Whether the finding is of a series in which the event was not due.
pub fn is_without_event(finding: &CaseFinding) -> bool {
    match finding {
        CaseFinding::FutexHash(finding) => futex_hash::is_without_event(finding),
    }
}

/// The series whose stalled trials the finding explains by the event, if it does.
pub fn explained_series(finding: &CaseFinding) -> Option<&str> {
    match finding {
        CaseFinding::FutexHash(finding) => futex_hash::explained_series(finding),
    }
}

/// At most three sentences that answer by the case: what was found, what it means, what to do next.
pub fn headline(finding: &CaseFinding) -> Option<Vec<String>> {
    match finding {
        CaseFinding::FutexHash(finding) => futex_hash::headline(finding),
    }
}
