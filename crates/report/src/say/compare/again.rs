//! The command that makes a comparison again.

use std::path::PathBuf;

use analysis::compare::{Asked, Comparison, Options};

/// Word by word.
pub fn words(comparison: &Comparison) -> Vec<String> {
    let shown = |runs: &[PathBuf]| {
        runs.iter().map(|run| run.display().to_string()).collect::<Vec<String>>()
    };
    let mut words = vec!["experiments".to_string(), "compare".to_string()];
    let (base, test) = match &comparison.asked {
        Asked::Runs { base, test } => (shown(base), shown(test)),
        Asked::By { runs, key, base, test } => {
            words.extend(shown(runs));
            words.extend(["--by".to_string(), key.clone()]);
            (base.clone(), test.clone())
        }
    };
    for (option, values) in [("--base", base), ("--test", test)] {
        words.push(option.to_string());
        words.extend(values);
    }
    let (options, default) = (&comparison.options, Options::default());
    let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
    if let Some(rule) = &options.stall {
        option("--stall", rule.to_string());
    }
    if options.level != default.level {
        option("--level", options.level.get().to_string());
    }
    if options.margin != default.margin {
        option("--margin", options.margin.to_string());
    }
    if options.fixed_below != default.fixed_below {
        option("--fixed-below", options.fixed_below.to_string());
    }
    if options.force {
        words.push("--force".to_string());
    }
    words
}
