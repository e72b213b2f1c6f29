//! A whole trial, from its spec to its record.

use crate::drive::drive;
use crate::prepare::Prepared;
use crate::work::OnlyLooks;
use crate::workload::command;
use crate::workload::epoll::Epoll;
use crate::workload::messenger::Messenger;
use crate::workload::mutex::Mutex;
use crate::workload::resize::Resize;
use crate::workload::wake_storm::WakeStorm;
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;
use model::workload::Task;

/// Does one trial in this process, which should be fresh and end after it: the private hash, once
/// there, stays.
pub fn run(spec: &TrialSpec) -> TrialRecord {
    if let Err(error) = spec.check() {
        return TrialRecord::failed(Status::Refused, error.to_string());
    }
    let prepared = match Prepared::new(spec) {
        Ok(prepared) => prepared,
        Err(record) => return *record,
    };
    let driven = match &spec.task {
        Task::WakeStorm(_) => {
            WakeStorm::new().map(|work| drive(spec, &prepared, work, &mut OnlyLooks))
        }
        Task::Mutex(parameters) => {
            let work = Mutex::new(parameters, spec.seed);
            Ok(drive(spec, &prepared, work, &mut OnlyLooks))
        }
        Task::Resize(_) => {
            Resize::new().map(|(work, mut setter)| drive(spec, &prepared, work, &mut setter))
        }
        Task::Messenger(parameters) => {
            let work = Messenger::new(parameters, spec.threads);
            Ok(drive(spec, &prepared, work, &mut OnlyLooks))
        }
        Task::Epoll(_) => Epoll::new().map(|work| drive(spec, &prepared, work, &mut OnlyLooks)),
        Task::Command(command) => Ok(command::run(spec, command, &prepared)),
    };
    driven.unwrap_or_else(|error| prepared.refused(error))
}
