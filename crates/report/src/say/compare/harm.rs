//! Harm: what the test side breaks.

use analysis::compare::Comparison;
use analysis::compare::checks::Check;
use analysis::compare::harm::{Event, Harm};
use analysis::compare::harm_finding::HarmFinding;
use stats::Level;
use stats::words::{counted, list, p_is, percent};

use super::checks;

/// In a line.
pub fn line(comparison: &Comparison) -> String {
    let harm = &comparison.harm;
    let first = |head: &str, mut said: Vec<String>| {
        let more = match said.len() {
            0 | 1 => String::new(),
            n => format!(" ({} more)", n - 1),
        };
        format!(
            "{head} {}{more}",
            if said.is_empty() { String::new() } else { said.swap_remove(0) }
        )
    };
    match harm.finding {
        HarmFinding::Found => first("Harm found.", found(harm)),
        HarmFinding::Unclear => first("Harm is not excluded.", unclear(harm)),
        HarmFinding::NotObserved => {
            "Harm: not observed: neither the console, nor the trials' ends, nor checks.".to_string()
        }
        HarmFinding::NoneSeen => {
            let ran = harm.checks.iter().filter(|check| check.ran_on_test()).count() as u64;
            let looked_at = harm.trials.max(harm.watched);
            let trials = match looked_at < harm.compared {
                true => format!("{looked_at} of the {} trials", harm.compared),
                false => counted(looked_at, "trial", "trials"),
            };
            let checks = match ran {
                0 => String::new(),
                ran => format!(" and {}", counted(ran, "functional check", "functional checks")),
            };
            format!("Harm: none seen in {trials}{checks} of the test side.")
        }
    }
}

/// What was found, in sentences.
fn found(harm: &Harm) -> Vec<String> {
    let mut said = events(harm, HarmFinding::Found);
    said.extend(checks::regressed(&harm.checks));
    said
}

/// What failed or is missing and need not be the patch's doing, in sentences.
fn unclear(harm: &Harm) -> Vec<String> {
    let mut said = events(harm, HarmFinding::Unclear);
    said.extend(harm.outside.as_ref().map(|outside| {
        format!(
            "In cells that only the test side has, {} of {} failed or made the kernel complain{}: the \
             base side can't tell whether it does too.",
            outside.bad,
            counted(outside.trials, "trial", "trials"),
            such_as(outside.example.as_deref())
        )
    }));
    if !harm.cut_short.is_empty() {
        let missing = harm.cut_short.iter().fold(0u64, |sum, run| sum.saturating_add(run.missing));
        let names: Vec<String> = harm.cut_short.iter().map(|cut| cut.run.clone()).collect();
        said.push(format!(
            "{} planned on the test side {} no row ({}): a run that was stopped and one whose machine \
             died look alike. `experiments resume RUN` resumes a run.",
            counted(missing, "trial", "trials"),
            if missing == 1 { "has" } else { "have" },
            list(&names)
        ));
    }
    said.extend(checks::unclear(&harm.checks));
    let [base, test] = harm.checks_without_result;
    if test > base && !harm.checks.iter().any(Check::is_lost) {
        said.push(format!(
            "{} planned in the test side's logs {} no result in them; on the base side {base}.",
            counted(test, "check", "checks"),
            if test == 1 { "has" } else { "have" },
        ));
    }
    said.extend(harm.on_no_side.as_ref().map(|of| {
        format!(
            "Functional checks failed in {}, which belong to no one {}: its trials are of both sides, \
             or it has none and no label. Import each side's checks as a run with its label.",
            list(&of.runs),
            of.by
        )
    }));
    said
}

fn events(harm: &Harm, finding: HarmFinding) -> Vec<String> {
    harm.events.iter().filter(|event| event.finding == finding).map(event).collect()
}

fn such_as(example: Option<&str>) -> String {
    example.map_or_else(String::new, |example| format!(", such as {example:?}"))
}

fn event(event: &Event) -> String {
    let what = match event.what {
        "kernel complaint" => "The kernel complained in",
        "crashed" => "Crashed:",
        "timeout" => "Timed out:",
        _ => "Refused:",
    };
    let p = event.p_holm.map_or_else(String::new, |p| format!(" ({}, Holm)", p_is(p)));
    let [k, n] = event.test;
    let base = match event.base {
        [_, 0] => "and of the base side it is not known".to_string(),
        [k, n] => format!("{k} of {n} of the base side"),
    };
    format!(
        "{what} {k} of {} of the test side{}, {base}{p}.",
        counted(n, "trial", "trials"),
        such_as(event.example.as_deref())
    )
}

/// In sentences.
pub fn say(harm: &Harm, level: Level) -> String {
    match harm.finding {
        HarmFinding::Found => {
            let mut said = vec!["Harm found.".to_string()];
            said.extend(found(harm));
            said.extend(unclear(harm));
            said.join(" ")
        }
        HarmFinding::Unclear => format!("Harm is not excluded. {}", unclear(harm).join(" ")),
        HarmFinding::NotObserved => "Harm: not observed. The kernel's console was not watched, how the \
                                     trials of the test side ended is not recorded, and there are no \
                                     functional checks."
            .to_string(),
        HarmFinding::NoneSeen => {
            let parts = [of_ends(harm, level), of_the_console(harm), of_checks(harm)];
            format!("Harm: none seen{}", parts.join(" "))
        }
    }
}

fn of_ends(harm: &Harm, level: Level) -> String {
    if harm.trials == 0 {
        return ". How the trials ended is not recorded.".to_string();
    }
    let of = match harm.compared.saturating_sub(harm.trials) {
        0 => counted(harm.trials, "trial", "trials") + " of the test side",
        _ => format!(
            "{} of the {} of the test side, those whose end is recorded",
            harm.trials,
            counted(harm.compared, "trial", "trials")
        ),
    };
    match harm.trial_at_most {
        Some(bound) => format!(
            " in {of}: at most {} crash, time out or are refused, with {} confidence.",
            percent(bound),
            percent(level.get())
        ),
        None => {
            let seen = harm.events.iter().skip(1).filter(|event| event.test[0] > 0);
            let seen: Vec<String> = seen.map(event).collect();
            format!(" in {of} that the base side has less often. {}", seen.join(" "))
        }
    }
}

fn of_the_console(harm: &Harm) -> String {
    match (harm.watched, harm.complaint_at_most) {
        (0, _) => "The kernel's console was not watched.".to_string(),
        (watched, Some(bound)) => format!(
            "No kernel complaint in the {watched} whose console was watched (at most {}).",
            percent(bound)
        ),
        (_, None) => harm.events.first().map(event).unwrap_or_default(),
    }
}

fn of_checks(harm: &Harm) -> String {
    match harm.checks.iter().filter(|check| check.ran_on_test()).count() as u64 {
        0 => "There are no functional checks.".to_string(),
        ran => format!(
            "{} on the test side, none of which regressed.",
            counted(ran, "functional check", "functional checks")
        ),
    }
}
