//! What a hit is called: a stall, a hang, a lost event. Sentences and figures hold these forms, which print in
//! the word of the data that is being told.
//!
//! The word is that of the thread: a report is written by one, from begin to end, and [`Told`] is its span.

use std::cell::RefCell;
use std::fmt;

use analysis::Analysis;
use analysis::compare::Comparison;
use model::outcome::{Condition, StallRule};

thread_local! {
    /// `None`: a stall.
    static WORD: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// While it lives, hits are called by its word.
#[must_use]
pub struct Told {
    before: Option<String>,
}

impl Told {
    fn with(word: Option<String>) -> Told {
        Told { before: WORD.with(|own| own.replace(word)) }
    }

    /// In the word of an analysis.
    pub fn of(analysis: &Analysis) -> Told {
        Told::with(word(analysis.called.as_deref(), &analysis.stall))
    }

    /// In the word of a comparison.
    pub fn of_comparison(comparison: &Comparison) -> Told {
        Told::with(word(comparison.called.as_deref(), &comparison.test.stall))
    }

    /// In the word of a definition: its own, or what its rule suggests.
    pub fn of_rule(called: Option<&str>, rule: &StallRule) -> Told {
        Told::with(word(called, rule))
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        WORD.with(|own| *own.borrow_mut() = self.before.take());
    }
}

/// What a hit is called; `None`: a stall.
fn word(called: Option<&str>, rule: &StallRule) -> Option<String> {
    let suggested = || match rule.conditions() {
        conditions if conditions.iter().all(is_a_stall) => None,
        [Condition::Exit { .. }] => Some("bad exit"),
        [Condition::Signal] => Some("crash"),
        [Condition::Hang { .. }] => Some("hang"),
        [Condition::Timeout] => Some("timeout"),
        [Condition::Match { .. }] => Some("match"),
        [Condition::Splat { .. }] => Some("kernel complaint"),
        _ => Some("hit"),
    };
    called.or_else(suggested).filter(|word| *word != "stall").map(str::to_string)
}

fn is_a_stall(condition: &Condition) -> bool {
    let by_event = matches!(condition, Condition::Event { .. } | Condition::Reported);
    by_event || condition.is_by_throughput()
}

/// A form of the word, which prints.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// `stall`, `lost event`
    Noun,
    /// `stalls`, `lost events`
    Plural,
    /// `stalled`, `had a lost event`
    Had,
    /// `stalls`, `has a lost event`
    Has,
    /// `stall`, `have a lost event`
    Have,
    /// `did not stall`, `had no lost event`
    HadNone,
    /// `is stalled`, `has a lost event`
    Is,
    /// `stalled trials`, `trials with a lost event`
    Trials,
    /// `stalled`, `lost events`: over a column of counts
    Column,
    /// `Stall probability`, `Probability of a lost event`
    Probability,
}

/// See [`Form::Noun`].
pub const NOUN: Form = Form::Noun;
/// See [`Form::Plural`].
pub const PLURAL: Form = Form::Plural;
/// See [`Form::Had`].
pub const HAD: Form = Form::Had;
/// See [`Form::Has`].
pub const HAS: Form = Form::Has;
/// See [`Form::Have`].
pub const HAVE: Form = Form::Have;
/// See [`Form::HadNone`].
pub const HAD_NONE: Form = Form::HadNone;
/// See [`Form::Is`].
pub const IS: Form = Form::Is;
/// See [`Form::Trials`].
pub const TRIALS: Form = Form::Trials;
/// See [`Form::Column`].
pub const COLUMN: Form = Form::Column;
/// See [`Form::Probability`].
pub const PROBABILITY: Form = Form::Probability;

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        WORD.with(|word| match word.borrow().as_deref() {
            None => f.write_str(match self {
                Form::Noun | Form::Have => "stall",
                Form::Plural | Form::Has => "stalls",
                Form::Had | Form::Column => "stalled",
                Form::HadNone => "did not stall",
                Form::Is => "is stalled",
                Form::Trials => "stalled trials",
                Form::Probability => "Stall probability",
            }),
            Some(word) => {
                let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                match self {
                    Form::Noun => f.write_str(word),
                    Form::Plural | Form::Column => f.write_str(&plural(word)),
                    Form::Had => write!(f, "had {article} {word}"),
                    Form::Has | Form::Is => write!(f, "has {article} {word}"),
                    Form::Have => write!(f, "have {article} {word}"),
                    Form::HadNone => write!(f, "had no {word}"),
                    Form::Trials => write!(f, "trials with {article} {word}"),
                    Form::Probability => write!(f, "Probability of {article} {word}"),
                }
            }
        })
    }
}

/// A form at the begin of a sentence.
pub fn capital(form: Form) -> String {
    let text = form.to_string();
    let first = text.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + text.get(text.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default()
}

fn plural(word: &str) -> String {
    match word {
        word if word.ends_with(['s', 'x', 'z']) || word.ends_with("sh") || word.ends_with("ch") => {
            format!("{word}es")
        }
        word => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> String {
        format!("{NOUN}; {PLURAL}; {HAD}; {HAS}; {HAVE}; {HAD_NONE}; {IS}; {TRIALS}")
    }

    #[test]
    fn a_hit_is_called_as_the_definition_says_or_its_rule_suggests() {
        let stall =
            "stall; stalls; stalled; stalls; stall; did not stall; is stalled; stalled trials";
        assert_eq!(all(), stall);
        let rule = |text: &str| text.parse::<StallRule>().unwrap();
        {
            let _told = Told::of_rule(Some("lost event"), &rule("metric:misses>0"));
            assert_eq!(
                all(),
                "lost event; lost events; had a lost event; has a lost event; have a lost event; had no \
                 lost event; has a lost event; trials with a lost event"
            );
            let _within = Told::of_rule(None, &rule("exit or hang:1s"));
            assert_eq!(HAD.to_string(), "had a hit");
        }
        assert_eq!(all(), stall);
        let said = |text: &str| {
            let _told = Told::of_rule(None, &rule(text));
            (HAD.to_string(), PLURAL.to_string())
        };
        assert_eq!(said("signal"), ("had a crash".into(), "crashes".into()));
        assert_eq!(said("pivot:1s or control:0.5").0, "stalled");
        assert_eq!(said("exit:1").0, "had a bad exit");
    }
}
