//! A whole trial, from its spec to its record.

use crate::drive::drive;
use crate::factor::Workload;
use crate::prepare::Prepared;
use crate::record::{Status, TrialRecord};
use crate::spec::{self, TrialSpec};
use crate::workload::OnlyLooks;
use crate::workload::wake_storm::WakeStorm;

/// Does one trial in this process, which should be fresh and end after it: the private hash, once
/// there, stays.
pub fn run(spec: &TrialSpec) -> TrialRecord {
    if let Err(error) = spec::check(spec) {
        return TrialRecord::failed(Status::Refused, error);
    }
    let prepared = match Prepared::new(spec) {
        Ok(prepared) => prepared,
        Err(record) => return *record,
    };
    let refuse = |error: String| prepared.record(Status::Refused, Some(error));
    match spec.workload {
        Workload::WakeStorm => match WakeStorm::new() {
            Ok(work) => drive(spec, &prepared, work, &mut OnlyLooks),
            Err(error) => refuse(error),
        },
        other => refuse(format!("the workload {other} is not built")),
    }
}
