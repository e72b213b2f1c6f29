//! `wake-storm`: each thread wakes a private futex that nobody waits on, in a loop.

use serde::{Deserialize, Serialize};

use super::{Cell, Parameters};
use crate::factor::BadValue;

/// The parameters of a trial; there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WakeStorm {}

impl Parameters for WakeStorm {
    const NAME: &'static str = "wake-storm";

    fn of(_cell: &Cell<'_>) -> Result<Self, BadValue> {
        Ok(WakeStorm {})
    }
}
