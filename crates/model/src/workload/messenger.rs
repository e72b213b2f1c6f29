//! `messenger`: messenger threads post to workers, one futex a worker.

use serde::{Deserialize, Serialize};

use super::declare::amount;
use super::{Around, Cell, Columns, OwnFactor, Parameters};
use crate::factor::{BadValue, Count, threads_in_words};

/// The parameters of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messenger {
    /// How many messenger threads share the workers.
    pub messengers: Count,
}

impl Parameters for Messenger {
    const NAME: &'static str = "messenger";

    const FACTORS: &'static [OwnFactor] = &[OwnFactor {
        name: "messengers",
        default: "4",
        has_column: true,
        read: |text| amount("messengers", text),
    }];

    const OPS_A_COUNT: u64 = 1;

    fn of(cell: &Cell<'_>) -> Result<Self, BadValue> {
        Ok(Messenger { messengers: cell.count("messengers")? })
    }

    fn check(&self, trial: &Around<'_>) -> Result<(), BadValue> {
        if self.messengers.get() <= trial.threads {
            return Ok(());
        }
        let accepted = format!("at most {}", trial.threads);
        Err(BadValue::new("messengers", self.messengers, accepted).because(format!(
            "each messenger needs at least one worker to post to, and there are {}",
            threads_in_words(trial.threads)
        )))
    }

    fn helpers(&self) -> u32 {
        self.messengers.get()
    }

    fn columns(&self) -> Columns {
        Columns { messengers: Some(self.messengers), ..Columns::default() }
    }
}
