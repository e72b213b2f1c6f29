//! What was measured beyond throughput, as a table.

use analysis::Analysis;
use analysis::factors::telling;
use analysis::words::{percent, significant};

use super::content::Room;
use super::{Block, Table};

/// The longest table; `metrics.csv` has all rows.
const MOST_ROWS: usize = 200;

/// The section; nothing where nothing more was measured.
pub fn section(analysis: &Analysis, room: Room) -> Vec<Block> {
    if analysis.metrics.is_empty() {
        return Vec::new();
    }
    let cells = analysis.metrics.iter().filter_map(|metric| analysis.cells.get(metric.cell));
    let columns = telling(cells.map(|cell| &cell.factors));
    let mut header: Vec<String> = vec!["metric".into(), "unit".into()];
    header.extend(columns.iter().map(|name| name.to_string()));
    let texts = header.len();
    let level = percent(analysis.level.get());
    header.push("n".into());
    match room {
        Room::Wide => {
            header.push(format!("median ({level})"));
            header.push(format!("ratio to control ({level})"));
        }
        Room::Narrow => header.extend(["median".into(), "ratio".into()]),
    }
    let bounds = |low: Option<f64>, high: Option<f64>, digits| match (room, low, high) {
        (Room::Wide, Some(low), Some(high)) => {
            format!(" ({} to {})", significant(low, digits), significant(high, digits))
        }
        _ => String::new(),
    };
    let mut order: Vec<_> = analysis.metrics.iter().collect();
    // One metric's cells beside each other; within it the order of the cells.
    order.sort_by(|a, b| {
        a.metric.cmp(&b.metric).then(a.unit.cmp(&b.unit)).then(a.cell.cmp(&b.cell))
    });
    let rows =
        order.iter().take(MOST_ROWS).map(|found| {
            let mut row = vec![found.metric.clone(), found.unit.clone()];
            let factors = analysis.cells.get(found.cell).map(|cell| &cell.factors);
            row.extend(columns.iter().map(|name| {
                factors.map_or_else(String::new, |factors| factors.get(name).to_string())
            }));
            let median = found.median;
            row.push(median.n.to_string());
            let interval = bounds(median.low, median.high, 4);
            row.push(significant(median.median, 4) + &interval);
            let ratio = found.control_ratio.and_then(|ratio| Some((ratio, ratio.estimate?)));
            row.push(ratio.map_or_else(String::new, |(ratio, estimate)| {
                significant(estimate, 3) + &bounds(ratio.low, ratio.high, 3)
            }));
            row
        });
    let table = Table { header, texts, rows: rows.collect() };
    let mut blocks = vec![
        Block::Heading(2, "What else was measured".into()),
        Block::Paragraph(
            "Medians over a cell's trials, a number a trial; the ratio is of the medians. A median of \
             quantiles is not the quantile of all."
                .into(),
        ),
        Block::Table(table),
    ];
    if order.len() > MOST_ROWS {
        let more = order.len() - MOST_ROWS;
        blocks.push(Block::Paragraph(format!("{more} more rows are in `analysis/metrics.csv`.")));
    }
    blocks
}
