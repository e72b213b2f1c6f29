//! Cells against each other, with their tests and what several tests cost.

use analysis::Analysis;
use analysis::contrasts::{Against, CellContrast};
use stats::words::{counted, p_value, percent, significant};

use super::factor_columns::{FactorColumns, always, other_labels};
use super::numbers::with_interval;
use super::room::{MOST_ROWS, Room};
use super::{Block, Table};
use crate::say::word::{COLUMN, HAD};

/// The contrasts in which anything stalled, and anything did not; the others say nothing that the
/// cells do not.
pub fn section(analysis: &Analysis, room: Room) -> Vec<Block> {
    let telling_something: Vec<&CellContrast> = analysis
        .contrasts
        .iter()
        .filter(|contrast| {
            let [(test, of_test), (base, of_base)] = contrast.counts;
            test + base > 0 && test + base < of_test + of_base
        })
        .collect();
    if telling_something.is_empty() {
        return Vec::new();
    }
    let tests = telling_something.iter().map(|contrast| &analysis.cells[contrast.test].factors);
    let always = always(analysis);
    let always = match room {
        Room::Wide => &always[..],
        Room::Narrow => &always[..1],
    };
    let columns = FactorColumns::of(tests, always);
    let level = percent(analysis.level.get());
    let against = |contrast: &CellContrast| {
        let (test, base) =
            (&analysis.cells[contrast.test].factors, &analysis.cells[contrast.base].factors);
        match contrast.against {
            Against::Labels => other_labels(test, base),
            against => base.get(against.factor(analysis.control.as_ref())).to_string(),
        }
    };
    // What is the same in all rows is said once, above them.
    let first = against(telling_something[0]);
    let one_base = telling_something.iter().all(|contrast| against(contrast) == first);
    let digits = if room == Room::Wide { 3 } else { 2 };
    let mut header = columns.header();
    if !one_base {
        header.push("against".into());
    }
    let texts = header.len();
    header.extend([COLUMN.to_string(), "there".to_string()]);
    header.push(match room {
        Room::Wide => format!("difference (Newcombe {level})"),
        Room::Narrow => format!("difference ({level})"),
    });
    if room == Room::Wide {
        header.push(format!("ratio (Koopman {level})"));
    }
    header.push("p".into());
    let several = analysis.contrasts.len() > 1;
    if several {
        header.extend(["p, Holm".to_string(), "p, BH".to_string()]);
    }
    let row = |contrast: &&CellContrast| {
        let mut row = columns.row(&analysis.cells[contrast.test].factors);
        if !one_base {
            row.push(against(contrast));
        }
        row.extend(contrast.counts.map(|(k, n)| format!("{k} of {n}")));
        let difference = &contrast.difference_interval;
        row.push(with_interval(
            &significant(contrast.difference, digits),
            difference.low,
            difference.high,
            digits,
        ));
        if room == Room::Wide {
            let ratio = contrast.ratio.map_or_else(|| "-".to_string(), |r| significant(r, 3));
            let interval = &contrast.ratio_interval;
            row.push(with_interval(&ratio, interval.low, interval.high, 3));
        }
        row.push(contrast.p.map_or_else(String::new, p_value));
        if several {
            row.push(contrast.p_holm.map_or_else(String::new, p_value));
            row.push(contrast.p_bh.map_or_else(String::new, p_value));
        }
        row
    };
    let rows = telling_something.iter().take(MOST_ROWS).map(row).collect();
    let adjusted = match analysis.contrasts.len() as u64 {
        1 => "It is the only contrast, so that there is nothing to adjust for.".to_string(),
        all => format!(
            "Adjusted over {} of `contrasts.csv`: Holm's method holds the chance of any false alarm, \
             Benjamini and Hochberg's (BH) the share of false ones among those found.",
            match all {
                2 => "both contrasts".to_string(),
                all => format!("all {}", counted(all, "contrast", "contrasts")),
            }
        ),
    };
    let mut blocks = vec![
        Block::Heading(2, "Contrasts".into()),
        Block::Paragraph(format!(
            "Cells against their controls, and against other kernels or labels, where anything {HAD} and \
             anything did not{}. The difference has Newcombe's interval; p is Fisher's exact test, two-sided. \
             {adjusted}",
            if one_base { format!("; here all against `{first}`") } else { String::new() }
        )),
        Block::Table(Table { header, texts, rows }),
    ];
    if telling_something.len() > MOST_ROWS {
        let more = (telling_something.len() - MOST_ROWS) as u64;
        blocks.push(Block::Paragraph(match more {
            1 => "1 more is in `analysis/contrasts.csv`.".to_string(),
            more => format!("{more} more are in `analysis/contrasts.csv`."),
        }));
    }
    blocks
}
