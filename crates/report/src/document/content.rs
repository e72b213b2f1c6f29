//! What a report holds, in which order: the answer, the figures, the table, how it was measured,
//! what disturbed it, what the columns mean, how to do it again.

use analysis::cells::Cell;
use analysis::contrasts::CellContrast;
use analysis::factors::{Factors, telling};
use analysis::run::Run;
use analysis::words::{counted, percent, seconds, significant};
use analysis::{Analysis, outcome::StallRule};
use serde_json::Value;

use super::{Block, Table};
use crate::figure::Drawn;

/// The longest table of cells in a text; `cells.csv` has them all.
const MOST_ROWS: usize = 200;

/// How much room a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// A page.
    Wide,
    /// 78 columns.
    Narrow,
}

/// The title of the report.
pub fn title(analysis: &Analysis) -> String {
    let mut names: Vec<&str> = analysis.runs.iter().map(|run| run.experiment.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let of = match analysis.runs.len() {
        0 | 1 => String::new(),
        runs => format!(" ({runs} runs)"),
    };
    format!("{}{of}: {}", names.join(", "), headline(analysis))
}

fn headline(analysis: &Analysis) -> String {
    let title = |run: &Run| {
        run.manifest.definition.get("title").and_then(Value::as_str).map(str::to_string)
    };
    let titles: Vec<String> = analysis.runs.iter().filter_map(title).collect();
    match titles.first() {
        Some(first) if titles.iter().all(|title| title == first) => first.clone(),
        _ => "recorded trials".to_string(),
    }
}

/// The report.
pub fn blocks(analysis: &Analysis, figures: Vec<Drawn>, room: Room) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(1, title(analysis))];
    blocks.extend(answer(analysis));
    if !figures.is_empty() {
        blocks.push(Block::Heading(2, "Figures".into()));
        blocks.extend(figures.into_iter().map(Block::Figure));
    }
    blocks.extend(cells(analysis, room));
    blocks.extend(contrasts(analysis, room));
    blocks.extend(super::metrics::section(analysis, room));
    for run in &analysis.runs {
        let name = match analysis.runs.len() {
            1 => "How it was measured".to_string(),
            _ => format!("How {} was measured", run.name()),
        };
        blocks.push(Block::Heading(2, name));
        blocks.push(Block::Table(circumstances(run)));
    }
    let disturbances: Vec<String> =
        analysis.runs.iter().flat_map(|run| run.manifest.disturbances.clone()).collect();
    // Where all was measured elsewhere, nobody here could have noticed any.
    if !analysis.runs.iter().all(Run::is_imported) {
        blocks.push(Block::Heading(2, "Disturbances".into()));
        if disturbances.is_empty() {
            blocks.push(Block::Paragraph("None was noticed.".into()));
        } else {
            blocks.push(Block::List(disturbances));
        }
    }
    blocks.push(Block::Heading(2, "What the columns mean".into()));
    blocks.push(Block::List(definitions(analysis)));
    blocks.push(Block::Heading(2, "To do it again".into()));
    blocks.extend(again(analysis));
    blocks
}

/// What the trials show, and what is to be kept in mind with it.
pub fn answer(analysis: &Analysis) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        analysis.answer_lines().into_iter().map(Block::Paragraph).collect();
    if !analysis.warnings.is_empty() {
        blocks.push(Block::Heading(2, "To be kept in mind".into()));
        blocks.push(Block::List(analysis.warnings.clone()));
    }
    blocks
}

/// The table of cells.
pub fn cells(analysis: &Analysis, room: Room) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(2, "Cells".into())];
    if analysis.cells.is_empty() {
        blocks.push(Block::Paragraph("No trial has ended, so there is no cell to show.".into()));
        return blocks;
    }
    let level = percent(analysis.level.get());
    let factors: Vec<&Factors> = analysis.cells.iter().map(|cell| &cell.factors).collect();
    // Threads and hash are always there; of the other factors those that tell cells apart.
    let mut columns: Vec<&'static str> = telling(factors.iter().copied())
        .into_iter()
        .filter(|factor| !["threads", "hash"].contains(factor))
        .collect();
    columns.extend(["threads", "hash"]);
    let same: Vec<String> = analysis.cells[0]
        .factors
        .iter()
        .filter(|(factor, text)| !columns.contains(factor) && !text.is_empty())
        .map(|(factor, text)| format!("{factor} `{text}`"))
        .collect();
    if !same.is_empty() {
        blocks.push(Block::Paragraph(format!("The same in all cells: {}.", same.join(", "))));
    }
    let mut header: Vec<String> = columns.iter().map(|name| name.to_string()).collect();
    let texts = header.len();
    header.push("stalled".into());
    match room {
        Room::Wide => {
            header.push("failed".into());
            header.push("share".into());
            header.push(format!("Wilson {level}"));
            header.push(format!("exact {level}"));
            header.push(format!("Mops/s, median ({level})"));
            header.push(format!("ratio to control ({level})"));
        }
        Room::Narrow => {
            header.push(format!("Wilson {level}"));
            header.push("Mops/s".into());
            header.push("ratio".into());
        }
    }
    let row = |cell: &Cell| {
        let mut row: Vec<String> =
            columns.iter().map(|factor| cell.factors.get(factor).to_string()).collect();
        row.push(match &cell.stall {
            Some(stall) => format!("{} of {}", stall.k, stall.n),
            None => "not seen".to_string(),
        });
        let share = |interval: &str| {
            let interval = cell.stall_interval(interval);
            let bound = |x: Option<f64>| x.map_or_else(|| "-".to_string(), probability);
            interval.map_or_else(String::new, |i| format!("{} to {}", bound(i.low), bound(i.high)))
        };
        let median = cell.mops.map_or_else(String::new, |m| significant(m.median, 4));
        let ratio = cell.control_ratio.and_then(|ratio| ratio.estimate);
        let ratio_text = ratio.map_or_else(String::new, |ratio| significant(ratio, 3));
        match room {
            Room::Wide => {
                row.push(cell.failed.to_string());
                row.push(cell.stall.as_ref().map_or_else(String::new, |s| probability(s.estimate)));
                row.push(share("wilson"));
                row.push(share("clopper-pearson"));
                let (low, high) = cell.mops.map_or((None, None), |mops| (mops.low, mops.high));
                row.push(with_interval(&median, low, high, 4));
                let (low, high) =
                    cell.control_ratio.map_or((None, None), |ratio| (ratio.low, ratio.high));
                row.push(with_interval(&ratio_text, low, high, 3));
            }
            Room::Narrow => {
                row.push(share("wilson"));
                row.push(median);
                row.push(ratio_text);
            }
        }
        row
    };
    let rows = analysis.cells.iter().take(MOST_ROWS).map(row).collect();
    blocks.push(Block::Table(Table { header, texts, rows }));
    if analysis.cells.len() > MOST_ROWS {
        blocks.push(Block::Paragraph(format!(
            "{} more cells are in `analysis/cells.csv`.",
            analysis.cells.len() - MOST_ROWS
        )));
    }
    blocks
}

/// The contrasts in which anything stalled; the others say nothing that the cells do not.
fn contrasts(analysis: &Analysis, room: Room) -> Vec<Block> {
    let telling_something: Vec<&CellContrast> = analysis
        .contrasts
        .iter()
        .filter(|contrast| contrast.counts.iter().any(|(stalled, _)| *stalled > 0))
        .collect();
    if telling_something.is_empty() {
        return Vec::new();
    }
    let mut columns: Vec<&'static str> = telling(analysis.cells.iter().map(|cell| &cell.factors))
        .into_iter()
        .filter(|factor| !["threads", "hash"].contains(factor))
        .collect();
    columns.extend(["threads", "hash"]);
    let level = percent(analysis.level.get());
    let mut header: Vec<String> = columns.iter().map(|name| name.to_string()).collect();
    header.push("against".into());
    let texts = header.len();
    header.extend(["stalled".to_string(), "there".to_string()]);
    if room == Room::Wide {
        header.push(format!("difference (Newcombe {level})"));
        header.push(format!("ratio (Koopman {level})"));
        header.push("p".into());
    }
    header.push("p, Holm".into());
    let row = |contrast: &&CellContrast| {
        let (test, base) =
            (&analysis.cells[contrast.test].factors, &analysis.cells[contrast.base].factors);
        let mut row: Vec<String> =
            columns.iter().map(|factor| test.get(factor).to_string()).collect();
        row.push(base.get(contrast.against.factor()).to_string());
        row.extend(contrast.counts.map(|(k, n)| format!("{k} of {n}")));
        if room == Room::Wide {
            let difference = &contrast.difference_interval;
            row.push(with_interval(
                &significant(contrast.difference, 3),
                difference.low,
                difference.high,
                3,
            ));
            let ratio = contrast.ratio.map_or_else(|| "-".to_string(), |r| significant(r, 3));
            row.push(with_interval(
                &ratio,
                contrast.ratio_interval.low,
                contrast.ratio_interval.high,
                3,
            ));
            row.push(contrast.p.map_or_else(String::new, p_value));
        }
        row.push(contrast.p_holm.map_or_else(String::new, p_value));
        row
    };
    let rows = telling_something.iter().take(MOST_ROWS).map(row).collect();
    let mut blocks = vec![
        Block::Heading(2, "Contrasts".into()),
        Block::Paragraph(format!(
            "Each cell in which anything stalled against its control, and against other kernels or \
             labels. p is Boschloo's exact test, two-sided; adjusted by Holm's method over all {} of \
             `contrasts.csv`.",
            counted(analysis.contrasts.len() as u64, "contrast", "contrasts")
        )),
        Block::Table(Table { header, texts, rows }),
    ];
    if telling_something.len() > MOST_ROWS {
        blocks.push(Block::Paragraph(format!(
            "{} more are in `analysis/contrasts.csv`.",
            telling_something.len() - MOST_ROWS
        )));
    }
    blocks
}

/// A p-value, never as 0.
fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-4 => "<0.0001".to_string(),
        p if p < 0.01 => format!("{p:.4}"),
        p => format!("{p:.3}"),
    }
}

/// A probability to three decimals, or to two digits where that would be 0.
fn probability(p: f64) -> String {
    if p != 0.0 && p < 0.001 { significant(p, 2) } else { format!("{p:.3}") }
}

/// `0.49 to 0.943`.
fn between(low: Option<f64>, high: Option<f64>, digits: usize) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("{} to {}", significant(low, digits), significant(high, digits))
        }
        (Some(low), None) => format!("above {}", significant(low, digits)),
        (None, Some(high)) => format!("below {}", significant(high, digits)),
        (None, None) => String::new(),
    }
}

fn with_interval(value: &str, low: Option<f64>, high: Option<f64>, digits: usize) -> String {
    match between(low, high, digits) {
        between if between.is_empty() || value.is_empty() => value.to_string(),
        between => format!("{value} ({between})"),
    }
}

/// The machine, the kernel and the plan of a run, as far as they are known.
fn circumstances(run: &Run) -> Table {
    if run.is_imported() {
        return super::imported::circumstances(run);
    }
    let manifest = &run.manifest;
    let machine = &manifest.machine;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut say = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            rows.push(vec![name.to_string(), value]);
        }
    };
    let text = |key: &str| {
        let value = manifest.definition.pointer(key)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_string))
    };
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    say("run", Some(format!("`{}`", run.name())));
    say("question", text("/question").map(words));
    say(
        "trials",
        Some(format!(
            "{} of {} planned; each a fresh process, in blocks that hold every cell once, in an order \
             drawn from seed {}",
            run.finished, run.planned, manifest.seed
        )),
    );
    say(
        "a trial",
        text("/duration").map(|duration| {
            let sample = text("/sample")
                .map_or_else(String::new, |sample| format!(", sampled every {sample}"));
            format!("{duration} of load with all threads{sample}")
        }),
    );
    say(
        "where",
        Some(match run.in_lab() {
            true => {
                let how = run.accelerators();
                let how = if how.is_empty() {
                    String::new()
                } else {
                    format!(" under {}", how.join(", "))
                };
                format!("in guests{how}")
            }
            false => "on the machine itself".to_string(),
        }),
    );
    for kernel in &manifest.kernels {
        let mut parts = vec![format!("`{}`", kernel.name)];
        if let Some(release) = kernel.release.as_ref().filter(|release| **release != kernel.name) {
            parts.push(release.clone());
        }
        parts.extend(kernel.version.clone());
        parts.extend(kernel.cpus.map(|n| counted(u64::from(n), "CPU", "CPUs")));
        parts.extend(kernel.nodes.map(|n| counted(u64::from(n), "node", "nodes")));
        parts.extend(kernel.patches.iter().map(|(name, sha)| {
            format!("patch {name} (SHA-256 {})", sha.chars().take(12).collect::<String>())
        }));
        say("kernel", Some(parts.join(", ")));
    }
    say("CPU", machine.cpu_model.clone());
    let mut cpus = format!(
        "{} online, {} allowed, {}",
        machine.cpus_online,
        machine.cpus_allowed,
        counted(u64::from(machine.nodes), "NUMA node", "NUMA nodes")
    );
    if let Some(packages) = machine.packages {
        cpus += &format!(", {}", counted(u64::from(packages), "socket", "sockets"));
    }
    if !machine.cache_domains.is_empty() {
        let domains = machine.cache_domains.len() as u64;
        cpus += &format!(", {}", counted(domains, "last-level cache", "last-level caches"));
    }
    if let Some(smt) = machine.smt {
        cpus += if smt { ", SMT on" } else { ", SMT off" };
    }
    say("CPUs", Some(cpus));
    say("governor", machine.governor.clone());
    say("host kernel", Some(format!("{} {}", machine.kernel_release, machine.kernel_version)));
    say("preemption", machine.preemption.clone());
    let mitigated: Vec<String> = machine
        .mitigations
        .iter()
        .filter(|(_, state)| !state.starts_with("Not affected"))
        .map(|(name, state)| format!("{name}: {state}"))
        .collect();
    say("mitigations", Some(mitigated.join("; ")));
    say("C library", machine.glibc.clone());
    say("hypervisor", machine.hypervisor.clone());
    say("architecture", Some(machine.architecture.clone()));
    let labels: Vec<String> = manifest.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    say("labels", Some(labels.join("; ")));
    let versions: Vec<String> = manifest.versions.iter().map(|(k, v)| format!("{k} {v}")).collect();
    say("programs", Some(versions.join(", ")));
    say("started", Some(manifest.started_at.clone()));
    say("ended", manifest.ended_at.clone());
    for resumed in &manifest.resumed {
        let changes = if resumed.changes.is_empty() {
            String::new()
        } else {
            format!(": {}", resumed.changes.join("; "))
        };
        say("resumed", Some(format!("{}{changes}", resumed.at)));
    }
    Table { header: vec!["what".into(), "is".into()], texts: 2, rows }
}

fn definitions(analysis: &Analysis) -> Vec<String> {
    let level = percent(analysis.level.get());
    let mut items = vec![
        format!(
            "stalled: of the trials that did their work and in which the rule has something to look at, \
             those in which {} (rule `{}`). Failed trials are in no count.",
            analysis.stall.in_words(&analysis.control),
            analysis.stall
        ),
        format!(
            "Wilson {level}: the score interval for the stall probability; its mean coverage is near \
             {level} at any n. exact {level}: Clopper and Pearson's, never below {level}, and wider."
        ),
        format!(
            "Mops/s: the median over the cell's trials of millions of operations a second, in the time \
             in which all threads worked; its interval is between two order statistics and assumes \
             nothing of the distribution. Where stalls make two modes, the median is in one of them: \
             the figure shows every trial."
        ),
        format!(
            "ratio to control: the cell's median over the median of its control (`{}`, all else the \
             same), with the percentile bootstrap interval ({} resamples, seed {}).",
            analysis.control, analysis.resampling.resamples, analysis.resampling.seed
        ),
        "An empty field was not observable, or does not exist; it is never a 0.".to_string(),
    ];
    if let StallRule::Pivot { limit } = analysis.stall {
        items.push(format!(
            "A growth is seen as installed at the first sample that shows the new size. One that is still \
             pending when the load ends, after less than {}, has no outcome.",
            seconds(limit.seconds())
        ));
    }
    items
}

fn again(analysis: &Analysis) -> Vec<Block> {
    let mut blocks = Vec::new();
    for run in &analysis.runs {
        let command: Vec<String> =
            run.manifest.command_line.iter().map(|arg| quoted(arg)).collect();
        if !command.is_empty() {
            blocks.push(Block::Code(command.join(" ")));
        }
        let source = &run.manifest.source;
        blocks.push(Block::Paragraph(format!(
            "The definition is {} (SHA-256 {}), the seed {}: the same seed gives the same order of \
             trials. It is whole in `{}`.",
            source.from,
            source.sha256.chars().take(16).collect::<String>(),
            run.manifest.seed,
            run.manifest_name()
        )));
    }
    let names: Vec<String> = analysis.runs.iter().map(|run| quoted(&run.name())).collect();
    blocks.push(Block::Paragraph("The tables and this report, from the recorded trials:".into()));
    blocks.push(Block::Code(format!(
        "experiments report {} --stall {}",
        names.join(" "),
        analysis.stall
    )));
    blocks
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) {
        argument.to_string()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_survives_the_shell() {
        assert_eq!(quoted("--set"), "--set");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn an_interval_with_one_end_says_so() {
        assert_eq!(between(Some(0.49), None, 3), "above 0.49");
        assert_eq!(between(None, Some(0.9), 3), "below 0.9");
        assert_eq!(between(None, None, 3), "");
        assert_eq!(with_interval("3", None, None, 3), "3");
    }
}
