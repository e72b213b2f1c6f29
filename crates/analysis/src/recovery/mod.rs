//! `recovery.csv`: how long a stall lasted, a row a cell and a sense.
//!
//! By the case's event a trial has recovered when that is over ([`event`]); by throughput when it is
//! back at a share of its control ([`throughput`]). They answer different questions and may differ: an
//! event may be pending without a loss, and a loss may have another cause.

pub mod event;
pub mod stalls;
pub mod throughput;

use model::columns::FACTORS;
use model::event::column;
use serde::{Serialize, Serializer};

use crate::cells::Cell;
use crate::csv_text::{CsvText, integer, number};
use crate::factors::Factors;
use stats::survival::notes::Note;
use stats::survival::summary::{CurvePoint, GroupSummary, Parameters};
use stats::{Estimate, Interval};

/// By what a trial has recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// The case's event is over.
    Event,
    /// The throughput is back at a share of the control's.
    Throughput,
}

impl Sense {
    /// As in the column `sense`.
    pub fn name(self) -> &'static str {
        match self {
            Sense::Event => column::SENSE,
            Sense::Throughput => "throughput",
        }
    }
}

impl Serialize for Sense {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// By what a recovery was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenBy {
    /// By the event itself.
    Event,
    /// By the throughput: in a timeline, or because the source of an imported run did not look at the
    /// event. Its label `seen-by=throughput` says so.
    Throughput,
}

impl SeenBy {
    /// What a cell's labels say.
    pub fn of(factors: &Factors) -> SeenBy {
        match factors.get("labels").split(';').any(|label| label == "seen-by=throughput") {
            true => SeenBy::Throughput,
            false => SeenBy::Event,
        }
    }

    /// As in the column `seen_by`.
    pub fn name(self) -> &'static str {
        match self {
            SeenBy::Event => column::SEEN_BY,
            SeenBy::Throughput => "throughput",
        }
    }
}

impl Serialize for SeenBy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The recovery of a cell, in one sense.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellRecovery {
    /// The cell, by its place among the cells.
    pub cell: usize,
    /// The sense.
    pub sense: Sense,
    /// By what it was seen.
    pub seen_by: SeenBy,
    /// Trials that had something to recover from, and whose time is known, whole or from below.
    pub n: u64,
    /// Those that recovered.
    pub events: u64,
    /// The median time, in seconds, with interval. By throughput, a time is the one by which the
    /// recovery was seen; the lower bound is that of the shortest times that the samples allow.
    pub median: Estimate,
    /// Where the restricted mean ends.
    pub until_s: Option<f64>,
    /// The restricted mean, in seconds.
    pub rmst: Estimate,
    /// Recoveries a second, if they are memoryless, with the interval of their events (gamma,
    /// Poisson), or by profile likelihood where they are known between looks.
    pub rate: Estimate,
    /// Weibull's scale, in seconds.
    pub weibull_scale: Option<f64>,
    /// Weibull's shape: 1 is memoryless, below 1 the longer it waits the longer it will.
    pub weibull_shape: Option<f64>,
    /// The p-value of shape 1.
    pub shape_p: Option<f64>,
    /// The AIC of the exponential, the Weibull and the log-normal law.
    pub aic: [Option<f64>; 3],
    /// What a timeline says beyond that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<throughput::Watched>,
    /// What could not be answered and why.
    pub notes: Vec<String>,
    /// Kaplan and Meier's curve, for figures.
    #[serde(skip)]
    pub curve: Vec<CurvePoint>,
}

impl CellRecovery {
    /// A cell of which no trial had anything to recover from.
    fn nothing(cell: usize, sense: Sense) -> Self {
        CellRecovery {
            cell,
            sense,
            seen_by: match sense {
                Sense::Event => SeenBy::Event,
                Sense::Throughput => SeenBy::Throughput,
            },
            n: 0,
            events: 0,
            median: Estimate::default(),
            until_s: None,
            rmst: Estimate::default(),
            rate: Estimate::default(),
            weibull_scale: None,
            weibull_shape: None,
            shape_p: None,
            aic: [None; 3],
            throughput: None,
            notes: Vec::new(),
            curve: Vec::new(),
        }
    }

    /// Of a survival summary.
    fn of_group(cell: usize, sense: Sense, group: GroupSummary, notes: &[Note]) -> Self {
        let notes = notes.iter().chain(&group.notes).map(stats::said::survival::note).collect();
        let mut recovery = CellRecovery {
            n: group.n,
            events: group.events,
            median: group.median,
            until_s: Some(group.rmst.until),
            rmst: Estimate {
                estimate: group.rmst.estimate,
                low: group.rmst.low,
                high: group.rmst.high,
            },
            notes,
            ..CellRecovery::nothing(cell, sense)
        };
        recovery.take_laws(&group);
        recovery.curve = group.curve;
        recovery
    }

    /// Takes the fitted laws of a summary.
    fn take_laws(&mut self, group: &GroupSummary) {
        let law = |name: &str| group.fits.iter().find(|fit| fit.law == name);
        self.aic =
            ["exponential", "weibull", "log-normal"].map(|name| law(name).and_then(|fit| fit.aic));
        let bounds = |interval: Option<&Interval>| {
            (interval.and_then(|i| i.low), interval.and_then(|i| i.high))
        };
        let exponential = law("exponential");
        let (low, high) = bounds(exponential.and_then(|fit| fit.rate_interval.as_ref()));
        let rate = match exponential.map(|fit| fit.parameters) {
            Some(Parameters::Exponential { rate }) => rate,
            _ => None,
        };
        self.rate = Estimate { estimate: rate, low, high };
        (self.weibull_scale, self.weibull_shape) = match law("weibull").map(|fit| fit.parameters) {
            Some(Parameters::Weibull { scale, shape }) => (scale, shape),
            _ => (None, None),
        };
        self.shape_p = group.shape_test.p_value;
    }
}

const COLUMNS: [&str; 35] = [
    "sense",
    "seen_by",
    "n",
    "events",
    "median_s",
    "median_low_s",
    "median_high_s",
    "rmst_until_s",
    "rmst_s",
    "rmst_low_s",
    "rmst_high_s",
    "rate_per_s",
    "rate_low_per_s",
    "rate_high_per_s",
    "weibull_scale_s",
    "weibull_shape",
    "shape_p",
    "aic_exponential",
    "aic_weibull",
    "aic_log_normal",
    "turnbull_median_left_s",
    "turnbull_median_right_s",
    "watched",
    "never_stalled",
    "not_watched",
    "one_sample",
    "below_share",
    "did_not_hold",
    "unconfirmed",
    "relapsed",
    "stalled_mops",
    "control_mops",
    "share",
    "hold_s",
    "note",
];

/// The text of `recovery.csv`. What only one sense has is empty in the other.
pub fn csv(recoveries: &[CellRecovery], cells: &[Cell]) -> String {
    let mut out = CsvText::new(FACTORS.iter().chain(&COLUMNS));
    for recovery in recoveries {
        let mut row: Vec<String> =
            cells[recovery.cell].factors.iter().map(|(_, text)| text.to_string()).collect();
        row.push(recovery.sense.name().to_string());
        row.push(recovery.seen_by.name().to_string());
        row.push(recovery.n.to_string());
        row.push(recovery.events.to_string());
        let of = |estimate: Estimate| {
            [number(estimate.estimate), number(estimate.low), number(estimate.high)]
        };
        row.extend(of(recovery.median));
        row.push(number(recovery.until_s));
        row.extend(of(recovery.rmst));
        row.extend(of(recovery.rate));
        row.push(number(recovery.weibull_scale));
        row.push(number(recovery.weibull_shape));
        row.push(number(recovery.shape_p));
        row.extend(recovery.aic.map(number));
        let watched = recovery.throughput.as_ref();
        let median = watched.and_then(|watched| watched.turnbull_median);
        row.extend([number(median.map(|at| at.left_s)), number(median.and_then(|at| at.right_s))]);
        row.extend(
            [
                watched.map(|w| w.watched),
                watched.map(|w| w.never_stalled),
                watched.map(|w| w.not_watched.values().sum()),
                watched.map(|w| w.one_sample),
                watched.map(|w| w.partial.below_share),
                watched.map(|w| w.partial.did_not_hold),
                watched.map(|w| w.partial.unconfirmed),
                watched.map(|w| w.relapsed),
            ]
            .map(integer),
        );
        row.extend(
            [
                watched.and_then(|w| w.stalled_mops),
                watched.and_then(|w| w.control_mops),
                watched.and_then(|w| w.share),
                watched.and_then(|w| w.hold_s),
            ]
            .map(number),
        );
        row.push(recovery.notes.join("; "));
        out.row(row);
    }
    out.finish()
}
