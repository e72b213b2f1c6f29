//! The timelines that a figure shows: of the cell that recovered most often, one trial that recovered,
//! one that did not, one that never stalled, and one of its control.

use records::timeline::samples_at;

use super::look::{all_at_work, found};
use super::windows::windows;
use super::{Asked, Look, Stall, Timelines, asked};
use crate::cells::Cell;
use crate::data::Data;
use crate::error::AnalysisError;
use stats::recovery::{Recovery, Sample};

/// What a trial is shown for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It stalled and recovered.
    Recovered,
    /// It stalled and did not recover.
    NotRecovered,
    /// It is of the same cell and did not stall.
    NeverStalled,
    /// It is of the control.
    Control,
}

/// A trial's timeline, and what was found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// What it is shown for.
    pub role: Role,
    /// The cell, by its place among the cells.
    pub cell: usize,
    /// The trial, by its place in the data set.
    pub trial: usize,
    /// What was asked of it.
    pub asked: Asked,
    /// Its windows with a throughput.
    pub samples: Vec<Sample>,
    /// What was found.
    pub found: Recovery,
}

/// The timelines to show; none where no trial stalled.
pub fn shown(
    data: &Data,
    cells: &[Cell],
    timelines: &Timelines,
) -> Result<Vec<Shown>, AnalysisError> {
    let mut counts = vec![(0u64, 0u64); cells.len()];
    for (trial, look) in data.trials.iter().zip(&timelines.looks) {
        if let (Look::Stalled(stall), false) = (look, cells[trial.cell].is_control)
            && !stall.is_single()
        {
            counts[trial.cell].0 += u64::from(stall.recovered.is_some());
            counts[trial.cell].1 += 1;
        }
    }
    let best = (0..cells.len())
        .filter(|cell| counts[*cell].1 > 0)
        .max_by_key(|cell| (counts[*cell], cells[*cell].factors.threads()));
    let Some(cell) = best else { return Ok(Vec::new()) };

    let stalls = |recovered: bool| -> Vec<(usize, &Stall)> {
        let mut stalls: Vec<(usize, &Stall)> = timelines
            .looks
            .iter()
            .enumerate()
            .filter_map(|(at, look)| match look {
                Look::Stalled(stall) => Some((at, &**stall)),
                _ => None,
            })
            .filter(|(at, stall)| {
                data.trials[*at].cell == cell
                    && !stall.is_single()
                    && stall.recovered.is_some() == recovered
            })
            .collect();
        stalls.sort_by(|(_, a), (_, b)| a.until_s.total_cmp(&b.until_s));
        stalls
    };
    let middle = |stalls: &[(usize, &Stall)]| {
        stalls.get(stalls.len().saturating_sub(1) / 2).map(|(at, _)| *at)
    };
    let first = |cell: usize, stalled: bool| {
        let fits = |at: &usize| {
            let never = matches!(timelines.looks[*at], Look::NeverStalled);
            data.trials[*at].cell == cell && (never || stalled) && timelines.places[*at].is_some()
        };
        (0..data.trials.len()).find(fits)
    };
    let not_recovered = stalls(false);
    // One that rose and fell again says more than one that did not.
    let partial = not_recovered.iter().find(|(_, stall)| !stall.partial.is_empty());
    let control = cells[cell].control.filter(|control| *control != cell);
    let picked = [
        (Role::Recovered, middle(&stalls(true))),
        (Role::NotRecovered, partial.map(|(at, _)| *at).or_else(|| middle(&not_recovered))),
        (Role::NeverStalled, first(cell, false)),
        (Role::Control, control.and_then(|control| first(control, true))),
    ];
    let mut shown = Vec::new();
    for (role, trial) in picked {
        let Some(trial) = trial else { continue };
        shown.extend(of_trial(data, cells, timelines, role, trial)?);
    }
    Ok(shown)
}

fn of_trial(
    data: &Data,
    cells: &[Cell],
    timelines: &Timelines,
    role: Role,
    at: usize,
) -> Result<Option<Shown>, AnalysisError> {
    let trial = &data.trials[at];
    let (Some(place), Some(account)) = (timelines.places[at], timelines.accounts.get(trial.run))
    else {
        return Ok(None);
    };
    let Ok(asked) = asked(data, cells, &account.terms, trial) else { return Ok(None) };
    let samples = samples_at(&data.runs[trial.run].folder, place)?;
    let Some((found, _)) = found(&samples, &asked)? else { return Ok(None) };
    let start_s = all_at_work(&samples, &asked).unwrap_or(0.0);
    let samples = windows(&samples, &asked, start_s);
    Ok(Some(Shown { role, cell: trial.cell, trial: at, asked, samples, found }))
}
