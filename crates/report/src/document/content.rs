//! What a report holds, in which order: the answer, the figures, the table, how it was measured,
//! what disturbed it, what the columns mean, how to do it again.

use analysis::Analysis;
use analysis::cells::Cell;
use analysis::finding::Finding;
use analysis::run::Run;
use stats::samples::median::median_ranks;
use stats::words::{counted, percent, significant};

use super::factor_columns::{FactorColumns, always};
use super::numbers::{probability, with_interval};
use super::plain_table::fits_whole;
use super::room::{MOST_ROWS, Room};
use super::shell::quoted;
use super::{Block, Table};
use crate::figure::Drawn;
use crate::say::word::{COLUMN, IS};
use crate::say::{damage, warning};

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
    let titles: Vec<&String> =
        analysis.runs.iter().filter_map(|run| run.definition.title.as_ref()).collect();
    match titles.first() {
        Some(first) if titles.iter().all(|title| title == first) => (*first).clone(),
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
    blocks.extend(super::contrasts::section(analysis, room));
    blocks.extend(super::recovery::section(analysis));
    blocks.extend(super::metrics::section(analysis, room));
    blocks.extend(super::checks::section(analysis));
    blocks.extend(super::circumstances::sections(&analysis.runs.iter().collect::<Vec<_>>()));
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
    let definitions = definitions(analysis);
    if !definitions.is_empty() {
        blocks.push(Block::Heading(2, "What the columns mean".into()));
        blocks.push(Block::List(definitions));
    }
    blocks.push(Block::Heading(2, "To do it again".into()));
    blocks.extend(again(analysis));
    blocks
}

/// At most three sentences, and the table that a reader needs with them.
pub fn short(analysis: &Analysis) -> Vec<Block> {
    let sentences = crate::say::headline::sentences(analysis);
    let mut blocks: Vec<Block> = sentences.into_iter().map(Block::Paragraph).collect();
    let confounded = analysis.findings.iter().find(|it| matches!(it, Finding::ThreadsAreCpus(_)));
    blocks.extend(confounded.map(|it| Block::Paragraph(crate::say::finding(it))));
    blocks.extend(short_cells(analysis));
    if judges_by_stalls(analysis) {
        let rule = crate::say::rule::in_words(&analysis.stall, analysis.control.as_ref());
        blocks.push(Block::Paragraph(format!("A trial {IS} when {rule}.")));
    }
    blocks.extend(damage::all(&analysis.damage).into_iter().map(Block::Paragraph));
    if !analysis.warnings.is_empty() {
        let notes = counted(analysis.warnings.len() as u64, "note", "notes");
        blocks.push(Block::Paragraph(format!(
            "{notes} on these tables: see the report, or `--details`."
        )));
    }
    blocks
}

/// Whether counts of stalls say anything.
fn judges_by_stalls(analysis: &Analysis) -> bool {
    Seen::of(analysis).outcomes && !crate::say::headline::nothing_can_stall(analysis)
}

/// A row a cell that is no control without a stall, with one interval.
fn short_cells(analysis: &Analysis) -> Option<Block> {
    let telling = |cell: &&Cell| !cell.is_control || cell.stalled() > 0;
    let mut cells: Vec<&Cell> = analysis.cells.iter().filter(telling).collect();
    if cells.is_empty() {
        cells = analysis.cells.iter().collect();
    }
    cells.first()?;
    let columns = FactorColumns::of(cells.iter().map(|cell| &cell.factors), &always(analysis));
    let seen = Seen::of(analysis);
    let stalls = judges_by_stalls(analysis);
    let mut of_cells =
        if stalls { stall_columns(analysis, Room::Narrow, seen) } else { Vec::new() };
    of_cells.retain(|(head, _)| !head.starts_with("exact "));
    // In a guest it is the emulator's.
    let in_guests = analysis.runs.iter().any(Run::in_lab);
    let speeds = if stalls && in_guests { Vec::new() } else { speed_columns(analysis, seen) };
    let last = speeds.len().saturating_sub(1);
    // A few trials give no interval of a median: then none of its ratio is shown either.
    let has_interval =
        |cell: &&Cell| cell.mops.is_none_or(|mops| median_ranks(mops.n, analysis.level).is_some());
    let with_interval = !stalls && cells.iter().all(has_interval);
    of_cells.extend(speeds.into_iter().enumerate().map(|(at, (head, text))| {
        match at == last && with_interval {
            true => (head, text),
            false => without_interval(head, text),
        }
    }));
    let mut header = columns.header();
    let texts = header.len();
    header.extend(of_cells.iter().map(|(head, _)| head.clone()));
    let row = |cell: &&Cell| {
        let mut row = columns.row(&cell.factors);
        row.extend(of_cells.iter().map(|(_, text)| text(cell)));
        row
    };
    let rows = cells.iter().take(MOST_ROWS).map(row).collect();
    Some(Block::Table(Table { header, texts, rows }))
}

/// A column without what stands in its brackets.
fn without_interval(head: String, text: Box<dyn Fn(&Cell) -> String>) -> CellColumn {
    let before = |text: &str| text.split(" (").next().unwrap_or_default().to_string();
    (before(&head), Box::new(move |cell| before(&text(cell))))
}

/// What the trials show, and what is to be kept in mind with it.
pub fn answer(analysis: &Analysis) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        crate::say::all(analysis).into_iter().map(Block::Paragraph).collect();
    if !analysis.damage.is_empty() || !analysis.warnings.is_empty() {
        blocks.push(Block::Heading(2, "To be kept in mind".into()));
        let mut list = damage::all(&analysis.damage);
        list.extend(warning::all(&analysis.warnings));
        blocks.push(Block::List(list));
    }
    blocks
}

/// The tables of cells: what stalled, and how fast it was. In a mail they are two, so that each
/// number keeps its interval.
pub fn cells(analysis: &Analysis, room: Room) -> Vec<Block> {
    if analysis.cells.is_empty() {
        // Checks alone have no cell.
        return match analysis.checks.is_empty() {
            true => vec![
                Block::Heading(2, "Cells".into()),
                Block::Paragraph("No trial has ended, so there is no cell to show.".into()),
            ],
            false => Vec::new(),
        };
    }
    let factors = || analysis.cells.iter().map(|cell| &cell.factors);
    // Of the other factors those that tell cells apart.
    let columns = FactorColumns::of(factors(), &always(analysis));
    let seen = Seen::of(analysis);
    let stalls = stall_columns(analysis, room, seen);
    let speeds = speed_columns(analysis, seen);
    let mut blocks = vec![Block::Heading(2, "Cells".into())];
    let same = columns.same(&analysis.cells[0].factors);
    if !same.is_empty() {
        blocks.push(Block::Paragraph(format!("The same in all cells: {}.", same.join(", "))));
    }
    let table = |parts: &[&Vec<CellColumn>]| {
        let mut header = columns.header();
        let texts = header.len();
        let parts = || parts.iter().flat_map(|part| part.iter());
        header.extend(parts().map(|(head, _)| head.clone()));
        let row = |cell: &Cell| {
            let mut row = columns.row(&cell.factors);
            row.extend(parts().map(|(_, text)| text(cell)));
            row
        };
        let rows = analysis.cells.iter().take(MOST_ROWS).map(row).collect();
        Table { header, texts, rows }
    };
    match room {
        Room::Narrow if seen.mops => {
            if seen.outcomes || seen.failed {
                blocks.push(Block::Table(narrowed(table(&[&stalls]))));
            }
            blocks.push(Block::Table(table(&[&speeds])));
        }
        Room::Narrow => blocks.push(Block::Table(narrowed(table(&[&stalls, &speeds])))),
        Room::Wide => blocks.push(Block::Table(table(&[&stalls, &speeds]))),
    }
    if analysis.cells.len() > MOST_ROWS {
        let more = (analysis.cells.len() - MOST_ROWS) as u64;
        let more = counted(more, "more cell is", "more cells are");
        blocks.push(Block::Paragraph(format!("{more} in `analysis/cells.csv`.")));
    }
    blocks
}

/// A mail's table without its second interval, where both don't fit.
fn narrowed(mut table: Table) -> Table {
    let exact = table.header.iter().position(|head| head.starts_with("exact "));
    if let Some(at) = exact.filter(|_| !fits_whole(&table, super::mail::WIDTH)) {
        table.header.remove(at);
        for row in table.rows.iter_mut().filter(|row| row.len() > at) {
            row.remove(at);
        }
    }
    table
}

/// What there is to show of any cell: a column without a value is left out.
#[derive(Debug, Clone, Copy)]
struct Seen {
    outcomes: bool,
    failed: bool,
    mops: bool,
    ratios: bool,
}

impl Seen {
    fn of(analysis: &Analysis) -> Seen {
        let any = |is: fn(&Cell) -> bool| analysis.cells.iter().any(is);
        Seen {
            outcomes: any(|cell| cell.stall.is_some()),
            failed: any(|cell| cell.failed > 0),
            mops: any(|cell| cell.mops.is_some()),
            ratios: any(|cell| cell.control_ratio.is_some()),
        }
    }
}

/// A head, and a cell's text under it.
type CellColumn = (String, Box<dyn Fn(&Cell) -> String>);

fn stall_columns(analysis: &Analysis, room: Room, seen: Seen) -> Vec<CellColumn> {
    let level = percent(analysis.level.get());
    let mut columns: Vec<CellColumn> = Vec::new();
    if seen.outcomes {
        columns.push((
            COLUMN.to_string(),
            Box::new(|cell| match &cell.stall {
                Some(stall) => format!("{} of {}", stall.k, stall.n),
                None => "not seen".to_string(),
            }),
        ));
    } else {
        columns.push(("trials".into(), Box::new(|cell| cell.trials.to_string())));
    }
    if seen.failed {
        columns.push(("failed".into(), Box::new(|cell| cell.failed.to_string())));
    }
    if !seen.outcomes {
        return columns;
    }
    if room == Room::Wide {
        columns.push((
            "share".into(),
            Box::new(|cell| {
                cell.stall.as_ref().map_or_else(String::new, |stall| probability(stall.estimate))
            }),
        ));
    }
    let share = |method: &'static str| -> Box<dyn Fn(&Cell) -> String> {
        Box::new(move |cell| {
            let bound = |x: Option<f64>| x.map_or_else(|| "-".to_string(), probability);
            cell.stall_interval(method)
                .map_or_else(String::new, |i| format!("{} to {}", bound(i.low), bound(i.high)))
        })
    };
    columns.push((format!("Wilson {level}"), share("wilson")));
    columns.push((format!("exact {level}"), share("clopper-pearson")));
    columns
}

fn speed_columns(analysis: &Analysis, seen: Seen) -> Vec<CellColumn> {
    let level = percent(analysis.level.get());
    let mut columns: Vec<CellColumn> = Vec::new();
    if seen.mops {
        columns.push((
            format!("Mops/s, median ({level})"),
            Box::new(|cell| {
                cell.mops.map_or_else(String::new, |mops| {
                    with_interval(&significant(mops.median, 4), mops.low, mops.high, 4)
                })
            }),
        ));
    }
    if seen.ratios {
        columns.push((
            format!("ratio to control ({level})"),
            Box::new(|cell| {
                let ratio = cell.control_ratio.and_then(|ratio| Some((ratio, ratio.estimate?)));
                ratio.map_or_else(String::new, |(ratio, estimate)| {
                    with_interval(&significant(estimate, 3), ratio.low, ratio.high, 3)
                })
            }),
        ));
    }
    columns
}

fn definitions(analysis: &Analysis) -> Vec<String> {
    let level = percent(analysis.level.get());
    let seen = Seen::of(analysis);
    let mut items = Vec::new();
    if analysis.cells.is_empty() {
        return items;
    }
    if seen.outcomes {
        items.push(format!(
            "{COLUMN}: of the trials in which the rule has something to look at, \
             those in which {} (rule `{}`). A trial that failed by what the rule does not name is in no count.",
            crate::say::rule::in_words(&analysis.stall, analysis.control.as_ref()),
            analysis.stall
        ));
        items.push(format!(
            "Wilson {level}: the score interval for the probability; its mean coverage is near \
             {level} at any n. exact {level}: Clopper and Pearson's, never below {level}, and wider."
        ));
    }
    let imported = analysis.runs.iter().all(Run::is_imported);
    if seen.mops {
        let over = if imported { "" } else { ", in the time in which all threads worked" };
        let modes = match seen.outcomes {
            true => " Where stalls make two modes, the median is in one of them.",
            false => "",
        };
        items.push(format!(
            "Mops/s: the median over the cell's trials of millions of operations a second{over}; its \
             interval is between two order statistics and assumes nothing of the distribution.{modes}"
        ));
    }
    if seen.ratios || analysis.metrics.iter().any(|metric| metric.control_ratio.is_some()) {
        items.push(format!(
            "ratio to control: the cell's median over the median of its control (`{}`, all else the \
             same), with the percentile bootstrap interval ({} resamples, seed {}).",
            analysis.control_value(), analysis.resampling.resamples, analysis.resampling.seed
        ));
    }
    items
        .push("An empty field was not observable, or does not exist; it is never a 0.".to_string());
    if let Some(limit) = analysis.stall.event_limit() {
        items.push(crate::say::case::when_event_is_over(limit));
    }
    items
}

fn again(analysis: &Analysis) -> Vec<Block> {
    let mut blocks = Vec::new();
    for run in &analysis.runs {
        let command: Vec<String> =
            run.command_into_its_folder().iter().map(|arg| quoted(arg)).collect();
        if !command.is_empty() {
            blocks.push(Block::Code(command.join(" ")));
        }
        let source = &run.manifest.source;
        if run.is_imported() {
            blocks.push(Block::Paragraph(format!(
                "The source is {} (SHA-256 {}); what was read of it is in `{}`.",
                source.from,
                source.sha256.chars().take(16).collect::<String>(),
                run.folder.display()
            )));
            continue;
        }
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
    let rule = match analysis.cells.is_empty() {
        true => String::new(),
        false => format!(" --stall {}", analysis.stall),
    };
    blocks.push(Block::Code(format!("experiments report {}{rule}", names.join(" "))));
    blocks
}
