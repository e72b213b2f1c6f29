//! The TOML of a definition: read by serde, and what is wrong with it told with its line.

use toml::de::{DeTable, DeValue};
use toml::{Deserializer, Spanned};

use super::error::NotTaken;
use super::near::did_you_mean;
use super::{Definition, DefinitionError, FACTOR_NAMES, Factors};
use crate::outcome::Condition;
use crate::serde_words::found_and_accepted;
use crate::workload::Workload;

/// Reads a definition. `file` is for the messages, `name` is used unless the text says another.
///
/// # Errors
/// The text is no TOML, has a key that is not known, or a value that is not accepted.
pub fn parse(file: &str, name: &str, text: &str) -> Result<Definition, DefinitionError> {
    let error_at = |at: Option<usize>, problem: String| DefinitionError {
        file: file.to_string(),
        line: at.map(|at| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()),
        problem,
    };
    let start = |span: Option<std::ops::Range<usize>>| span.map(|span| span.start);
    let document = DeTable::parse(text).map_err(|error| {
        let message = error.message().trim().replace('\n', "; ");
        error_at(start(error.span()), format!("it is not TOML: {message}"))
    })?;
    let read = serde_path_to_error::deserialize(Deserializer::from(document.clone()));
    let mut definition: Definition = read.map_err(|error| {
        let path = error.path().to_string();
        let path = path.trim_start_matches('.');
        let error = error.into_inner();
        let found = error.span().and_then(|span| text.get(span)).unwrap_or_default();
        let (path, mut problem) = sentence(path, error.message(), found);
        let at = place(&document, &path).or(start(error.span()));
        if let Some(key) = at.and_then(|at| dotted_key(text, at)) {
            problem = format!("{path}: the key needs quotes, because it has a dot: \"{key}\"");
        }
        error_at(place(&document, &path).or(start(error.span())), problem)
    })?;
    if definition.name.is_empty() {
        definition.name = name.to_string();
    }
    let factors = &definition.factors;
    for (name, empty) in
        [("workload", factors.workload.is_empty()), ("threads", factors.threads.is_empty())]
    {
        if empty {
            let at = place(&document, "factors");
            let problem = match at {
                Some(_) => format!("factors: {name} is missing: it has no default"),
                None => "factors: it is missing: [factors] must at least say workload and threads"
                    .to_string(),
            };
            return Err(error_at(at, problem));
        }
    }
    if let Some(Err((key, problem))) = definition.command.as_ref().map(|command| command.check()) {
        let path = format!("command.{key}");
        return Err(error_at(place(&document, &path), format!("{path}: {problem}")));
    }
    for (name, variant) in &definition.variants {
        let path = format!("variants.{name}");
        let bad =
            |problem: String| Err(error_at(place(&document, &path), format!("{path}: {problem}")));
        match &definition.command {
            Some(table) => {
                if let Err((key, problem)) = variant.command(table).check() {
                    return bad(format!("{key}: {problem}"));
                }
            }
            None if variant.is_of_a_program() => {
                return bad(
                    "argv, env and folder are of a program, and there is no [command]".into()
                );
            }
            None => {}
        }
    }
    let has_program = definition.factors.workload.contains(&Workload::Command);
    let of_a_program = |condition: &&Condition| condition.is_of_a_program() && !has_program;
    if let Some(condition) = definition.outcome.stall.conditions().iter().find(of_a_program) {
        let path = "outcome.stall";
        let problem = format!(
            "{path}: `{condition}` looks at the end or the output of a program: it needs the workload \
             `command`"
        );
        return Err(error_at(place(&document, path), problem));
    }
    match of_the_workloads(&document, &definition) {
        Some((path, problem)) => {
            Err(error_at(place(&document, &path), format!("{path}: {problem}")))
        }
        None => Ok(definition),
    }
}

/// The key that is wrong, and the sentence about it. `found` is the text of the value.
fn sentence(path: &str, message: &str, found: &str) -> (String, String) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let (Some((key, known)), true) = (quoted.split_first(), message.starts_with("unknown field"))
    {
        let table = path.strip_suffix(key).map_or(path, |table| table.trim_end_matches('.'));
        let of = if table.is_empty() { String::new() } else { format!(" in [{table}]") };
        let near = did_you_mean(key, known.iter().copied());
        let full = if table.is_empty() { key.to_string() } else { format!("{table}.{key}") };
        let known = known.join(", ");
        return (full, format!("unknown key {key:?}{of}{near}; accepted is {known}"));
    }
    let problem = match found_and_accepted(message) {
        Some((_, accepted)) => {
            let short: String = found.trim().chars().take(40).collect();
            format!("found {short}; accepted is {accepted}")
        }
        None => match (message.strip_prefix("missing field "), quoted.first()) {
            (Some(_), Some(key)) => format!("{key} is missing"),
            _ => message.to_string(),
        },
    };
    (path.to_string(), format!("{path}: {problem}"))
}

/// The key of a line that has a dot and no quotes, by a place in the line: TOML reads it as a table in a
/// table.
fn dotted_key(text: &str, at: usize) -> Option<&str> {
    let begin = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let (key, _) = text.get(begin..)?.lines().next()?.split_once('=')?;
    let key = key.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (key.contains('.') && key.chars().all(plain)).then_some(key)
}

/// Where a key stands, by its path.
fn place(document: &Spanned<DeTable<'_>>, path: &str) -> Option<usize> {
    let mut table = document.get_ref();
    let mut at = None;
    for part in path.split('.').map(|part| part.split('[').next().unwrap_or(part)) {
        let found = table.iter().find(|(key, _)| key.get_ref() == part);
        let Some((key, value)) = found else { break };
        at = Some(key.span().start);
        match value.get_ref() {
            DeValue::Table(below) => table = below,
            _ => break,
        }
    }
    at
}

/// What no workload of the definition takes, the first look's included: the key and the problem.
fn of_the_workloads(
    document: &Spanned<DeTable<'_>>,
    definition: &Definition,
) -> Option<(String, NotTaken)> {
    let mut both = definition.factors.clone();
    if let Some(texts) = definition.quick.factors.0.get("workload") {
        let mut quick = Factors::default();
        // It was read once already without an error.
        let _ = quick.set("workload", texts);
        both.workload.extend(quick.workload);
    }
    let table_of = |path: &str| {
        path.split('.').try_fold(document.get_ref(), |table, part| {
            let (_, value) = table.iter().find(|(key, _)| key.get_ref() == part)?;
            value.get_ref().as_table()
        })
    };
    let quick_has_pairs = definition.quick.pairs_per_thread.is_some();
    let tables = [
        ("mutex", table_of("mutex").is_some(), Workload::Mutex),
        ("command", definition.command.is_some(), Workload::Command),
        ("quick.pairs_per_thread", quick_has_pairs, Workload::Mutex),
    ];
    for (path, given, of) in tables {
        if given && let Err(problem) = both.taken("it", of) {
            return Some((path.to_string(), problem));
        }
    }
    ["factors", "quick.factors"].into_iter().find_map(|path| {
        let table = table_of(path)?;
        FACTOR_NAMES.into_iter().find_map(|name| {
            table.iter().find(|(key, _)| key.get_ref() == name)?;
            Some((format!("{path}.{name}"), both.takes(name).err()?))
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::factor::{Span, Threads};
    use crate::recovery::Recovery;

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
        assert_eq!(definition.control().unwrap().value, "slots:512");
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
    fn what_no_trial_can_be_made_of_is_refused_by_key_and_line() {
        let command = |line: &str| {
            let of = LEAST.replace("wake-storm", "command");
            let keys = "[command]\nargv = [\"a\"]\nregex = \"(a)\"\nunit = \"1\"\n";
            let key = line.split(' ').next().unwrap();
            let lines = keys.lines().map(|old| if old.starts_with(key) { line } else { old });
            error(&format!("{of}{}", lines.collect::<Vec<_>>().join("\n")))
        };
        for (line, expected) in [
            ("regex = \"(\"", "line 6: command.regex: "),
            ("regex = \"a\"", "line 6: command.regex: "),
            ("argv = [\"a\", \"{thread}\"]", "line 5: command.argv: "),
        ] {
            let message = command(line);
            assert!(message.contains(expected), "{message}");
        }
        let message = error(&format!("{LEAST}[labels]\n7.2 = \"x\"\n"));
        assert!(
            message.contains("line 5")
                && message.contains("the key needs quotes, because it has a dot: \"7.2\""),
            "{message}"
        );
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
