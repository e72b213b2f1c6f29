//! A whole trial, from its spec to its record.

use crate::drive::drive;
use crate::prepare::Prepared;
use crate::workload::messenger::Messenger;
use crate::workload::mutex::Mutex;
use crate::workload::resize::Resize;
use crate::workload::wake_storm::WakeStorm;
use crate::workload::{OnlyLooks, command};
use model::factor::Workload;
use model::record::{Status, TrialRecord};
use model::spec::{self, TrialSpec};

/// Does one trial in this process, which should be fresh and end after it: the private hash, once
/// there, stays.
pub fn run(spec: &TrialSpec) -> TrialRecord {
    if let Err(error) = spec::check(spec) {
        return TrialRecord::failed(Status::Refused, error);
    }
    let prepared = match Prepared::new(spec, spec.threads_made()) {
        Ok(prepared) => prepared,
        Err(record) => return *record,
    };
    let driven = match spec.workload {
        Workload::WakeStorm => {
            WakeStorm::new().map(|work| drive(spec, &prepared, work, &mut OnlyLooks))
        }
        Workload::Mutex => {
            Mutex::new(spec).map(|work| drive(spec, &prepared, work, &mut OnlyLooks))
        }
        Workload::Resize => {
            Resize::new().map(|(work, mut setter)| drive(spec, &prepared, work, &mut setter))
        }
        Workload::Messenger => Ok(drive(spec, &prepared, Messenger::new(spec), &mut OnlyLooks)),
        Workload::Command => Ok(command::run(spec, &prepared)),
    };
    driven.unwrap_or_else(|error| prepared.record(Status::Refused, Some(error)))
}
