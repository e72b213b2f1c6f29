//! What a crash tore off the files of a run.

use std::path::Path;

use model::columns::{BESIDE_TIMELINE, TIMELINE_FILE};
use records::torn::{Cut, Headless, Torn};

/// That the last line of `trials.csv` is torn, to who resumes the run.
pub fn trial_runs_again(torn: &Torn, file: &Path) -> String {
    let (file, line, text) = (file.display(), torn.line, shortened(&torn.text));
    format!("{file} line {line} is torn ({text:?}): its trial runs again")
}

/// What a resumption took out of a file, and what is lost by it.
pub fn cut(cut: &Cut) -> String {
    match cut {
        Cut::Line { file, line } => {
            let what = rows_of(file).unwrap_or("rows");
            let lost = match line.trial() {
                Some(trial) => format!("the {what} of trial {trial} end there"),
                None => format!("the {what} of its trial end there, if that was finished"),
            };
            let (number, text) = (line.line, shortened(&line.text));
            format!(
                "{file} line {number} was torn ({text:?}) and taken out when the run was resumed: {lost}"
            )
        }
        Cut::Header { file, found, finished } => {
            let found = match found {
                Headless::Empty => "was empty",
                Headless::Torn(_) => "had a torn header and no row",
            };
            let trials = if *finished == 1 { "trial" } else { "trials" };
            format!(
                "{file} {found} when the run was resumed, and its header was put back: what it may have \
                 held of {finished} finished {trials} is lost"
            )
        }
    }
}

/// What the rows of a file are, in the plural, if it is one of rows of trials.
pub(super) fn rows_of(file: &str) -> Option<&'static str> {
    let all = [TIMELINE_FILE].into_iter().chain(BESIDE_TIMELINE);
    all.into_iter().find(|known| known.name == file).map(|known| known.rows)
}

pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_is_said_with_what_is_lost() {
        let line = |text: &str| Torn { line: 5, text: text.into() };
        let of = |file: &str, text: &str| cut(&Cut::Line { file: file.into(), line: line(text) });
        assert_eq!(
            of("timeline.csv", "2,0.5,1"),
            "timeline.csv line 5 was torn (\"2,0.5,1\") and taken out when the run was resumed: the \
             samples of trial 2 end there"
        );
        assert!(of("metrics.csv", "2").ends_with("of its trial end there, if that was finished"));
        let header =
            Cut::Header { file: "timeline.csv".into(), found: Headless::Empty, finished: 2 };
        let said = cut(&header);
        assert!(said.starts_with("timeline.csv was empty") && said.contains("2 finished trials"));
    }
}
