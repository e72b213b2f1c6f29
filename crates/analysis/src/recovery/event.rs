//! Recovery by the case's event: from the moment at which it became due to the first sample that showed
//! it over.
//!
//! An event that was still pending when the load ended is right-censored at the time it was watched:
//! it is in every estimate, as a time of at least that. A median is therefore often absent where a
//! mean of the times that were seen would look fine.

use model::event::Event;
use rayon::prelude::*;

use super::{CellRecovery, SeenBy, Sense};
use crate::data::Data;
use crate::error::AnalysisError;
use stats::Level;
use stats::survival::{Group, Lifetime, SurvivalOptions, summarize};

/// How long an event took; of one that was pending, at least how long. `None` where it was not due, or
/// its time was not recorded.
pub fn lifetime(event: Event) -> Option<Lifetime> {
    match event {
        Event::Over { after_s } => after_s.map(Lifetime::Exact),
        Event::Pending { watched_s } => watched_s.map(Lifetime::RightCensored),
        Event::NotDue | Event::Absent => None,
    }
}

/// The recovery of every cell in which the event was due in a trial.
pub fn recoveries(data: &Data, level: Level) -> Result<Vec<CellRecovery>, AnalysisError> {
    let mut times: Vec<Vec<Lifetime>> = vec![Vec::new(); data.cells.len()];
    for trial in data.trials.iter().filter(|trial| trial.is_ok()) {
        times[trial.cell].extend(trial.event.and_then(lifetime));
    }
    // The tables have no quantile but the median.
    let options = SurvivalOptions { level, quantiles: Vec::new(), ..SurvivalOptions::default() };
    times
        .into_par_iter()
        .enumerate()
        .filter(|(_, trials)| !trials.is_empty())
        .map(|(cell, trials)| {
            let mut summary = summarize(&[Group { name: None, trials }], &options)?;
            let group = summary.groups.swap_remove(0);
            let mut recovery = CellRecovery::of_group(cell, Sense::Event, group, &summary.notes);
            recovery.seen_by = SeenBy::of(&data.cells[cell]);
            Ok(recovery)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;
    use model::record::Pivot;

    #[test]
    fn the_reported_recovery_times_have_their_known_estimates() {
        let mut made = Synthetic::new(192);
        for after in [14.0, 33.0, 165.0, 169.0, 280.0, 300.0] {
            made.trial(192, "auto").pivot_s = Some(after);
        }
        let row = made.trial(192, "auto");
        (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(300.0));
        made.trial(192, "slots:512");
        let (_folder, run) = made.written();
        let data = Data::read(&[run]).unwrap();
        let found = recoveries(&data, Level::P95).unwrap();
        assert_eq!(found.len(), 1, "the control has no growth to wait for");
        let cell = &found[0];
        assert_eq!((cell.n, cell.events), (7, 6));
        assert_eq!(cell.median.estimate, Some(169.0));
        assert!((cell.weibull_scale.unwrap() - 213.517).abs() < 1e-3);
        assert!((cell.weibull_shape.unwrap() - 1.1633).abs() < 1e-4);
        let last = cell.curve.last().unwrap();
        assert!((last.survival - 1.0 / 7.0).abs() < 1e-12);
        let analysis = crate::Analysis::of(data, &crate::Options::default()).unwrap();
        let csv = super::super::csv(&analysis.recovery, &analysis.cells);
        assert!(csv.lines().nth(1).unwrap().contains(",pivot,slots,7,6,169,"), "{csv}");
    }

    #[test]
    fn a_cell_of_which_nothing_recovered_has_no_median() {
        let mut made = Synthetic::new(192);
        for _ in 0..5 {
            let row = made.trial(192, "auto");
            (row.pivot, row.pivot_s) = (Some(Pivot::Pending), Some(3.0));
        }
        let (_folder, run) = made.written();
        let found = recoveries(&Data::read(&[run]).unwrap(), Level::P95).unwrap();
        assert_eq!((found[0].n, found[0].events), (5, 0));
        assert_eq!(found[0].median.estimate, None);
    }
}
