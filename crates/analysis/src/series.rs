//! Cells that differ in their thread count alone: a line of a figure, a sentence of the answer.

use std::collections::HashMap;

use serde::Serialize;

use crate::case::{Case, Occurrence};
use crate::cells::Cell;
use crate::factors::{Factors, telling};
use model::definition::Control;
use model::factor::POLICY;

/// A series of cells over thread counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// What tells it from the other series: `debian:7.3 · auto`.
    pub name: String,
    /// Whether it is the control.
    pub is_control: bool,
    /// Its kernel.
    pub kernel: String,
    /// Whether the case's event can happen in it.
    pub occurrence: Occurrence,
    /// Its cells by their place, in the order of thread counts.
    pub cells: Vec<usize>,
}

impl Series {
    /// The series of a table, in its order; those of one group (all the same but the control's factor)
    /// stand side by side, the control last.
    ///
    /// A single series of a program that is not ours, of which nothing is varied, has the name of its
    /// experiment.
    pub fn of(
        cells: &[Cell],
        control: Option<&Control>,
        case: Option<&dyn Case>,
        experiment: &str,
    ) -> Vec<Series> {
        let shape = |cell: &Cell| cell.factors.with("threads", "");
        let shapes: Vec<Factors> = cells.iter().map(shape).collect();
        let mut telling = telling(&shapes);
        let of_program = |shape: &Factors| shape.get("workload") == "command";
        let is_plain =
            telling.is_empty() && control.is_none() && shapes.first().is_some_and(of_program);
        // What it ran on comes first, what was asked of it last.
        let by_policy = telling.contains(&POLICY) || telling.is_empty();
        telling.retain(|factor| *factor != POLICY);
        if by_policy {
            telling.push(POLICY);
        }
        let of_control = control.map_or(POLICY, |control| control.factor);
        let labels = TellingLabels::of(&shapes);
        let mut at: HashMap<&Factors, usize> = HashMap::new();
        let mut series: Vec<(usize, Series)> = Vec::new();
        for (place, (cell, shape)) in cells.iter().zip(&shapes).enumerate() {
            let known = at.len();
            let found = *at.entry(shape).or_insert(known);
            if found == known {
                series.push((
                    place,
                    Series {
                        name: match is_plain {
                            true => experiment.to_string(),
                            false => labels.shorten(shape).named_by(&telling),
                        },
                        is_control: cell.is_control,
                        kernel: shape.kernel().to_string(),
                        occurrence: Occurrence::default(),
                        cells: Vec::new(),
                    },
                ));
            }
            series[found].1.cells.push(place);
        }
        series.sort_by(|(a_place, a), (b_place, b)| {
            let (a_shape, b_shape) = (&shapes[*a_place], &shapes[*b_place]);
            if a_shape.same_but(b_shape, &[of_control]) {
                a.is_control.cmp(&b.is_control).then_with(|| a_shape.in_table_order(b_shape))
            } else {
                a_shape.in_table_order(b_shape)
            }
        });
        let mut series: Vec<Series> = series.into_iter().map(|(_, series)| series).collect();
        for one in &mut series {
            let of_series: Vec<&Cell> = one.cells.iter().map(|at| &cells[*at]).collect();
            one.occurrence = case.map_or_else(Default::default, |case| case.occurrence(&of_series));
        }
        series
    }
}

/// The labels that are not the same everywhere.
struct TellingLabels {
    everywhere: Vec<String>,
}

impl TellingLabels {
    fn of(shapes: &[Factors]) -> Self {
        let labels = |shape: &Factors| -> Vec<String> {
            shape.get("labels").split(';').map(str::to_string).collect()
        };
        let mut everywhere = shapes.first().map(labels).unwrap_or_default();
        for shape in shapes {
            let here = labels(shape);
            everywhere.retain(|label| here.contains(label));
        }
        TellingLabels { everywhere }
    }

    fn shorten(&self, shape: &Factors) -> Factors {
        let left: Vec<&str> = shape
            .get("labels")
            .split(';')
            .filter(|label| !self.everywhere.iter().any(|same| same == label))
            .collect();
        shape.with("labels", &left.join(";"))
    }
}
