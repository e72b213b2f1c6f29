//! The summary as the tables of docs/appendix/coverage.md: one a family, a column a size.

use std::fmt::Write as _;

use stats::Level;

use super::{CoverageSummary, How};
use stats::words::percent_to;

/// The tables, least and mean coverage in each cell, in percent.
pub fn tables(summary: &[CoverageSummary]) -> String {
    summary.chunk_by(|a, b| a.family == b.family).map(table).collect::<Vec<String>>().join("\n")
}

fn table(of_family: &[CoverageSummary]) -> String {
    let mut sizes: Vec<&str> = Vec::new();
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for one in of_family {
        let line = (one.quantity.as_str(), one.method.as_str());
        if !sizes.contains(&one.size.as_str()) {
            sizes.push(&one.size);
        }
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    // What breaks an assumption comes last.
    sizes.sort_by_key(|size| size.contains(", "));
    let error = of_family.iter().map(|one| one.standard_error).fold(0.0, f64::max);
    let family = of_family.first().map_or("", |one| one.family.name());
    let exact = match of_family.iter().filter(|one| one.how == How::Enumerated).count() {
        all if all == of_family.len() => "enumerated".to_owned(),
        0 => format!("simulated, standard error up to {:.1} points", 100.0 * error),
        _ => format!("in part enumerated, else standard error up to {:.1} points", 100.0 * error),
    };
    // The documentation's tables are at 95 %, which its text says.
    let level = match of_family.first() {
        Some(one) if one.level != Level::P95 => {
            format!("intervals at {} %, ", one.level.percent())
        }
        _ => String::new(),
    };
    // Writing to a string cannot fail.
    let mut text = format!("**{family}** ({level}{exact})\n\n| quantity | method |");
    for size in &sizes {
        let _ = write!(text, " {size} |");
    }
    text += "\n| --- | --- |";
    text += &" ---: |".repeat(sizes.len());
    text.push('\n');
    for (quantity, method) in lines {
        let _ = write!(text, "| {quantity} | {method} |");
        for size in &sizes {
            let found = of_family.iter().find(|one| {
                (one.quantity.as_str(), one.method.as_str(), one.size.as_str())
                    == (quantity, method, *size)
            });
            let _ = write!(text, " {} |", found.map_or(String::new(), cell));
        }
        text.push('\n');
    }
    text
}

fn cell(of: &CoverageSummary) -> String {
    let percent = |share: f64| percent_to(share, 1);
    if of.unbounded >= 1.0 {
        return "no interval".into();
    }
    let bounds = match of.unbounded {
        few if few < 0.0005 => String::new(),
        some => format!(" ({} none)", percent(some)),
    };
    format!("{} / {}{bounds}", percent(of.least), percent(of.mean))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::{Effort, Family, calibrate, rows, summarize};
    use super::*;

    fn docs() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/appendix"))
    }

    #[test]
    fn a_level_other_than_that_of_the_documentation_is_named() {
        let at = |level: f64| {
            let level = Level::new(level).unwrap();
            let effort = Effort { data_sets: 100, level, ..Effort::default() };
            tables(&summarize(&calibrate(&[Family::Proportions], &effort).unwrap()))
        };
        assert!(at(0.999).starts_with("**proportions** (intervals at 99.9 %, enumerated)\n"));
        assert!(at(0.95).starts_with("**proportions** (enumerated)\n"));
    }

    #[test]
    fn the_tables_of_the_documentation_are_those_of_its_rows() {
        let rows = rows::read(&[docs().join("coverage.csv")]).unwrap();
        let shown = fs::read_to_string(docs().join("coverage.md")).unwrap();
        let tables = tables(&summarize(&rows));
        for line in tables.lines().filter(|line| !line.is_empty()) {
            assert!(
                shown.lines().any(|found| found == line),
                "docs/appendix/coverage.md lacks a line of `cargo xtask calibrate --from \
                 docs/appendix/coverage.csv --markdown`:\n{line}"
            );
        }
    }
}
