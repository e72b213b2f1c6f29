//! What can be wrong with a definition.

use thiserror::Error;

/// A definition that can't be used; the sentence names the file, the line and the key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// Something in the text.
    #[error("{file} line {line}: {problem}")]
    At {
        /// The file, or `built in NAME`.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was found and what is accepted.
        problem: String,
    },
    /// The file as a whole, or the definition after its overrides.
    #[error("{file}: {problem}")]
    Whole {
        /// The file, or `built in NAME`.
        file: String,
        /// What was found and what is accepted.
        problem: String,
    },
}
