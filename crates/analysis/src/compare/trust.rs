//! Whether a difference can be put down to what tells the sides apart, and what limits that.

use serde::Serialize;

use super::drift::{Drift, Moved};
use super::machines::Machines;
use super::order::Order;
use super::sides::Sides;
use super::strata::Stratum;

/// Whether a difference can be put down to what tells the sides apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trust {
    /// Whether nothing takes the trust away.
    pub can_be_trusted: bool,
    /// What takes it away.
    pub because: Vec<Distrust>,
    /// What limits it, without taking it away.
    pub limits: Vec<Limit>,
}

/// What takes the trust away.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Distrust {
    /// The sides ran on different machines.
    Machines,
    /// Several labels tell the sides apart, and a difference may be due to any of them.
    SeveralLabels {
        /// The labels' names.
        labels: Vec<String>,
    },
    /// The control moved, and it may be the machine that did.
    ControlMoved,
}

/// What limits the trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "limit", rename_all = "kebab-case")]
pub enum Limit {
    /// The control moved within the same blocks: it is part of the patch's cost.
    ControlMovedInBlocks,
    /// That the control held is not shown.
    ControlNotShown,
    /// Both sides have no control in common.
    NoControl,
    /// The sides were not measured in the same blocks.
    Order {
        /// How they lie in time.
        order: Order,
    },
    /// On which machine some trials ran is not recorded.
    MachineUnknown,
    /// Nothing that was recorded tells the sides apart.
    NothingTellsApart,
    /// Trials in guests are judged by throughput, which is the emulator's.
    EmulatedThroughput,
    /// How long a trial was to last is known of one side only.
    DurationUnknown {
        /// The strata's names.
        strata: Vec<String>,
    },
}

/// What is known of how a comparison was measured.
pub struct Measured<'a> {
    /// The sides.
    pub sides: &'a Sides,
    /// The strata that both have.
    pub strata: &'a [Stratum],
    /// The controls against each other.
    pub drift: &'a Drift,
    /// The machines of both sides.
    pub machines: &'a Machines,
    /// The sides in time.
    pub order: Order,
    /// Whether a side's rule judges by throughput.
    pub by_throughput: bool,
}

/// Of a comparison.
pub fn of(measured: &Measured<'_>) -> Trust {
    let Measured { sides, strata, drift, machines, order, by_throughput } = *measured;
    let (mut because, mut limits) = (Vec::new(), Vec::new());
    if !machines.confounded.is_empty() {
        because.push(Distrust::Machines);
    }
    // A kernel beside a label is what the label stands for.
    let labels: Vec<String> = sides.naming_labels().map(|told| told.key.clone()).collect();
    if labels.len() > 1 {
        because.push(Distrust::SeveralLabels { labels });
    }
    match drift.moved {
        Moved::Moved if drift.may_be_the_machine => because.push(Distrust::ControlMoved),
        Moved::Moved => limits.push(Limit::ControlMovedInBlocks),
        // In common blocks a drift is the same on both sides.
        Moved::NotShown | Moved::NotChecked if order == Order::Interleaved => {}
        Moved::NotShown => limits.push(Limit::ControlNotShown),
        Moved::NotChecked => limits.push(Limit::NoControl),
        Moved::Held => {}
    }
    if order != Order::Interleaved {
        limits.push(Limit::Order { order });
    }
    if !machines.unknown.is_empty() && machines.confounded.is_empty() {
        limits.push(Limit::MachineUnknown);
    }
    if sides.told_by.is_empty() {
        limits.push(Limit::NothingTellsApart);
    }
    if by_throughput && sides.in_lab() {
        limits.push(Limit::EmulatedThroughput);
    }
    let unknown = |stratum: &&Stratum| {
        stratum.base.durations_s.is_empty() != stratum.test.durations_s.is_empty()
    };
    let strata: Vec<String> =
        strata.iter().filter(unknown).map(|stratum| stratum.name.clone()).collect();
    if !strata.is_empty() {
        limits.push(Limit::DurationUnknown { strata });
    }
    Trust { can_be_trusted: because.is_empty(), because, limits }
}
