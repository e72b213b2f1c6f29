//! The rows that a trial leaves in the files of its run.

use model::outcome::end::{End, OfEnd};
use model::outcome::fact;
use model::outcome::{Condition, StallRule};
use model::record::{Sample, TrialRecord};
use model::rows::{EventRow, MetricRow, ONSET, PivotRow, TimelineRow, TrialRow, one_line};
use records::journal::TrialRows;

use crate::executor::Execution;
use crate::plan::Planned;
use crate::utc;

/// The rows of a trial that ended, with when it was hit by this rule.
pub fn rows(
    experiment: &str,
    rule: &StallRule,
    planned: &Planned,
    execution: &Execution,
) -> TrialRows {
    let trial = planned.spec.trial;
    let record = &execution.record;
    TrialRows {
        trial: row(experiment, planned, execution),
        timeline: timeline_rows(trial, &record.timeline, planned.spec.sample.seconds()),
        metrics: record
            .metrics
            .iter()
            .filter(|metric| metric.value.is_finite())
            .map(|metric| MetricRow {
                trial,
                metric: one_line(&metric.metric),
                value: metric.value,
                unit: one_line(&metric.unit),
            })
            .collect(),
        pivots: record
            .pivots
            .iter()
            .map(|pivot| PivotRow {
                trial,
                index: pivot.index,
                from: pivot.from,
                to: pivot.to,
                seconds: pivot.seconds,
                errno: pivot.errno.as_deref().map(one_line),
            })
            .collect(),
        events: onset(trial, rule, record).into_iter().collect(),
    }
}

/// Whether the rule names what a trial ended by, so that it is a hit and no failure.
pub fn names_the_end(rule: &StallRule, record: &TrialRecord) -> bool {
    of_end(rule, record).iter().any(|(_, said)| *said == OfEnd::Met)
}

/// The conditions that look at a trial's end, with what they say of it.
fn of_end<'a>(rule: &'a StallRule, record: &TrialRecord) -> Vec<(&'a Condition, OfEnd)> {
    let metric = |name: &str| {
        let found = record.metrics.iter().find(|metric| metric.metric == name)?;
        Some((found.value, found.unit.as_str()))
    };
    let end = End { status: record.status, metric: &metric };
    let said = rule.conditions().iter().map(|condition| (condition, condition.of_end(&end)));
    said.filter(|(_, said)| *said != OfEnd::NotOfEnd).collect()
}

/// When the hit of a trial began, as far as conditions that look at a trial's end tell; of one that was
/// not hit, that it had not by its end. `None` where no condition does, or where nothing was recorded.
fn onset(trial: u64, rule: &StallRule, record: &TrialRecord) -> Option<EventRow> {
    let said = of_end(rule, record);
    let moment = |fact: &str| record.moments.iter().find(|moment| moment.fact == fact);
    let met: Vec<_> = said.iter().filter(|(_, said)| *said == OfEnd::Met).collect();
    let begun = met
        .iter()
        .filter_map(|(condition, _)| moment(&condition.begins_with()?))
        .min_by(|a, b| a.t_s.total_cmp(&b.t_s));
    let at = match begun {
        Some(begun) => begun,
        // It was hit, and nothing tells when.
        None if said.is_empty() || !met.is_empty() => return None,
        None => moment(fact::END)?,
    };
    let seen = u32::from(begun.is_some());
    Some(EventRow { trial, event: ONSET.to_string(), t_s: at.t_s, ops: at.ops, seen })
}

/// The rows of a trial's samples, which were to be `sample_s` apart.
///
/// Beside the grid there are looks at special moments, which may be a microsecond from one of it. The
/// threads publish their counts in batches, so that over such a time a rate says nothing: below half of
/// the interval a row has none, and the next one's covers the time since the last row that has one.
fn timeline_rows(trial: u64, samples: &[Sample], sample_s: f64) -> Vec<TimelineRow> {
    let mut before: Option<(f64, u64)> = None;
    let row = |sample: &Sample| {
        let mops_per_s = match before {
            None => {
                before = Some((sample.t_s, sample.ops));
                None
            }
            Some((t_s, _)) if sample.t_s - t_s < sample_s / 2.0 => None,
            Some((t_s, ops)) => {
                before = Some((sample.t_s, sample.ops));
                rate(sample.ops.checked_sub(ops), Some(sample.t_s - t_s))
            }
        };
        TimelineRow {
            trial,
            t_s: sample.t_s,
            threads: sample.threads,
            ops: Some(sample.ops),
            mops_per_s,
            slots: sample.slots,
        }
    };
    samples.iter().map(row).collect()
}

/// The row of `trials.csv` of a trial that ended.
pub fn row(experiment: &str, planned: &Planned, execution: &Execution) -> TrialRow {
    let record = &execution.record;
    let own = planned.spec.task.columns();
    TrialRow {
        sequence: planned.sequence,
        trial: planned.spec.trial,
        block: planned.block,
        cell: planned.cell,
        experiment: experiment.to_string(),
        workload: planned.spec.workload(),
        threads: planned.spec.threads,
        ramp: planned.spec.ramp,
        hash: planned.spec.hash,
        placement: planned.spec.placement.clone(),
        memory: planned.spec.memory.clone(),
        locks: own.locks,
        unlock: own.unlock,
        messengers: own.messengers,
        duration_s: Some(planned.spec.duration.seconds()),
        seed: planned.spec.seed,
        boot: execution.boot,
        kernel: planned.kernel.clone(),
        cpus: execution.kernel.cpus,
        nodes: execution.kernel.nodes,
        labels: planned.labels.clone(),
        started_at: utc::rfc3339_ms(execution.started_at),
        elapsed_s: record.elapsed_s,
        ops: record.ops,
        mops_per_s: record.mops_per_s.or_else(|| rate(record.ops, record.elapsed_s)),
        thread_ops_min: record.thread_ops_min,
        thread_ops_median: record.thread_ops_median,
        thread_ops_max: record.thread_ops_max,
        slots_start: record.slots_start,
        slots_set: record.slots_set,
        slots_loaded: record.slots_loaded,
        slots_end: record.slots_end,
        slots_expected: record.slots_expected,
        pivot: record.pivot,
        pivot_s: record.pivot_s,
        user_s: record.user_s,
        system_s: record.system_s,
        voluntary_switches: record.voluntary_switches,
        involuntary_switches: record.involuntary_switches,
        steal_s: record.steal_s,
        splats: execution.splats.as_ref().map(|splats| match splats.as_slice() {
            [] => "none".to_string(),
            splats => splats.iter().map(|s| one_line(s)).collect::<Vec<_>>().join(";"),
        }),
        status: record.status,
        error: record.error.as_deref().map(one_line),
    }
}

/// Operations and seconds to millions a second; nothing where either is unknown or no time passed.
fn rate(ops: Option<u64>, seconds: Option<f64>) -> Option<f64> {
    let (ops, seconds) = (ops?, seconds?);
    (seconds > 0.0).then(|| ops as f64 / seconds / 1e6)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use model::definition::parse;
    use model::manifest::Kernel;
    use model::record::{Metric, SlotsSet, Status, TrialRecord};
    use records::table::csv_rows;

    use super::*;
    use crate::plan::{Plan, Site};

    fn execution() -> Execution {
        let mut record = TrialRecord::empty(Status::Ok);
        record.ops = Some(3_000_000);
        record.elapsed_s = Some(1.5);
        record.error = Some("two\nlines, \"quoted\"".into());
        record.timeline = vec![
            Sample { t_s: 0.0, threads: 0, ops: 0, slots: None },
            Sample { t_s: 0.5, threads: 2, ops: 1_000_000, slots: Some(16) },
        ];
        record.metrics = vec![Metric { metric: "m".into(), value: 1.0, unit: "s".into() }];
        record.pivots = vec![SlotsSet { index: 0, from: 16, to: 32, seconds: 0.02, errno: None }];
        Execution {
            started_at: SystemTime::UNIX_EPOCH + Duration::from_millis(1500),
            record,
            boot: None,
            kernel: Kernel { name: "6.18".into(), cpus: Some(2), ..Kernel::default() },
            splats: Some(Vec::new()),
            disturbances: Vec::new(),
        }
    }

    #[test]
    fn a_trial_that_ended_leaves_rows_in_every_file() {
        let text = "trials = 2\n[factors]\nworkload = \"wake-storm\"\nthreads = [1, 2]\n";
        let site = Site { cpus: 2, kernels: vec!["6.18".into()] };
        let plan = Plan::new(&parse("x", "x", text).unwrap(), &site).unwrap();
        let rows = rows("x", &StallRule::default(), &plan.trials[0], &execution());
        let row = csv_rows(std::slice::from_ref(&rows.trial));
        for part in [",1.5,3000000,2,", "1970-01-01T00:00:01.500Z", ",none,ok,\"two lines, "] {
            assert!(row.contains(part), "{row}");
        }
        assert_eq!((rows.timeline.len(), rows.metrics.len(), rows.pivots.len()), (2, 1, 1));
        assert_eq!(rows.timeline[1].mops_per_s, Some(2.0));
    }

    #[test]
    fn a_row_beside_the_grid_has_no_throughput_and_the_next_has_it_all() {
        let sample = |t_s, ops| Sample { t_s, threads: 2, ops, slots: Some(16) };
        let looks = [
            sample(0.0, 0),
            sample(0.005952198, 38_080),
            sample(0.005953034, 38_080),
            sample(0.01, 400_000),
            sample(0.0301, 1_243_980),
            sample(0.0302, 1_244_000),
        ];
        let rows = timeline_rows(7, &looks, 0.01);
        let mops: Vec<Option<f64>> =
            rows.iter().map(|row| row.mops_per_s.map(|x| (x * 1e3).round() / 1e3)).collect();
        let since = (1_243_980.0_f64 - 38_080.0) / (0.0301 - 0.005952198) / 1e6;
        let since = (since * 1e3).round() / 1e3;
        assert_eq!(mops, [None, Some(6.398), None, None, Some(since), None]);
        assert_eq!(rows[2].ops, Some(38_080));
        assert_eq!((rows[2].trial, rows[2].slots), (7, Some(16)));
    }
}
