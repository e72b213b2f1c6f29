//! What was measured beyond throughput, as a table.

use analysis::Analysis;
use analysis::metrics::CellMetric;
use stats::words::{counted, p_value, percent, significant};

use super::factor_columns::FactorColumns;
use super::numbers::with_interval;
use super::room::{MOST_ROWS, Room};
use super::{Block, Table};

/// The section; nothing where nothing more was measured.
pub fn section(analysis: &Analysis, room: Room) -> Vec<Block> {
    if analysis.metrics.is_empty() {
        return Vec::new();
    }
    let cells = analysis.metrics.iter().filter_map(|metric| analysis.cells.get(metric.cell));
    let columns = FactorColumns::of(cells.map(|cell| &cell.factors), &[]);
    let mut header: Vec<String> = vec!["metric".into(), "unit".into()];
    header.extend(columns.header());
    let texts = header.len();
    let level = percent(analysis.level.get());
    let ratios = analysis.metrics.iter().any(|metric| metric.control_ratio.is_some());
    // One value against one is no test.
    let tested = |found: &CellMetric| found.median.n > 1 && found.control_n > 1;
    let tests = analysis.metrics.iter().any(tested);
    header.push("n".into());
    header.push(format!("median ({level})"));
    if ratios {
        header.push(format!("ratio to control ({level})"));
    }
    if tests {
        header.push("p".into());
    }
    let mut order: Vec<_> = analysis.metrics.iter().collect();
    // One metric's cells beside each other; within it the order of the cells.
    order.sort_by(|a, b| {
        a.metric.cmp(&b.metric).then(a.unit.cmp(&b.unit)).then(a.cell.cmp(&b.cell))
    });
    let rows = order.iter().take(MOST_ROWS).map(|found| {
        let mut row = vec![found.metric.clone(), found.unit.clone()];
        match analysis.cells.get(found.cell) {
            Some(cell) => row.extend(columns.row(&cell.factors)),
            None => row.resize(texts, String::new()),
        }
        let median = found.median;
        row.push(median.n.to_string());
        row.push(with_interval(&significant(median.median, 4), median.low, median.high, 4));
        if ratios {
            let ratio = found.control_ratio.and_then(|ratio| Some((ratio, ratio.estimate?)));
            row.push(ratio.map_or_else(String::new, |(ratio, estimate)| {
                with_interval(&significant(estimate, 3), ratio.low, ratio.high, 3)
            }));
        }
        if tests {
            let p = found.control_p.filter(|_| tested(found));
            row.push(p.map_or_else(String::new, p_value));
        }
        row
    });
    let mut table = Table { header, texts, rows: rows.collect() };
    let mut text = "Medians over a cell's trials, a number a trial".to_string();
    if analysis.metrics.iter().any(|metric| metric.median.low.is_none()) {
        text += ", with an interval where there are enough of them";
    }
    text += ". A median of quantiles is not the quantile of all.";
    if ratios {
        text += " The ratio is of the medians.";
    }
    if tests {
        text += " p is Mann and Whitney's test against the control, two-sided, not adjusted.";
    }
    let mut blocks =
        vec![Block::Heading(2, "What else was measured".into()), Block::Paragraph(text)];
    match room {
        Room::Wide => {
            strip_empty(&mut table);
            blocks.push(Block::Table(table));
        }
        Room::Narrow => blocks.extend(one_by_one(table)),
    }
    if order.len() > MOST_ROWS {
        let more = counted((order.len() - MOST_ROWS) as u64, "more row is", "more rows are");
        blocks.push(Block::Paragraph(format!("{more} in `analysis/metrics.csv`.")));
    }
    blocks
}

/// A table a metric, named above it: without the columns that are the same in all its rows, a mail
/// has room for the others.
fn one_by_one(table: Table) -> Vec<Block> {
    let mut blocks = Vec::new();
    for rows in table.rows.chunk_by(|a, b| a.iter().take(2).eq(b.iter().take(2))) {
        let name =
            |at: usize| rows.first().and_then(|row| row.get(at)).cloned().unwrap_or_default();
        let unit = name(1);
        let unit = if unit == "1" { String::new() } else { format!(", in {unit}") };
        blocks.push(Block::Paragraph(format!("`{}`{unit}:", name(0))));
        let rest = |row: &[String]| row.iter().skip(2).cloned().collect::<Vec<String>>();
        let mut part = Table {
            header: rest(&table.header),
            texts: table.texts.saturating_sub(2),
            rows: rows.iter().map(|row| rest(row)).collect(),
        };
        strip_empty(&mut part);
        blocks.push(Block::Table(part));
    }
    blocks
}

/// Takes out the columns that are empty in every row.
fn strip_empty(table: &mut Table) {
    for at in (0..table.header.len()).rev() {
        let empty = |row: &Vec<String>| row.get(at).is_none_or(String::is_empty);
        if !table.rows.is_empty() && table.rows.iter().all(empty) {
            table.header.remove(at);
            for row in table.rows.iter_mut().filter(|row| row.len() > at) {
                row.remove(at);
            }
            if at < table.texts {
                table.texts -= 1;
            }
        }
    }
}
