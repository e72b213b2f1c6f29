//! What can be wrong with a definition.

use thiserror::Error;

use crate::workload::Workload;

/// A definition that can't be used: the file, the line where there is one, and the problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {problem}", line.map_or(String::new(), |line| format!(" line {line}")))]
pub struct DefinitionError {
    /// The file, or `built in NAME`.
    pub file: String,
    /// The line, from 1; `None` where the file as a whole is wrong.
    pub line: Option<usize>,
    /// The key, what was found and what is accepted.
    pub problem: String,
}

/// A factor or a table that no workload of the definition takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{what} belongs to the workload {of}, and the workload here is {}: leave it out, or have {of} among \
     the workloads",
    there.iter().map(Workload::to_string).collect::<Vec<_>>().join(", ")
)]
pub struct NotTaken {
    /// The factor or the table.
    pub what: String,
    /// The workload that takes it.
    pub of: Workload,
    /// The workloads of the definition.
    pub there: Vec<Workload>,
}
