//! Which CPUs each thread of a trial gets: the factor's text against the machine's layout.

use std::path::Path;

use kernel_abi::topology::placement::{Assignment, Placement as Placing};
use kernel_abi::topology::{SYS, Topology};
use kernel_abi::{CpuSet, affinity};

use crate::error::TrialError;
use model::factor::Placement;

/// The assignment of `threads` threads on this machine, for a process that may use what this one
/// may. The error says what was asked for and what there is.
pub fn here(placement: &Placement, threads: u32) -> Result<Assignment, TrialError> {
    if *placement == Placement::Unpinned {
        // Needs no layout, and so works where none can be read.
        return Ok(Assignment::Inherited);
    }
    let mut topology = Topology::read(Path::new(SYS)).map_err(|error| TrialError::Layout {
        placement: placement.clone(),
        reason: error.to_string(),
    })?;
    let allowed = affinity::current()
        .map_err(|errno| TrialError::Call { call: "sched_getaffinity".to_string(), errno })?;
    topology.admit(&allowed);
    on(&topology, &allowed, placement, threads)
}

/// The assignment on a machine of this layout, for a process that may use `allowed`.
pub fn on(
    topology: &Topology,
    allowed: &CpuSet,
    placement: &Placement,
    threads: u32,
) -> Result<Assignment, TrialError> {
    let placing = match placement {
        Placement::Unpinned => Ok(Placing::Unpinned),
        Placement::Cpus(list) => Placing::mask(list),
        Placement::Node(node) => Ok(Placing::Node(*node)),
        Placement::Pin(list) => Placing::pin(list),
        Placement::Compact => Ok(Placing::Compact),
        Placement::Scatter => Ok(Placing::Scatter),
    };
    placing
        .and_then(|placing| placing.assign(topology, allowed, threads))
        .map_err(|error| TrialError::Placement(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_node() -> Topology {
        let online: CpuSet = "0-3".parse().expect("a list");
        Topology { present: online.clone(), online, ..Topology::default() }
    }

    fn asked(text: &str, threads: u32) -> Result<Assignment, TrialError> {
        let allowed = "0-2".parse().expect("a list");
        on(&one_node(), &allowed, &text.parse().expect("a placement"), threads)
    }

    #[test]
    fn each_form_of_the_factor_reaches_its_own() {
        assert_eq!(asked("unpinned", 3).ok(), Some(Assignment::Inherited));
        let mask = |list: &str| Assignment::Shared(list.parse().expect("a list"));
        assert_eq!(asked("cpus:1-2", 9).ok(), Some(mask("1-2")));
        assert_eq!(asked("pin:2,0", 2).ok(), Some(Assignment::Each(vec![2, 0])));
        assert_eq!(asked("compact", 4).ok(), Some(Assignment::Each(vec![0, 1, 2, 0])));
        assert_eq!(asked("scatter", 2).ok(), Some(Assignment::Each(vec![0, 1])));
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (text, part) in [
            ("cpus:3", "3"),
            ("cpus:9", "9"),
            ("node:1", "no node 1"),
            ("pin:0-1", "2 CPUs for 3 threads"),
        ] {
            let error = asked(text, 3).expect_err(text).to_string();
            assert!(error.contains(text) && error.contains(part), "{error}");
        }
    }
}
