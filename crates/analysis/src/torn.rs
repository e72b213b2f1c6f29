//! What a crash tore off the files beside `trials.csv`, found now or taken out by a resumption. The
//! lines of `trials.csv`, the plan and the timeline are found where those are read.

use std::collections::HashSet;

use model::columns::BESIDE_TIMELINE;
use records::torn::{Headless, Torn};

use crate::damage::{Damage, TornLine};
use crate::data::Data;
use crate::error::AnalysisError;

/// The other files that are read whole or not at all, so that a torn line passes unseen.
const OTHERS: [&str; 2] = ["checks.csv", "notes.csv"];

/// All of it.
pub fn damage(data: &Data) -> Result<Vec<Damage>, AnalysisError> {
    let mut found = Vec::new();
    for (at, run) in data.runs.iter().enumerate() {
        let rows: HashSet<u64> =
            data.trials.iter().filter(|trial| trial.run == at).map(|trial| trial.trial).collect();
        let mut whole_header = Vec::new();
        for beside in BESIDE_TIMELINE {
            let file = run.folder.join(beside.name);
            match Headless::of(&file, beside.columns)? {
                Some(headless) => found.push(Damage::NoHeader { file, found: headless }),
                None => whole_header.push(file),
            }
        }
        for file in whole_header.into_iter().chain(OTHERS.map(|name| run.folder.join(name))) {
            if let Some(torn) = Torn::in_file(&file)? {
                let line = TornLine::of(run, torn, &file, |trial| rows.contains(&trial));
                found.push(Damage::TornLine(line));
            }
        }
        let cuts = run.manifest.resumed.iter().flat_map(|resumed| &resumed.cut);
        found.extend(cuts.map(|said| Damage::Cut { run: run.folder.clone(), said: said.clone() }));
    }
    Ok(found)
}
