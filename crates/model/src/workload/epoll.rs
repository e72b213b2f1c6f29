//! `epoll`: threads ask one epoll instance for a file that is always readable.

use serde::{Deserialize, Serialize};

use super::{Cell, Parameters};
use crate::factor::BadValue;

/// The parameters of a trial; there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epoll {}

/// The metric that counts the calls that reported nothing, and the moment of the first.
pub const FALSE_NEGATIVES: &str = "false_negatives";

impl Parameters for Epoll {
    const NAME: &'static str = "epoll";

    fn of(_cell: &Cell<'_>) -> Result<Self, BadValue> {
        Ok(Epoll {})
    }
}
