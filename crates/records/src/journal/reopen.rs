//! Reopening a run: what belongs to no finished trial is taken out, and so are torn last lines.

use std::collections::BTreeSet;
use std::path::Path;

use model::column::Column;
use model::columns::{METRICS, PIVOTS, TIMELINE, TRIALS};

use super::lock::RunLock;
use super::{Journal, JournalError, TRIALS_FILE, synced};
use crate::table::Table;
use crate::torn::{Cut, Headless, Torn};

/// A run that is resumed.
#[derive(Debug)]
pub struct Reopened {
    /// Its open files.
    pub journal: Journal,
    /// The numbers of the trials that are finished.
    pub finished: BTreeSet<u64>,
    /// The torn last line of `trials.csv`, whose trial is run again.
    pub torn: Option<Torn>,
    /// What was lost of finished trials.
    pub cut: Vec<Cut>,
}

impl Journal {
    /// Opens a run to resume it.
    pub fn reopen(folder: &Path, lock: RunLock) -> Result<Reopened, JournalError> {
        let file = folder.join(TRIALS_FILE);
        let table = Table::read(&file, &TRIALS)?;
        table.unique("trial")?;
        let finished: BTreeSet<u64> =
            table.column("trial").iter().filter_map(|(_, cell)| cell.parse().ok()).collect();
        if table.torn.is_some() {
            synced::replace(&file, &table.text)?;
        }
        let mut cut = Vec::new();
        for (name, columns) in
            [("timeline.csv", &TIMELINE[..]), ("metrics.csv", &METRICS), ("pivots.csv", &PIVOTS)]
        {
            let file = folder.join(name);
            let name = name.to_string();
            if let Some(found) = Headless::of(&file, columns)? {
                synced::replace(&file, &synced::header(columns))?;
                if !finished.is_empty() {
                    cut.push(Cut::Header { file: name, found, finished: finished.len() });
                }
            } else if file.exists()
                && let Some(line) = keep_finished(&file, columns, &finished)?
                && line.trial().is_none_or(|trial| finished.contains(&trial))
            {
                cut.push(Cut::Line { file: name, line });
            }
        }
        Ok(Reopened { journal: Journal::open(folder, lock)?, finished, torn: table.torn, cut })
    }
}

/// Rewrites a side file without the rows of trials that are not finished, and without a torn line,
/// which it returns.
fn keep_finished(
    file: &Path,
    columns: &[Column],
    finished: &BTreeSet<u64>,
) -> Result<Option<Torn>, JournalError> {
    let table = Table::read(file, columns)?;
    let mut lines = table.text.split_inclusive('\n');
    let header = lines.next().unwrap_or_default().to_string();
    let of_finished = |line: &&str| {
        let trial = line.split(',').next().and_then(|cell| cell.parse().ok());
        trial.is_some_and(|trial: u64| finished.contains(&trial))
    };
    let kept = header + &lines.filter(of_finished).collect::<String>();
    if table.torn.is_some() || kept.len() < table.text.len() {
        synced::replace(file, &kept)?;
    }
    Ok(table.torn)
}
