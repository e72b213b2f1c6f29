//! TOML to a definition. The schema is in docs/reference/definitions.md.

use std::collections::BTreeMap;

use crate::factor::{AMONG_LABELS, Span, Workload};
use crate::recovery::Recovery;
use crate::throughput::Throughput;
use toml_edit::Document;

use super::toml_table::{Text, TomlTable};
use super::{
    Command, Control, DEFAULT_CONTROL, Definition, DefinitionError, FACTOR_NAMES, Factors,
    MOST_TRIALS, Mutex, Outcome, Quick, taken,
};

const TOP: [&str; 17] = [
    "name", "title", "question", "trials", "duration", "until", "sample", "limit", "seed",
    "factors", "control", "outcome", "recovery", "mutex", "command", "quick", "labels",
];

const QUICK: [&str; 4] = ["trials", "duration", "pairs_per_thread", "factors"];

/// The seed of a definition that has none: results are to repeat.
const DEFAULT_SEED: u64 = 1;

/// Reads a definition. `file` is for the messages, `name` is used unless the text says another.
pub fn parse(file: &str, name: &str, text: &str) -> Result<Definition, DefinitionError> {
    let source = Text { file, text };
    let document = Document::parse(text).map_err(|error| {
        let message = error.message().trim().replace('\n', "; ");
        source.error_at(error.span().map(|span| span.start), format!("it is not TOML: {message}"))
    })?;
    let top = TomlTable::new(source, "", document.as_table(), &TOP)?;

    let factors = factors(&top)?;
    let quick = quick(&top, &factors)?;
    let command = command(&top)?;
    let definition = Definition {
        name: match top.text("name")? {
            Some(name) if is_name(&name) => name,
            Some(name) => {
                return Err(top.error(
                    "name",
                    format!(
                        "found {name:?}; accepted is letters, digits, - and _, as in a file's name"
                    ),
                ));
            }
            None => name.to_string(),
        },
        title: top.text("title")?.unwrap_or_default().trim().to_string(),
        question: top.text("question")?.unwrap_or_default().trim().to_string(),
        trials: match top.whole("trials", 1)? {
            Some(n) if n > MOST_TRIALS => {
                return Err(
                    top.error("trials", format!("found {n}; accepted is at most {MOST_TRIALS}"))
                );
            }
            n => n.unwrap_or(10),
        },
        duration: span_above_zero(&top, "duration")?.unwrap_or(Span::from_ms(1000)),
        until: top.parsed("until")?.unwrap_or_default(),
        sample: span_above_zero(&top, "sample")?.unwrap_or(Span::from_ms(10)),
        limit: span_above_zero(&top, "limit")?,
        seed: top.whole("seed", 0)?.unwrap_or(DEFAULT_SEED),
        factors,
        control: match top.table("control", &["hash"])? {
            Some(table) => Control { hash: table.parsed("hash")?.unwrap_or(DEFAULT_CONTROL) },
            None => Control { hash: DEFAULT_CONTROL },
        },
        outcome: match top.table("outcome", &["stall"])? {
            Some(table) => Outcome { stall: table.parsed("stall")?.unwrap_or_default() },
            None => Outcome::default(),
        },
        recovery: recovery(&top)?,
        mutex: match top.table("mutex", &["pairs_per_thread"])? {
            Some(table) => Mutex { pairs_per_thread: table.whole("pairs_per_thread", 1)? },
            None => Mutex::default(),
        },
        command,
        quick,
        labels: labels(&top)?,
    };
    of_the_workloads(&top, &definition)?;
    Ok(definition)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && !name.starts_with('-')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn span_above_zero(table: &TomlTable<'_>, key: &str) -> Result<Option<Span>, DefinitionError> {
    match table.parsed::<Span>(key)? {
        Some(span) if span.is_zero() => {
            Err(table.error(key, "0 is not possible: it must be above 0"))
        }
        span => Ok(span),
    }
}

fn factors(top: &TomlTable<'_>) -> Result<Factors, DefinitionError> {
    let mut factors = Factors::default();
    let Some(table) = top.table("factors", &FACTOR_NAMES)? else {
        return Err(
            top.error("factors", "it is missing: [factors] must at least say workload and threads")
        );
    };
    for name in FACTOR_NAMES {
        if let Some(texts) = table.texts(name)? {
            factors.set(name, &texts).map_err(|problem| table.error(name, problem))?;
        }
    }
    for (name, empty) in
        [("workload", factors.workload.is_empty()), ("threads", factors.threads.is_empty())]
    {
        if empty {
            return Err(top.error("factors", format!("{name} is missing: it has no default")));
        }
    }
    Ok(factors)
}

fn recovery(top: &TomlTable<'_>) -> Result<Recovery, DefinitionError> {
    let accepted = ["share", "hold", "control_mops"];
    let Some(table) = top.table("recovery", &accepted)? else { return Ok(Recovery::default()) };
    let share = table.positive("share")?;
    if let Some(share) = share.filter(|share| *share > 1.0) {
        return Err(table.error("share", format!("found {share}; accepted is a number up to 1")));
    }
    Ok(Recovery {
        share,
        hold: table.parsed("hold")?,
        control_mops: table.positive("control_mops")?,
    })
}

fn quick(top: &TomlTable<'_>, factors: &Factors) -> Result<Quick, DefinitionError> {
    let Some(table) = top.table("quick", &QUICK)? else { return Ok(Quick::default()) };
    let mut quick = Quick {
        trials: table.whole("trials", 1)?,
        duration: span_above_zero(&table, "duration")?,
        pairs_per_thread: table.whole("pairs_per_thread", 1)?,
        factors: BTreeMap::new(),
    };
    if let Some(table) = table.table("factors", &FACTOR_NAMES)? {
        let mut scratch = factors.clone();
        for name in FACTOR_NAMES {
            if let Some(texts) = table.texts(name)? {
                scratch.set(name, &texts).map_err(|problem| table.error(name, problem))?;
                quick.factors.insert(name.to_string(), texts);
            }
        }
    }
    Ok(quick)
}

/// Refuses what no workload of the definition takes, `--quick`'s included.
fn of_the_workloads(top: &TomlTable<'_>, definition: &Definition) -> Result<(), DefinitionError> {
    let mut both = definition.factors.clone();
    if let Some(texts) = definition.quick.factors.get("workload") {
        let mut quickly = Factors::default();
        // Already read once without an error.
        quickly.set("workload", texts).map_err(|problem| top.error("quick", problem))?;
        both.workload.extend(quickly.workload);
    }
    let only = |table: &TomlTable<'_>, key: &str, of: Workload| match table.has(key) {
        true => taken("it", of, &both.workload).map_err(|problem| table.error(key, problem)),
        false => Ok(()),
    };
    only(top, "mutex", Workload::Mutex)?;
    only(top, "command", Workload::Command)?;
    let quick = top.table("quick", &QUICK)?;
    if let Some(quick) = &quick {
        only(quick, "pairs_per_thread", Workload::Mutex)?;
    }
    let quick_factors = quick.map(|quick| quick.table("factors", &FACTOR_NAMES)).transpose()?;
    for table in [top.table("factors", &FACTOR_NAMES)?, quick_factors.flatten()].iter().flatten() {
        for name in FACTOR_NAMES.into_iter().filter(|name| table.has(name)) {
            both.takes(name).map_err(|problem| table.error(name, problem))?;
        }
    }
    Ok(())
}

fn command(top: &TomlTable<'_>) -> Result<Option<Command>, DefinitionError> {
    let accepted = [
        "argv",
        "env",
        "folder",
        "regex",
        "pointer",
        "unit",
        "mops_per_unit",
        "per_thread",
        "install",
    ];
    let Some(table) = top.table("command", &accepted)? else { return Ok(None) };
    let argv = table.texts("argv")?.ok_or_else(|| {
        top.error("command", "argv is missing: the program and its arguments, a list of texts")
    })?;
    let throughput = match (table.text("regex")?, table.text("pointer")?) {
        (Some(regex), None) => Throughput::Regex(regex),
        (None, Some(pointer)) => Throughput::Pointer(pointer),
        _ => {
            return Err(top.error(
                "command",
                "it needs one of regex and pointer: where the throughput stands in the output",
            ));
        }
    };
    Ok(Some(Command {
        argv,
        env: table.free_table("env")?.into_iter().collect(),
        folder: table.text("folder")?,
        throughput,
        unit: table.text("unit")?.ok_or_else(|| {
            top.error("command", "unit is missing: the unit of the throughput, such as \"ops/s\"")
        })?,
        mops_per_unit: table.positive("mops_per_unit")?,
        per_thread: table.flag("per_thread")?.unwrap_or(false),
        install: table.text("install")?,
    }))
}

fn labels(top: &TomlTable<'_>) -> Result<BTreeMap<String, String>, DefinitionError> {
    let mut labels = BTreeMap::new();
    for (key, value) in top.free_table("labels")? {
        check_label(&key, &value).map_err(|problem| top.error("labels", problem))?;
        labels.insert(key, value);
    }
    Ok(labels)
}

/// Whether a label can stand in a CSV cell as `key=value;key=value`.
pub(super) fn check_label(key: &str, value: &str) -> Result<(), String> {
    let key_is_good =
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if !key_is_good {
        return Err(format!("{key:?} is no label: a key is letters, digits, -, _ and ."));
    }
    if AMONG_LABELS.contains(&key) {
        return Err(format!("{key:?} is no label: it is a factor, which stands among the labels"));
    }
    if value.is_empty() || value.chars().any(|c| c == ';' || c == '=' || c.is_control()) {
        return Err(format!(
            "{value:?} is no value for the label {key}: accepted is one line without ; and ="
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::factor::Threads;

    use super::*;

    const LEAST: &str = "[factors]\nworkload = \"wake-storm\"\nthreads = [1, \"100%\"]\n";

    fn error(text: &str) -> String {
        parse("x.toml", "x", text).unwrap_err().to_string()
    }

    #[test]
    fn the_least_definition_has_the_reports_defaults() {
        let definition = parse("x.toml", "x", LEAST).unwrap();
        assert_eq!(definition.name, "x");
        assert_eq!(definition.factors.threads, [Threads::Count(1), Threads::Share(100.0)]);
        assert_eq!(definition.control.hash.to_string(), "slots:512");
        assert_eq!(definition.outcome.stall.to_string(), "control:0.5");
    }

    #[test]
    fn an_unknown_key_is_refused_by_name_and_line() {
        let message = error(&format!("trials = 3\ndurations = \"1s\"\n{LEAST}"));
        assert!(message.starts_with("x.toml line 2: unknown key \"durations\""), "{message}");
        assert!(message.contains("did you mean duration?"), "{message}");
        let message = error(&format!("{LEAST}tread = 1\n"));
        assert!(
            message.starts_with("x.toml line 4: unknown key \"tread\" in [factors]"),
            "{message}"
        );
    }

    #[test]
    fn a_bad_value_is_refused_by_key_and_line() {
        for (line, expected) in [
            ("ramp = \"bursts\"", "line 4: factors.ramp: ramp \"bursts\" is not understood"),
            ("hash = [\"auto\", \"slots:500\"]", "line 4: factors.hash:"),
            ("threads = 0", "line 4"),
            ("placement = 3", "line 4: factors.placement:"),
            ("memory = []", "line 4: factors.memory: the list is empty"),
            ("locks = 1.5", "line 4: factors.locks: found 1.5"),
        ] {
            let message = error(&format!("{LEAST}{line}\n"));
            assert!(message.contains(expected), "{line}: {message}");
        }
        assert!(error(&format!("trials = 0\n{LEAST}")).contains("line 1: trials: found 0"));
        assert!(error(&format!("duration = \"0s\"\n{LEAST}")).contains("above 0"));
        assert!(error(&format!("duration = 3\n{LEAST}")).contains("line 1: duration: found 3"));
        assert!(error("factors = 3\n").contains("a table"));
        assert!(error("").contains("[factors]"));
        assert!(error("a = [\n").contains("it is not TOML"));
        assert!(
            error("name = \"../x\"\n[factors]\nworkload=\"mutex\"\nthreads=1\n").contains("name")
        );
    }

    #[test]
    fn what_no_workload_takes_is_refused_by_name_and_line() {
        for (line, of) in [
            ("locks = 5", "mutex"),
            ("unlock = \"exchange\"", "mutex"),
            ("messengers = 4", "messenger"),
            ("critical = \"1us\"", "mutex"),
            ("think = \"0s\"", "mutex"),
            ("[mutex]\npairs_per_thread = 3", "mutex"),
            ("[quick]\npairs_per_thread = 3", "mutex"),
            ("[quick.factors]\nlocks = 3", "mutex"),
            ("[command]\nargv = \"a\"\nregex = \"(a)\"\nunit = \"1\"", "command"),
        ] {
            let message = error(&format!("{LEAST}{line}\n"));
            let expected =
                format!("belongs to the workload {of}, and the workload here is wake-storm");
            assert!(message.contains(&expected), "{line}: {message}");
            assert!(
                message.starts_with("x.toml line 4") || message.starts_with("x.toml line 5"),
                "{message}"
            );
        }
        let mixed = LEAST.replace("\"wake-storm\"", "[\"wake-storm\", \"mutex\"]");
        assert!(parse("x.toml", "x", &format!("{mixed}locks = 5\n")).is_ok());
        // What `--quick` alone takes is taken.
        let quick = format!("{LEAST}locks = 5\n[quick.factors]\nworkload = \"mutex\"\n");
        assert!(parse("x.toml", "x", &quick).is_ok());
    }

    #[test]
    fn unknown_keys_are_refused_in_every_table_with_near_names() {
        let command = "[command]\nargv = \"a\"\nregex = \"(a)\"\nunit = \"1\"\n";
        for (lines, place, near) in [
            ("[control]\nhashes = \"auto\"", "[control]", "hash"),
            ("[outcome]\nstal = \"split\"", "[outcome]", "stall"),
            ("[mutex]\npairs_per_threads = 2", "[mutex]", "pairs_per_thread"),
            ("[quick]\ntrial = 2", "[quick]", "trials"),
            ("[quick.factors]\nthread = 2", "[quick.factors]", "threads"),
            (&format!("{command}argvs = 1"), "[command]", "argv"),
        ] {
            let message = error(&format!("{LEAST}{lines}\n"));
            assert!(message.contains(&format!(" in {place} (did you mean {near}")), "{message}");
        }
    }

    #[test]
    fn a_recovery_is_what_the_definition_says() {
        let text = format!("{LEAST}[recovery]\nshare = 0.8\nhold = \"1s\"\ncontrol_mops = 36\n");
        let recovery = parse("x.toml", "x", &text).unwrap().recovery;
        assert_eq!((recovery.share, recovery.control_mops), (Some(0.8), Some(36.0)));
        assert_eq!(recovery.hold, Some(Span::from_ms(1000)));
        assert_eq!(parse("x.toml", "x", LEAST).unwrap().recovery, Recovery::default());
        for (line, expected) in [
            ("share = 1.5", "line 5: recovery.share: found 1.5"),
            ("share = 0", "line 5: recovery.share: found 0"),
            ("hold = 3", "line 5: recovery.hold: found 3"),
            ("hold = \"3\"", "line 5: recovery.hold:"),
            ("control = 3", "unknown key \"control\" in [recovery]"),
        ] {
            let message = error(&format!("{LEAST}[recovery]\n{line}\n"));
            assert!(message.contains(expected), "{line}: {message}");
        }
    }

    #[test]
    fn quick_values_are_checked_when_read() {
        let message = error(&format!("{LEAST}[quick.factors]\nthreads = \"none\"\n"));
        assert!(message.starts_with("x.toml line 5: quick.factors.threads"), "{message}");
    }
}
