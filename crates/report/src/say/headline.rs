//! The answer in at most three sentences: what was found with its uncertainty, what it means, what to
//! do next. All else is in the report.

use analysis::Analysis;
use analysis::case::Occurrence;
use analysis::cells::Cell;
use analysis::finding::Finding;
use analysis::finding::stalls::Stalls;
use model::definition::variants::LABEL;
use stats::proportion::{Proportion, wilson};
use stats::words::{self, out_of};

use super::{by_factor, case, percent, recovery, slowdown, stalls, threads};
use crate::say::word::{HAD, HAD_NONE, HAS, HAVE};

/// Those sentences.
pub fn sentences(analysis: &Analysis) -> Vec<String> {
    let found = &analysis.findings;
    let of_case = found.iter().find_map(|finding| match finding {
        Finding::Case(it) => case::headline(it),
        _ => None,
    });
    let [answer, meaning, next] = match found.first() {
        None => return Vec::new(),
        Some(_) if any_stalls(found) => of_stalls(analysis),
        Some(Finding::ByFactor(it)) => {
            let [limit, _, next] = of_case.map_or_else(Default::default, three);
            [by_factor::headline(it), limit, next]
        }
        // A kernel on which the race does not exist is no answer where others could have had it.
        Some(Finding::Case(_)) if no_stall(found).is_some() && !nothing_can_stall(analysis) => {
            no_stall(found).map_or_else(Default::default, |it| of_no_stall(analysis, it))
        }
        Some(Finding::Case(_)) => {
            let [limit, mut meaning, next] = of_case.map_or_else(Default::default, three);
            if let Some(without) = found.iter().find(|finding| is_without_event(finding)) {
                meaning = super::finding(without);
            }
            [limit, meaning, next]
        }
        Some(Finding::NoStall(it)) => of_no_stall(analysis, it),
        Some(first) => {
            let second = found.get(1).filter(|_| found.len() > 1).map(super::finding);
            [super::finding(first), second.unwrap_or_default(), String::new()]
        }
    };
    // What is missing or failed comes before any other advice.
    let lacking = found.iter().skip(1).find_map(|finding| match finding {
        Finding::Failed(_) | Finding::Interrupted(_) => Some(super::finding(finding)),
        _ => None,
    });
    let next = lacking.filter(|lacking| *lacking != meaning).unwrap_or(next);
    [answer, meaning, next].into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

fn three(sentences: Vec<String>) -> [String; 3] {
    sentences.try_into().unwrap_or_default()
}

fn any_stalls(found: &[Finding]) -> bool {
    found.iter().any(|finding| matches!(finding, Finding::Stalls(_)))
}

fn no_stall(found: &[Finding]) -> Option<&Stalls> {
    found.iter().find_map(|finding| match finding {
        Finding::NoStall(it) => Some(it),
        _ => None,
    })
}

fn is_without_event(finding: &Finding) -> bool {
    matches!(finding, Finding::Case(it) if case::is_without_event(it))
}

/// By the series that stalled most.
fn of_stalls(analysis: &Analysis) -> [String; 3] {
    let found = &analysis.findings;
    let all = found.iter().filter_map(|finding| match finding {
        Finding::Stalls(it) => Some(it),
        _ => None,
    });
    let share = |it: &&Stalls| it.stalled() as f64 / it.observed() as f64;
    let Some(most) = all.max_by(|a, b| share(a).total_cmp(&share(b))) else {
        return Default::default();
    };
    let of_series = |finding: &&Finding| match finding {
        Finding::Slowdown(it) => it.series == most.series,
        Finding::TimeToRecovery(it) => it.series == most.series,
        Finding::Case(it) => case::explained_series(it) == Some(&most.series),
        _ => false,
    };
    let facts: Vec<&Finding> = found.iter().filter(of_series).collect();
    let by_time = analysis.stall.event_limit().is_some();
    let control = found.iter().find_map(|finding| match finding {
        Finding::ControlStalls(it) => Some(stalls::of_control(it)),
        _ => None,
    });
    let time = facts.iter().find_map(|finding| match finding {
        Finding::TimeToRecovery(it) if by_time => Some(recovery::headline(it)),
        _ => None,
    });
    let slow = facts.iter().find_map(|finding| match finding {
        Finding::Slowdown(it) => Some(slowdown::say(it)),
        _ => None,
    });
    let event = facts.iter().find_map(|finding| match finding {
        Finding::Case(it) => Some(case::say(it)),
        _ => None,
    });
    [of_most(most), control.or(time).or(slow).or(event).unwrap_or_default(), next_step(analysis)]
}

/// How a patch is tested: sides that were not measured in turns decide nothing.
fn next_step(analysis: &Analysis) -> String {
    let Some(run) = analysis.runs.first().filter(|run| !run.is_imported()) else {
        return String::new();
    };
    let of_program = |cell: &Cell| cell.factors.get("workload") == "command";
    if analysis.cells.first().is_some_and(of_program) {
        let mut shares: Vec<(f64, &str)> =
            analysis.cells.iter().filter_map(|cell| Some((share(cell)?, variant(cell)?))).collect();
        shares.sort_by(|a, b| b.0.total_cmp(&a.0));
        return match (shares.first(), shares.last()) {
            (Some((_, base)), Some((_, test))) if base != test => format!(
                "Hold two variants against each other: `experiments compare {} --by variants --base {base} \
                 --test {test}`.",
                run.name()
            ),
            _ => format!(
                "Test a fix in turns with the program: name both in `[variants]` of `{}`.",
                run.experiment
            ),
        };
    }
    // From the kernel that stalled most to the one that stalled least.
    let cells = analysis.cells.iter().filter(|cell| !cell.is_control);
    let mut shares: Vec<(f64, &str)> =
        cells.filter_map(|cell| Some((share(cell)?, cell.factors.kernel()))).collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    match (shares.first(), shares.last(), analysis.runs.len()) {
        (Some((_, base)), Some((_, test)), 1) if base != test => format!(
            "Hold two kernels against each other: `experiments compare {} --by kernel --base {base} --test \
             {test}`.",
            run.name()
        ),
        (Some((_, one)), ..) if !run.accelerators().is_empty() => format!(
            "Test a patch in turns with this kernel: `experiments run {} --kernel {one} --kernel PATCHED`.",
            run.experiment
        ),
        _ => format!(
            "Test a patch in turns with its base, in guests: `experiments run {} --kernel BASE --kernel \
             PATCHED`.",
            run.experiment
        ),
    }
}

/// The share of a cell's trials that were hit; `None` where none was judged.
fn share(cell: &Cell) -> Option<f64> {
    (cell.observed() > 0).then(|| cell.stalled() as f64 / cell.observed() as f64)
}

/// The variant of a cell, if its definition has any.
fn variant(cell: &Cell) -> Option<&str> {
    let labels = cell.factors.get("labels").split(';');
    labels.filter_map(|label| label.split_once('=')).find(|(key, _)| *key == LABEL).map(|it| it.1)
}

/// From where on the series stalled, and how often at its highest thread count that did.
fn of_most(it: &Stalls) -> String {
    let stalled = |at: &&analysis::finding::stalls::StallsAt| at.stalled > 0;
    let (Some(first), Some(last)) = (it.at.iter().find(stalled), it.at.iter().rev().find(stalled))
    else {
        return String::new();
    };
    let interval = Proportion::new(last.stalled, last.n).ok().map(|seen| wilson(seen, it.level));
    let interval = interval.and_then(|interval| interval.low.zip(interval.high));
    let sure = interval.map_or_else(String::new, |(low, high)| {
        format!(
            " ({} to {}, {} interval)",
            words::percent(low).trim_end_matches(" %"),
            words::percent(high),
            percent(it.level)
        )
    });
    let at_last = format!(
        "{} at {}{sure}",
        out_of(last.stalled, last.n, "trial", "trials"),
        threads(last.threads)
    );
    match it.at.len() {
        1 => format!("`{}` {HAD} in {at_last}.", it.series),
        _ => {
            // What stands before the first stall is no part of "from there on".
            let since = it.at.iter().filter(|at| at.threads >= first.threads);
            let (k, n) = since.fold((0, 0), |(k, n), at| (k + at.stalled, n + at.n));
            format!(
                "`{}` {HAD} from {} on: in {} there, and in {at_last}.",
                it.series,
                threads(first.threads),
                out_of(k, n, "trial", "trials"),
            )
        }
    }
}

fn of_no_stall(analysis: &Analysis, it: &Stalls) -> [String; 3] {
    let Some(last) = it.at.last() else { return Default::default() };
    let trials = match it.observed() {
        1 => "its only trial".to_string(),
        n => format!("{n} trials"),
    };
    let answer = format!(
        "`{}` {HAD_NONE} in {trials}: at {} at most {} of the trials {HAVE} ({} confidence).",
        it.series,
        threads(last.threads),
        stalls::bound(last.n, it.level),
        percent(it.level)
    );
    let next = match analysis.runs.first() {
        Some(run) if !run.is_imported() => format!(
            "More trials lower the bound: `experiments run {} --trials {}`.",
            run.experiment,
            (last.n * 4).max(24)
        ),
        _ => String::new(),
    };
    [answer, format!("This does not prove that it never {HAS}."), next]
}

/// Whether the case's event can't happen in any series, so that counts of stalls say nothing.
pub fn nothing_can_stall(analysis: &Analysis) -> bool {
    let asked = analysis.series.iter().filter(|series| series.occurrence != Occurrence::NotAsked);
    let mut cannot = asked
        .map(|series| matches!(series.occurrence, Occurrence::Impossible | Occurrence::Absent));
    let any = analysis.series.iter().any(|series| series.occurrence != Occurrence::NotAsked);
    any && cannot.all(|it| it)
}
