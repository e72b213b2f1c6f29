//! The rules of the house that a look at the text can hold (docs/design has their reasons).

use std::fs;
use std::path::Path;

use regex::Regex;

/// A text that a kind of file must not have.
struct Rule {
    /// What it is about, for the message.
    about: &'static str,
    /// What must not be there.
    pattern: &'static str,
    /// The folders below `crates/` in which it must not be; empty: all.
    crates: &'static [&'static str],
    /// Files, by a part of their path, that may have it.
    but: &'static [&'static str],
}

/// The crates below `report`: facts, no words for the command line.
const BELOW_REPORT: &[&str] =
    &["model", "kernel-abi", "trial", "records", "campaign", "lab", "import", "stats", "analysis"];

const RULES: [Rule; 4] = [
    Rule {
        about: "unsafe belongs to kernel-abi",
        pattern: r"\bunsafe\s*(\{|fn|impl|extern)",
        crates: &[],
        but: &["kernel-abi/"],
    },
    Rule {
        about: "an error is a type, not a text",
        pattern: r"Result<[^<>]*(<[^<>]*>)?[^<>]*, String>",
        crates: &[],
        but: &[],
    },
    Rule {
        about: "a text below report names no command and no option",
        pattern: r#""[^"]*(`experiments [a-z]|experiments (run|resume|analyze|report|compare|kernel) |--[a-z]{3,})"#,
        crates: BELOW_REPORT,
        // Options of other programs, and the readers of their command lines.
        but: &[
            "lab/src/build/",
            "lab/src/guest/",
            "lab/src/kernels/",
            "import/src/",
            "analysis/src/run.rs",
        ],
    },
    Rule {
        about: "what is true of the futex hash alone stands in its case's files",
        pattern: r"(?i:\b(slots?|pivots?|futex_hash)\b)|\bhash(es)?\b",
        crates: &["analysis", "report"],
        but: &[
            "futex_hash",
            "analysis/src/case/mod.rs",
            "say/case/mod.rs",
            // The comparison's words, which are still to be moved behind the case.
            "analysis/src/compare/copies.rs",
            "report/src/say/compare/",
        ],
    },
];

/// What is broken, a line each with file and line; empty where all holds.
pub fn broken(root: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    let crates = root.join("crates");
    let mut files = Vec::new();
    collect(&crates, &mut files);
    files.sort();
    for rule in &RULES {
        let Ok(pattern) = Regex::new(rule.pattern) else {
            broken.push(format!("{}: its pattern is not a regular expression", rule.about));
            continue;
        };
        for file in &files {
            let name = file.strip_prefix(&crates).unwrap_or(file).to_string_lossy();
            let is_below = rule.crates.is_empty()
                || rule.crates.iter().any(|one| name.starts_with(&format!("{one}/")));
            let is_product = name.contains("/src/") && !name.ends_with("/check/house.rs");
            if !is_below || !is_product || rule.but.iter().any(|part| name.contains(part)) {
                continue;
            }
            let Ok(text) = fs::read_to_string(file) else { continue };
            for (at, line) in product(&text) {
                if pattern.is_match(line) {
                    broken.push(format!("crates/{name}:{at}: {}: {}", rule.about, line.trim()));
                }
            }
        }
    }
    broken
}

/// The lines, from 1, before the tests and without comments.
fn product(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| *line != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(at, line)| (at + 1, line))
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false if path.extension().is_some_and(|ending| ending == "rs") => files.push(path),
            false => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_in_order() {
        let broken = broken(&super::super::root());
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }

    #[test]
    fn a_broken_rule_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("crates/stats/src/a.rs");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = "//! pivot\nfn a() -> Result<Vec<u8>, String> {\n    \"see --stall\";\n}\n#[cfg(test)]\n// pivot\n";
        fs::write(&file, text).unwrap();
        let found = broken(folder.path());
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/stats/src/a.rs:2: an error is a type"), "{found:?}");
        assert!(found[1].starts_with("crates/stats/src/a.rs:3: a text below report"), "{found:?}");
    }
}
