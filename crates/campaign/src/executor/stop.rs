//! How a run is asked to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kernel_abi::signal::Interrupt;

/// Asks a run to end: set by Ctrl-C, or by [`Stop::set`]. Copies are one.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    interrupt: Option<Interrupt>,
}

impl Stop {
    /// One that signals set too.
    pub fn by_signals(interrupt: Interrupt) -> Stop {
        Stop { asked: Arc::default(), interrupt: Some(interrupt) }
    }

    /// Asks.
    pub fn set(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Whether it was asked.
    pub fn is_set(&self) -> bool {
        self.asked.load(Ordering::SeqCst) || self.signal().is_some()
    }

    /// From now on a signal ends the process at once.
    pub fn release(&self) {
        if let Some(interrupt) = self.interrupt {
            interrupt.release();
        }
    }

    /// The signal that asked.
    pub fn signal(&self) -> Option<i32> {
        self.interrupt.as_ref().and_then(Interrupt::received)
    }

    /// What a wait is to watch besides, so that it ends when a signal comes.
    pub fn interrupt(&self) -> Option<&Interrupt> {
        self.interrupt.as_ref()
    }
}
