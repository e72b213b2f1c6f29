//! What is known of a run that was measured elsewhere.

use analysis::run::Run;
use stats::words::counted;

use super::Table;

/// Where it is from, what of its source is used, and what the source says in words. How its trials
/// were run, and on what machine, is only as known as the source says it.
pub fn circumstances(run: &Run) -> Table {
    let manifest = &run.manifest;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut say = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
    let import = run.definition.import.clone().unwrap_or_default();
    say("run", format!("`{}`", run.name()));
    let format = match import.format.as_str() {
        "" => "unknown format",
        format => format,
    };
    let digest: String = manifest.source.sha256.chars().take(12).collect();
    say("imported from", format!("`{}` ({format}, SHA-256 {digest})", manifest.source.from));
    let unread = import.not_understood.len();
    if unread > 0 {
        let lines = counted(import.lines, "line", "lines");
        say("not understood", format!("{unread} of {lines}, named in `manifest.json`"));
    }
    match run.finished {
        0 => say("trials", "none: functional checks only".to_string()),
        1 => say("trials", "1".to_string()),
        n => say("trials", format!("{n}; in which order, and how far apart, is not known")),
    }
    for kernel in &manifest.kernels {
        say("kernel", format!("`{}`", kernel.name));
    }
    let machine = &manifest.machine;
    if machine.cpus_online > 0 {
        say("CPUs", machine.cpus_online.to_string());
    }
    if machine.nodes > 0 {
        say("NUMA nodes", machine.nodes.to_string());
    }
    let labels: Vec<String> = manifest.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    if !labels.is_empty() {
        say("labels", labels.join("; "));
    }
    for (note, texts) in &import.said {
        for (text, count) in texts {
            let name = format!("note: {note}");
            say(&name, format!("{text} ({})", counted(*count, "trial", "trials")));
        }
    }
    for note in import.notes {
        say("note", note);
    }
    Table { header: vec!["what".into(), "is".into()], texts: 2, rows }
}

#[cfg(test)]
mod tests {
    use analysis::synthetic::Synthetic;
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_said_that_the_source_does_not_say() {
        let mut made = Synthetic::new(8);
        made.trial(8, "auto");
        made.manifest.machine = Default::default();
        made.manifest.executor = model::manifest::Origin::Imported;
        made.manifest.source.from = "repro.log".into();
        made.manifest.definition = json!({"import": {
            "format": "reproducer",
            "lines": 7,
            "not_understood": [{"line": 1}],
            "said": {"approximate": {"~300s": 1}},
            "notes": ["columns that nothing maps: page"],
        }});
        let (_folder, folder) = made.written();
        let mut run = Run::read(&folder).unwrap();
        run.finished = 1;
        let table = circumstances(&run);
        let text: Vec<String> = table.rows.iter().map(|row| row.join(" ")).collect();
        let text = text.join("\n");
        for part in [
            "`repro.log` (reproducer",
            "1 of 7 lines",
            "trials 1",
            "note: approximate ~300s (1 trial)",
            "page",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        for part in ["CPUs", "seed", "fresh process", "machine itself"] {
            assert!(!text.contains(part), "{part}: {text}");
        }
    }
}
