//! How many trials stalled so far, for whoever watches a run being made.
//!
//! It judges by the rule of the analysis, with the controls that there are until now, so an
//! earlier trial's verdict may change; the analysis has the last word. The control's own trials are
//! not counted.

use std::collections::HashMap;

use analysis::outcome::{Outcome, Seen, judge};
use campaign::plan::Planned;
use model::columns::FACTORS;
use model::definition::{Control, Definition};
use model::event::Event;
use model::outcome::{Condition, StallRule};
use model::record::Status;
use model::rows::{MetricRow, PlanRow, TrialRow};
use records::journal::TrialRows;
use report::say::word::{COLUMN, Told};
use stats::samples::median::median_of_sorted;

/// The counts.
pub struct Tally {
    /// `None`: the rule looks at more than trials one by one (`split`), so only the end tells.
    rule: Option<StallRule>,
    /// What the definition calls a hit.
    called: Option<String>,
    control: Option<Control>,
    groups: HashMap<String, Group>,
    failed: u64,
}

/// The trials that differ in nothing but the control's factor.
#[derive(Default)]
struct Group {
    /// Throughputs of its control, ascending.
    controls: Vec<f64>,
    others: Vec<Other>,
    stalled: u64,
}

/// A trial that is no control, and what a rule looks at of it.
struct Other {
    status: Status,
    mops_per_s: Option<f64>,
    event: Option<Event>,
    splats: Option<String>,
    metrics: Vec<MetricRow>,
}

impl Other {
    fn judge(&self, rule: &StallRule, control_median: Option<f64>) -> Option<Outcome> {
        let metric = |name: &str| {
            let found = self.metrics.iter().find(|row| row.metric == name)?;
            Some((found.value, found.unit.as_str()))
        };
        let seen = Seen {
            status: self.status,
            mops_per_s: self.mops_per_s,
            event: self.event,
            splats: self.splats.as_deref(),
            control_median,
            metric: &metric,
            ..Seen::default()
        };
        judge(rule, &seen)
    }
}

impl Tally {
    /// By the rule of a definition.
    pub fn new(definition: &Definition) -> Tally {
        let rule = Some(definition.outcome.stall.clone());
        let only_in_the_end = |rule: &StallRule| {
            rule.is_by_modes() || rule.conditions().contains(&Condition::Reported)
        };
        Tally {
            rule: rule.filter(|rule| !only_in_the_end(rule)),
            called: definition.outcome.called.clone(),
            control: definition.control(),
            groups: HashMap::new(),
            failed: 0,
        }
    }

    /// One trial more.
    pub fn count(&mut self, planned: &Planned, rows: &TrialRows) {
        let row = &rows.trial;
        let Some(rule) = &self.rule else {
            self.failed += u64::from(row.status != Status::Ok);
            return;
        };
        let other = Other {
            status: row.status,
            mops_per_s: row.mops_per_s,
            event: row.pivot.map(|pivot| Event::of_pivot(pivot, row.pivot_s)),
            splats: row.splats.clone(),
            metrics: rows.metrics.clone(),
        };
        if other.judge(rule, None).is_none() {
            self.failed += 1;
            return;
        }
        let group = self.groups.entry(all_but_control(row, self.control.as_ref())).or_default();
        let is_control = |of: &Control| planned.spec.text(of.factor) == of.value;
        if self.control.as_ref().is_some_and(is_control) {
            let Some(rate) = row.mops_per_s else { return };
            let at = group.controls.partition_point(|other| *other < rate);
            group.controls.insert(at, rate);
        } else {
            group.others.push(other);
        }
        let control_median =
            Some(median_of_sorted(&group.controls)).filter(|median| median.is_finite());
        let stalled = |other: &&Other| other.judge(rule, control_median) == Some(Outcome::Stalled);
        group.stalled = group.others.iter().filter(stalled).count() as u64;
    }

    /// `3 stalled so far, 1 failed`.
    pub fn said(&self) -> String {
        let failed =
            if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        match &self.rule {
            None => format!("stalled: told at the end{failed}"),
            Some(rule) => {
                let stalled: u64 = self.groups.values().map(|group| group.stalled).sum();
                let _told = Told::of_rule(self.called.as_deref(), rule);
                format!("{stalled} {COLUMN} so far{failed}")
            }
        }
    }
}

/// The factors but the control's, as one text.
fn all_but_control(row: &TrialRow, control: Option<&Control>) -> String {
    let mut row = serde_json::to_value(PlanRow::from(row)).unwrap_or_default();
    if let Some(columns) = row.as_object_mut() {
        let factor = control.map(|control| control.factor);
        columns.retain(|column, _| {
            FACTORS.contains(&column.as_str()) && Some(column.as_str()) != factor
        });
    }
    row.to_string()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use campaign::executor::Execution;
    use campaign::plan::{Plan, Site};
    use campaign::rows::rows;
    use model::definition::parse;
    use model::manifest::Kernel;
    use model::record::{Pivot, TrialRecord};

    use super::*;

    /// The trials of a plan of `auto` and `slots:512` at 8 threads, each by its hash.
    fn plan(stall: &str) -> (Definition, Plan) {
        let text = format!(
            "trials = 3\n[factors]\nworkload = \"wake-storm\"\nthreads = 8\nhash = [\"auto\", \"slots:512\"]\n[outcome]\nstall = \"{stall}\"\n"
        );
        let definition = parse("x", "x", &text).unwrap();
        let site = Site { cpus: 8, kernels: vec!["6.18".into()] };
        let plan = Plan::new(&definition, &site).unwrap();
        (definition, plan)
    }

    fn counted(stall: &str, trials: &[(&str, TrialRecord)]) -> String {
        let (definition, plan) = plan(stall);
        let mut tally = Tally::new(&definition);
        let mut of: HashMap<String, Vec<&Planned>> = HashMap::new();
        for planned in &plan.trials {
            of.entry(planned.spec.hash.to_string()).or_default().push(planned);
        }
        for (hash, record) in trials {
            let planned = of.get_mut(*hash).unwrap().pop().unwrap();
            let execution = Execution {
                started_at: SystemTime::UNIX_EPOCH,
                record: record.clone(),
                boot: None,
                kernel: Kernel { name: "6.18".into(), ..Kernel::default() },
                splats: None,
                disturbances: Vec::new(),
            };
            tally.count(planned, &rows("x", &definition.outcome.stall, planned, &execution));
        }
        tally.said()
    }

    fn rate(mops: f64) -> TrialRecord {
        TrialRecord { mops_per_s: Some(mops), ..TrialRecord::empty(Status::Ok) }
    }

    fn pivot(pivot: Pivot, pivot_s: f64) -> TrialRecord {
        TrialRecord { pivot: Some(pivot), pivot_s: Some(pivot_s), ..TrialRecord::empty(Status::Ok) }
    }

    #[test]
    fn a_trial_is_held_against_the_controls_until_now() {
        let (auto, control) = ("auto", "slots:512");
        // Nothing to compare with yet.
        assert_eq!(counted("control:0.5", &[(auto, rate(1.0))]), "0 stalled so far");
        let first = [(auto, rate(1.0)), (control, rate(10.0)), (auto, rate(8.0))];
        assert_eq!(counted("control:0.5", &first), "1 stalled so far");
        // The median of 10 and 30 is 20: now both are below half of it.
        let more = [first.as_slice(), &[(control, rate(30.0))]].concat();
        assert_eq!(counted("control:0.5", &more), "2 stalled so far");
        let failed = [(auto, TrialRecord::failed(Status::Crashed, "x"))];
        assert_eq!(counted("control:0.5", &failed), "0 stalled so far, 1 failed");
    }

    #[test]
    fn the_other_rules_are_the_analysis_s_too() {
        let trials = [("auto", rate(99.0)), ("auto", rate(100.0)), ("slots:512", rate(1.0))];
        assert_eq!(counted("absolute:100", &trials), "1 stalled so far");
        let trials = [
            ("auto", pivot(Pivot::Settled, 0.5)),
            ("auto", pivot(Pivot::Pending, 1.0)),
            // The load ended too early to say.
            ("auto", pivot(Pivot::Pending, 0.9)),
        ];
        assert_eq!(counted("pivot:1s", &trials), "1 stalled so far");
        assert_eq!(counted("split", &[("auto", rate(1.0))]), "stalled: told at the end");
    }
}
