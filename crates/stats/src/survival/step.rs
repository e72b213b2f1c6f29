//! One step of a survival curve: who was at risk at a distinct time, and what was estimated there.

/// The curve at one distinct time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The time.
    pub time: f64,
    /// Trials still followed and without the event just before `time`.
    pub at_risk: u64,
    /// Events at `time`.
    pub events: u64,
    /// Trials whose following ended at `time` without the event. They count as at risk for the
    /// events of the same time.
    pub censored: u64,
    /// S(time): the estimated share that lasts longer than `time`.
    pub survival: f64,
    /// Greenwood's sum up to `time`, the variance of log S: infinite from the time at which every
    /// trial left at risk has the event.
    pub greenwood: f64,
}

impl Step {
    /// A time before anything was counted at it.
    pub(super) const EMPTY: Step =
        Step { time: 0.0, at_risk: 0, events: 0, censored: 0, survival: 1.0, greenwood: 0.0 };
}
