use analysis::finding::few_trials::{FewTimes, FewTrials};
use stats::survival::{PointwiseMethod, notes};
use stats::words::counted;

use super::{percent, trials};

pub(super) fn few_times(it: &FewTimes) -> String {
    let note = notes::few_trials(it.least, PointwiseMethod::default());
    note.as_ref().map_or_else(String::new, stats::said::survival::note)
}

pub(super) fn few_trials(it: &FewTrials) -> String {
    let values = match it.imported {
        true => counted(it.most, "throughput", "throughputs"),
        false => trials(it.most),
    };
    let cells = match it.cells {
        1 => format!("1 cell has {values}"),
        n => format!("{n} cells have at most {values} each"),
    };
    let level = percent(it.level);
    let needed = it.needed;
    let advice = match it.imported {
        true => String::new(),
        false => format!(" `--trials {needed}` gives one."),
    };
    format!(
        "{cells}: a median's {level} interval needs {needed}, so it is left empty there.{advice}"
    )
}
