//! `resize`: threads wake as in `wake-storm`, while the main thread sets the slots back and forth.

use serde::{Deserialize, Serialize};

use super::{Around, Cell, Parameters};
use crate::factor::{BadValue, Hash, Until};

/// The parameters of a trial; there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resize {}

impl Parameters for Resize {
    const NAME: &'static str = "resize";

    fn of(_cell: &Cell<'_>) -> Result<Self, BadValue> {
        Ok(Resize {})
    }

    fn check(&self, trial: &Around<'_>) -> Result<(), BadValue> {
        let hash = |reason: &str| {
            BadValue::new("hash", trial.hash, "`auto` or `slots:N`")
                .because(format!("with the workload resize {reason}"))
        };
        if trial.until != Until::Duration {
            return Err(BadValue::new("until", trial.until, "`duration`")
                .because("with the workload resize the kernel's own growth can't be seen"));
        }
        match trial.hash {
            Hash::Global => Err(hash("the kernel lets no process back from the global hash")),
            Hash::Slots { immutable: true, .. } => Err(hash("an immutable hash is never resized")),
            Hash::Slots { slots, .. } if slots > 1 << 30 => {
                Err(hash("twice as many are set, which the kernel's interface can't hold"))
            }
            Hash::Auto | Hash::Slots { .. } => Ok(()),
        }
    }
}
