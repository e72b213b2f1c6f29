//! Why a statistic was not computed.

use thiserror::Error;

/// A request that no estimator can answer. The sentence names what was given and what is accepted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StatError {
    /// A value outside its domain: more events than trials, a negative time, a level of 2.
    #[error("{what} is {found}: accepted is {accepted}")]
    Domain {
        /// The quantity, as the user named it.
        what: String,
        /// What was given.
        found: String,
        /// What is accepted.
        accepted: String,
    },
    /// Too little data for the statistic to be defined at all.
    #[error("{what} needs {needed}: there is {found}")]
    TooFew {
        /// The statistic.
        what: String,
        /// The least that it needs.
        needed: String,
        /// What there is.
        found: String,
    },
    /// An iteration did not settle. Carries what it was doing, for a report to us.
    #[error("{what} did not converge after {iterations} iterations: {hint}")]
    NoConvergence {
        /// The fit.
        what: String,
        /// How many iterations were done.
        iterations: usize,
        /// What the user can do.
        hint: String,
    },
}

impl StatError {
    /// A [`StatError::Domain`] from anything that prints.
    pub fn domain(
        what: impl Into<String>,
        found: impl ToString,
        accepted: impl Into<String>,
    ) -> Self {
        StatError::Domain { what: what.into(), found: found.to_string(), accepted: accepted.into() }
    }

    /// A [`StatError::TooFew`] from anything that prints.
    pub fn too_few(
        what: impl Into<String>,
        needed: impl Into<String>,
        found: impl ToString,
    ) -> Self {
        StatError::TooFew { what: what.into(), needed: needed.into(), found: found.to_string() }
    }
}
