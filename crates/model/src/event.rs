//! What became of a case's event in a trial, as the general path knows it. An event is what a race may
//! delay: it is due at some moment of a trial, and over at another.

use crate::record::Pivot;

/// What became of the event of a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// It was not due.
    NotDue,
    /// It was due, and it was over under load.
    Over {
        /// Seconds from when it became due; `None` where they were not recorded.
        after_s: Option<f64>,
    },
    /// It was due, and not over when the load ended.
    Pending {
        /// For how many seconds it was watched; `None` where they were not recorded.
        watched_s: Option<f64>,
    },
    /// What it happens to is not there, such as on an older kernel.
    Absent,
}

impl Event {
    /// The event of a row with these texts in the columns `pivot` and `pivot_s`.
    pub fn of_pivot(pivot: Pivot, pivot_s: Option<f64>) -> Event {
        match pivot {
            Pivot::None => Event::NotDue,
            Pivot::Settled => Event::Over { after_s: pivot_s },
            Pivot::Pending => Event::Pending { watched_s: pivot_s },
            Pivot::Unsupported => Event::Absent,
        }
    }
}

/// The columns `sense` and `seen_by` of `recovery.csv`, where a recovery is the event's own end. They
/// are older than the second case, and scripts read them.
pub mod column {
    /// In the column `sense`.
    pub const SENSE: &str = "pivot";
    /// In the column `seen_by`.
    pub const SEEN_BY: &str = "slots";
}
