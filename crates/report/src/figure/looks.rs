//! How series look, so that one has the same colour and marker in every figure of a report.

use analysis::Analysis;
use analysis::series::Series;

use crate::draw::{Look, look};

/// The looks of series: by their places among the analysis' series that are no control, and by
/// their order here where two would look alike. A control is grey, with the marker of its place.
pub(super) fn looks(analysis: &Analysis, series: &[&Series]) -> Vec<Look> {
    let all: Vec<&Series> = analysis.series.iter().collect();
    let place = |one: &Series| all.iter().position(|other| std::ptr::eq(*other, one));
    let places = |among: &[&Series]| -> Vec<usize> {
        let mut next = 0;
        let of = |series: &&Series| {
            let place = next;
            next += usize::from(!series.is_control);
            place
        };
        among.iter().map(of).collect()
    };
    let everywhere = places(&all);
    let wanted: Option<Vec<Look>> = series
        .iter()
        .map(|one| Some(look(*everywhere.get(place(one)?)?, one.is_control)))
        .collect();
    let distinct = |looks: &Vec<Look>| {
        let mut of = looks.iter().zip(series).filter(|(_, series)| !series.is_control);
        let mut seen: Vec<&Look> = Vec::new();
        of.all(|(look, _)| {
            let new = seen.iter().all(|other| other.colour != look.colour);
            seen.push(look);
            new
        })
    };
    wanted.filter(distinct).unwrap_or_else(|| {
        places(series).into_iter().zip(series).map(|(at, one)| look(at, one.is_control)).collect()
    })
}
