//! The threads that an analysis computes on, where the system doesn't let it have as many as there are CPUs.

use std::thread::{self, JoinHandle};

use kernel_abi::environment;
use rayon::ThreadPoolBuilder;

use crate::failure::Failure;

/// The least that reading tables starts: one that parses and one that gives files back.
const TO_READ: usize = 2;

/// Finds out how many threads can be started, and has the analysis make do with them. Otherwise a pool
/// that misses one would end or hang the program.
pub fn make_do() -> Result<(), Failure> {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let (can, refused) = can_start(cpus + cpus.max(TO_READ));
    let Some(refused) = refused else { return Ok(()) };
    if can < TO_READ || !environment::set("POLARS_MAX_THREADS", "1") {
        return Err(Failure::Running(format!(
            "the analysis needs {TO_READ} threads besides its first, and the system lets it start {can}: \
             {refused}. A limit of processes (ulimit -u, pids.max) is a usual reason. Nothing that was \
             measured is lost: `experiments analyze RUN` reads it under a higher limit"
        )));
    }
    let pool = ThreadPoolBuilder::new();
    let built = match can - TO_READ {
        0 => pool.num_threads(1).use_current_thread().build_global(),
        threads => pool.num_threads(threads).build_global(),
    };
    // There is one already: it has its threads.
    drop(built);
    Ok(())
}

/// How many of so many threads can be started at a time, and why not all.
fn can_start(wanted: usize) -> (usize, Option<std::io::Error>) {
    let mut started: Vec<JoinHandle<()>> = Vec::new();
    let mut refused = None;
    while started.len() < wanted {
        match thread::Builder::new().spawn(thread::park) {
            Ok(thread) => started.push(thread),
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    let can = started.len();
    for thread in started {
        thread.thread().unpark();
        let _ = thread.join();
    }
    (can, refused)
}
