//! Which CPU each thread of a trial gets.
//!
//! What the text of a placement asks for is set against the layout and against the CPUs that the
//! process may use. A list that names a CPU which isn't there is refused: a trial on fewer CPUs
//! than its label says would be a wrong row. A node is what the process may use of it, as its
//! cpuset is its machine.
//!
//! Two orders need a word:
//!
//! `compact` fills one complex (the CPUs that share a last-level cache within a node), then the
//! next of the node, then the next node of the socket. Within a complex it takes a thread of every
//! core before the second thread of any: the distance that a shared line travels stays as short,
//! and a thread's own speed doesn't halve at the second thread. (OpenMP runtimes' `compact` takes
//! siblings first; `pin:` can say that.)
//!
//! `scatter` takes one CPU of each node in turn, the nodes alternating between sockets; of a node
//! one of each complex in turn, of a complex one of each cluster, and second threads of cores only
//! when every core has one.
//!
//! With more threads than CPUs both begin again: every CPU gets its second thread before any gets
//! a third. `pin:` does not: "thread i on the i-th" says nothing of a thread beyond the list, and
//! two threads on a CPU that nobody asked for look like a stall. A list may name a CPU twice.

use std::collections::BTreeMap;
use std::fmt;

use super::Topology;
use crate::affinity::CpuSet;
use crate::id_set::{parse_list, write_list};

/// The CPUs that threads are to be put on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// Wherever the process may run.
    Unpinned,
    /// All threads on this mask.
    Mask(CpuSet),
    /// All threads on the CPUs of a node.
    Node(u32),
    /// Thread i on the i-th.
    Pin(Vec<u32>),
    /// A thread a CPU, as near to each other as they fit.
    Compact,
    /// A thread a CPU, as far apart as they fit.
    Scatter,
}

impl Placement {
    /// [`Placement::Mask`] from a list such as `0-31`.
    ///
    /// # Errors
    /// When it is no list.
    pub fn mask(list: &str) -> Result<Placement, PlacementError> {
        Ok(Placement::Mask(Placement::list("cpus", list)?.into_iter().collect()))
    }

    /// [`Placement::Pin`] from a list such as `0-31`; order and repeats are kept.
    ///
    /// # Errors
    /// When it is no list.
    pub fn pin(list: &str) -> Result<Placement, PlacementError> {
        Ok(Placement::Pin(Placement::list("pin", list)?))
    }

    fn list(form: &str, list: &str) -> Result<Vec<u32>, PlacementError> {
        parse_list(list, "CPU").map_err(|error| PlacementError {
            placement: format!("{form}:{list}"),
            reason: error.to_string(),
        })
    }

    /// The CPUs for `threads` threads of a process that may use `allowed` of this machine.
    ///
    /// # Errors
    /// What isn't there is refused, with what there is.
    pub fn assign(
        &self,
        topology: &Topology,
        allowed: &CpuSet,
        threads: u32,
    ) -> Result<Assignment, PlacementError> {
        if *self == Placement::Unpinned {
            return Ok(Assignment::Inherited);
        }
        let refuse = |reason: String| PlacementError { placement: self.to_string(), reason };
        let usable = allowed.intersection(&topology.online);
        if usable.is_empty() {
            return Err(refuse(format!(
                "this process may use CPUs {allowed}, and none of them is online ({})",
                topology.online
            )));
        }
        let around = |order: Vec<u32>| {
            Assignment::Each(order.into_iter().cycle().take(threads as usize).collect())
        };
        match self {
            Placement::Unpinned => Ok(Assignment::Inherited),
            Placement::Mask(mask) => {
                if mask.is_empty() {
                    return Err(refuse("the list is empty".into()));
                }
                unusable(mask, topology, &usable).map_or(Ok(()), |why| Err(refuse(why)))?;
                Ok(Assignment::Shared(mask.clone()))
            }
            Placement::Node(id) => {
                let there = || topology.nodes_with_cpus();
                let node = topology.node(*id).ok_or_else(|| {
                    refuse(format!("there is no node {id}; nodes with CPUs are {}", there()))
                })?;
                if node.cpus.is_empty() {
                    return Err(refuse(format!(
                        "node {id} has no CPU online; nodes with CPUs are {}",
                        there()
                    )));
                }
                let mask = node.cpus.intersection(&usable);
                if mask.is_empty() {
                    return Err(refuse(format!(
                        "node {id} has CPUs {}, and this process may use {usable}",
                        node.cpus
                    )));
                }
                Ok(Assignment::Shared(mask))
            }
            Placement::Pin(list) => {
                let wanted = list.iter().copied().collect();
                unusable(&wanted, topology, &usable).map_or(Ok(()), |why| Err(refuse(why)))?;
                if list.len() < threads as usize {
                    return Err(refuse(format!(
                        "the list has {} for {}; thread i goes on the i-th, so \
                         name a CPU again for each further thread on it, or let all threads share \
                         the CPUs with `cpus:`",
                        counted(list.len(), "CPU"),
                        counted(threads as usize, "thread")
                    )));
                }
                Ok(Assignment::Each(list.iter().copied().take(threads as usize).collect()))
            }
            Placement::Compact => Ok(around(compact(topology, &usable))),
            Placement::Scatter => Ok(around(scatter(topology, &usable))),
        }
    }
}

impl fmt::Display for Placement {
    /// The text of the contract.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Placement::Unpinned => f.write_str("unpinned"),
            Placement::Mask(mask) => write!(f, "cpus:{mask}"),
            Placement::Node(id) => write!(f, "node:{id}"),
            Placement::Pin(list) => {
                f.write_str("pin:")?;
                write_list(f, list.iter().copied())
            }
            Placement::Compact => f.write_str("compact"),
            Placement::Scatter => f.write_str("scatter"),
        }
    }
}

/// Where the threads of one trial go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    /// Nothing is set: the process's own mask.
    Inherited,
    /// One mask for all.
    Shared(CpuSet),
    /// One CPU for each thread, in the order they are made.
    Each(Vec<u32>),
}

impl Assignment {
    /// The mask that the i-th thread sets; `None` when it sets none.
    pub fn of_thread(&self, thread: usize) -> Option<CpuSet> {
        match self {
            Assignment::Inherited => None,
            Assignment::Shared(mask) => Some(mask.clone()),
            Assignment::Each(cpus) => cpus.get(thread).map(|&cpu| [cpu].into_iter().collect()),
        }
    }

    /// The CPUs that threads may run on in sum; `None` when nothing is set.
    pub fn cpus(&self) -> Option<CpuSet> {
        match self {
            Assignment::Inherited => None,
            Assignment::Shared(mask) => Some(mask.clone()),
            Assignment::Each(cpus) => Some(cpus.iter().copied().collect()),
        }
    }
}

/// A placement that this machine, or this process, has no CPUs for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementError {
    /// The placement as the contract writes it.
    pub placement: String,
    /// What is missing, and what there is.
    pub reason: String,
}

impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "placement `{}`: {}", self.placement, self.reason)
    }
}

impl std::error::Error for PlacementError {}

fn counted(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

/// Why a CPU that is asked for can't be used, the most basic reason first; `None` where all can.
fn unusable(wanted: &CpuSet, topology: &Topology, usable: &CpuSet) -> Option<String> {
    let name = |cpus: &CpuSet| match cpus.len() {
        1 => format!("CPU {cpus} is"),
        _ => format!("CPUs {cpus} are"),
    };
    let absent = wanted.difference(&topology.present.union(&topology.online));
    if !absent.is_empty() {
        return Some(format!(
            "{} not in this machine, which has {}",
            name(&absent),
            topology.present.union(&topology.online)
        ));
    }
    let offline = wanted.difference(&topology.online);
    if !offline.is_empty() {
        return Some(format!("{} offline; online are {}", name(&offline), topology.online));
    }
    let outside = wanted.difference(usable);
    if !outside.is_empty() {
        return Some(format!(
            "{} outside of what this process may use (its cpuset and affinity), which is {usable}",
            name(&outside)
        ));
    }
    None
}

/// Where a CPU is: the number of its group at each level. Groups that are not known are all 0,
/// that is, don't tell CPUs apart; a core that is not known is the CPU itself.
#[derive(Debug, Clone, Copy)]
struct Place {
    cpu: u32,
    package: u32,
    node: u32,
    cache: u32,
    cluster: u32,
    core: u32,
    /// The how-manieth usable thread of its core.
    sibling: u32,
}

fn places(topology: &Topology, usable: &CpuSet) -> Vec<Place> {
    fn index(groups: impl IntoIterator<Item = impl AsRef<CpuSet>>) -> BTreeMap<u32, u32> {
        let mut of = BTreeMap::new();
        for (number, group) in groups.into_iter().enumerate() {
            of.extend(group.as_ref().iter().map(|cpu| (cpu, number as u32)));
        }
        of
    }
    let packages = index(&topology.packages);
    let nodes = index(topology.nodes.iter().map(|node| &node.cpus));
    let caches = index(topology.caches.iter().map(|domain| &domain.cpus));
    let clusters = index(&topology.clusters);
    let cores = index(&topology.cores);
    let mut threads_seen = BTreeMap::new();
    let group = |of: &BTreeMap<u32, u32>, cpu| of.get(&cpu).copied().unwrap_or(0);
    usable
        .iter()
        .map(|cpu| {
            // Numbers of unknown cores are above those of known ones.
            let core = cores.get(&cpu).copied().unwrap_or(topology.cores.len() as u32 + cpu);
            let seen = threads_seen.entry(core).or_insert(0);
            let sibling = *seen;
            *seen += 1;
            Place {
                cpu,
                package: group(&packages, cpu),
                node: group(&nodes, cpu),
                cache: group(&caches, cpu),
                cluster: group(&clusters, cpu),
                core,
                sibling,
            }
        })
        .collect()
}

fn compact(topology: &Topology, usable: &CpuSet) -> Vec<u32> {
    let mut places = places(topology, usable);
    places.sort_by_key(|p| (p.package, p.node, p.cache, p.sibling, p.cluster, p.core, p.cpu));
    places.into_iter().map(|place| place.cpu).collect()
}

fn scatter(topology: &Topology, usable: &CpuSet) -> Vec<u32> {
    let places = places(topology, usable);
    let mut order = Vec::with_capacity(places.len());
    let mut round: Vec<Place> = Vec::new();
    for sibling in 0.. {
        round.clear();
        round.extend(places.iter().filter(|place| place.sibling == sibling));
        if round.is_empty() {
            break;
        }
        // Nodes of the sockets in turn: the first of each, then the second of each.
        let mut nodes_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for place in &round {
            let nodes = nodes_of.entry(place.package).or_default();
            if !nodes.contains(&place.node) {
                nodes.push(place.node);
            }
        }
        let nodes = in_turn(nodes_of.into_values().collect());
        let mut seen = Vec::new();
        let mut by_node = Vec::new();
        for node in nodes {
            // A node that spans sockets comes up once a socket.
            if !seen.contains(&node) {
                seen.push(node);
                let here = round.iter().filter(|place| place.node == node).copied().collect();
                by_node.push(spread(here, &[|p| p.cache, |p| p.cluster, |p| p.core]));
            }
        }
        order.extend(in_turn(by_node));
    }
    order
}

/// CPUs of the groups of the first level in turn, each group's in the order that the further
/// levels give.
fn spread(places: Vec<Place>, levels: &[fn(&Place) -> u32]) -> Vec<u32> {
    let Some((level, further)) = levels.split_first() else {
        return places.into_iter().map(|place| place.cpu).collect();
    };
    let mut groups: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    for place in places {
        groups.entry(level(&place)).or_default().push(place);
    }
    in_turn(groups.into_values().map(|group| spread(group, further)).collect())
}

/// The first of each, then the second of each, while there are any.
fn in_turn<T: Copy>(lists: Vec<Vec<T>>) -> Vec<T> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|i| lists.iter().filter_map(move |list| list.get(i).copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Tree;
    use super::*;

    fn each(topology: &Topology, allowed: &str, placement: Placement, threads: u32) -> Vec<u32> {
        let allowed = allowed.parse().expect("a list");
        match placement.assign(topology, &allowed, threads) {
            Ok(Assignment::Each(cpus)) => cpus,
            other => panic!("{other:?}"),
        }
    }

    fn refusal(topology: &Topology, allowed: &str, placement: &Placement, threads: u32) -> String {
        let allowed = allowed.parse().expect("a list");
        placement.assign(topology, &allowed, threads).expect_err("refused").to_string()
    }

    fn list(text: &str) -> Vec<u32> {
        parse_list(text, "CPU").expect("a list")
    }

    #[test]
    fn one_socket_is_filled_in_order_both_ways() {
        let topology = Tree { cores: 8, ..Tree::default() }.topology();
        assert_eq!(each(&topology, "0-7", Placement::Compact, 4), list("0-3"));
        assert_eq!(each(&topology, "0-7", Placement::Scatter, 4), list("0-3"));
        // Around, a CPU's second thread after every CPU's first.
        assert_eq!(each(&topology, "0-7", Placement::Compact, 10), list("0-7,0-1"));
    }

    #[test]
    fn two_sockets_with_smt() {
        let topology = Tree { packages: 2, cores: 4, threads: 2, ..Tree::default() }.topology();
        // The first socket's cores, their siblings, then the second socket.
        assert_eq!(each(&topology, "0-15", Placement::Compact, 16), list("0-3,8-11,4-7,12-15"));
        // The sockets in turn, siblings when all cores have one.
        assert_eq!(
            each(&topology, "0-15", Placement::Scatter, 16),
            list("0,4,1,5,2,6,3,7,8,12,9,13,10,14,11,15")
        );
    }

    #[test]
    fn a_96_core_socket_with_three_nodes() {
        let topology = Tree { cores: 96, threads: 2, nodes: 3, ..Tree::default() }.topology();
        let compact = each(&topology, "0-191", Placement::Compact, 96);
        // Though one cache serves all, the first node is filled before the second is begun.
        assert_eq!(compact, list("0-31,96-127,32-63"));
        let scatter = each(&topology, "0-191", Placement::Scatter, 96);
        assert_eq!(scatter[..6], [0, 32, 64, 1, 33, 65]);
        let mut sorted = scatter;
        sorted.sort_unstable();
        assert_eq!(sorted, list("0-95"));
        let node = Placement::Node(1).assign(&topology, &topology.online, 96).expect("a node");
        assert_eq!(node, Assignment::Shared("32-63,128-159".parse().expect("a list")));
    }

    #[test]
    fn a_128_core_socket_with_sixteen_caches() {
        let topology = Tree { cores: 128, caches: 16, ..Tree::default() }.topology();
        assert_eq!(each(&topology, "0-127", Placement::Compact, 9), list("0-8"));
        let scatter = each(&topology, "0-127", Placement::Scatter, 32);
        assert_eq!(scatter[..3], [0, 8, 16]);
        assert_eq!(scatter[15..18], [120, 1, 9]);
    }

    #[test]
    fn two_sockets_of_several_nodes_alternate_between_sockets() {
        let topology =
            Tree { packages: 2, cores: 12, nodes: 3, caches: 3, ..Tree::default() }.topology();
        assert_eq!(each(&topology, "0-23", Placement::Scatter, 7), list("0,12,4,16,8,20,1"));
        // A cpuset with all of one socket and one node of the other: nodes get equal shares.
        assert_eq!(each(&topology, "0-11,12-15", Placement::Scatter, 8), list("0,12,4,8,1,13,5,9"));
    }

    #[test]
    fn arm64_spreads_over_clusters_before_their_second_cores() {
        let tree = Tree { cores: 8, cores_per_cluster: 2, smt_file: false, ..Tree::default() };
        let topology = tree.topology();
        assert_eq!(each(&topology, "0-7", Placement::Scatter, 8), list("0,2,4,6,1,3,5,7"));
        assert_eq!(each(&topology, "0-7", Placement::Compact, 8), list("0-7"));
    }

    #[test]
    fn a_sibling_that_is_alone_in_the_cpuset_counts_as_a_core() {
        let topology = Tree { cores: 4, threads: 2, ..Tree::default() }.topology();
        // 0 and 4 are one core; of the others only the second threads may be used.
        assert_eq!(each(&topology, "0,4-7", Placement::Compact, 5), list("0,5-7,4"));
        assert_eq!(each(&topology, "0,4-7", Placement::Scatter, 5), list("0,5-7,4"));
    }

    #[test]
    fn an_unknown_layout_still_has_every_cpu_once() {
        let topology = Topology { online: "0-5".parse().expect("a list"), ..Topology::default() };
        for placement in [Placement::Compact, Placement::Scatter] {
            assert_eq!(each(&topology, "1-8", placement, 5), list("1-5"));
        }
    }

    #[test]
    fn a_list_keeps_its_order_and_its_repeats() {
        let topology = Tree { cores: 8, ..Tree::default() }.topology();
        let pin = Placement::pin("7,0-2,7").expect("a list");
        assert_eq!(pin.to_string(), "pin:7,0-2,7");
        assert_eq!(each(&topology, "0-7", pin.clone(), 5), [7, 0, 1, 2, 7]);
        assert_eq!(each(&topology, "0-7", pin.clone(), 2), [7, 0]);
        let text = refusal(&topology, "0-7", &pin, 6);
        assert!(text.starts_with("placement `pin:7,0-2,7`: the list has 5 CPUs for 6"), "{text}");
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_there_is() {
        let topology =
            Tree { packages: 2, cores: 4, offline: "3", memory_only_nodes: 1, ..Tree::default() }
                .topology();
        for (placement, allowed, says) in [
            (Placement::mask("0-9"), "0-7", "CPUs 8-9 are not in this machine, which has 0-7"),
            (Placement::mask("2-4"), "0-7", "CPU 3 is offline; online are 0-2,4-7"),
            (Placement::pin("0-2"), "0-1", "CPU 2 is outside of what this process may use"),
            (Placement::pin("0-2"), "0-1", "which is 0-1"),
            (Ok(Placement::Node(3)), "0-7", "there is no node 3; nodes with CPUs are 0-1"),
            (Ok(Placement::Node(2)), "0-7", "node 2 has no CPU online; nodes with CPUs are 0-1"),
            (Ok(Placement::Node(1)), "0-2", "node 1 has CPUs 4-7, and this process may use 0-2"),
            (
                Ok(Placement::Compact),
                "3",
                "this process may use CPUs 3, and none of them is online",
            ),
            (Ok(Placement::Mask(CpuSet::new())), "0-7", "the list is empty"),
        ] {
            let placement = placement.expect("a list");
            let text = refusal(&topology, allowed, &placement, 1);
            assert!(text.contains(says), "{text}");
            assert!(text.starts_with(&format!("placement `{placement}`: ")), "{text}");
        }
        let text = Placement::mask("0-x").expect_err("no list").to_string();
        assert!(text.contains("placement `cpus:0-x`") && text.contains("`x`"), "{text}");
    }

    #[test]
    fn a_node_is_what_the_cpuset_has_of_it() {
        let topology = Tree { packages: 2, cores: 4, ..Tree::default() }.topology();
        let allowed = "2-5".parse().expect("a list");
        let node = Placement::Node(0).assign(&topology, &allowed, 8).expect("a node");
        assert_eq!(node.cpus(), Some("2-3".parse().expect("a list")));
        assert_eq!(node.of_thread(7), node.cpus());
        let unpinned = Placement::Unpinned.assign(&topology, &allowed, 8).expect("anywhere");
        assert_eq!((unpinned.of_thread(0), unpinned.cpus()), (None, None));
    }

    #[test]
    fn every_order_is_a_permutation_of_what_may_be_used() {
        for (packages, cores, threads, nodes, caches) in
            [(1, 4, 1, 1, 1), (2, 12, 2, 3, 6), (4, 8, 4, 2, 2), (2, 6, 1, 1, 3)]
        {
            let topology =
                Tree { packages, cores, threads, nodes, caches, ..Tree::default() }.topology();
            let allowed: CpuSet = topology.online.iter().filter(|cpu| cpu % 5 != 3).collect();
            for order in [compact(&topology, &allowed), scatter(&topology, &allowed)] {
                assert_eq!(order.len(), allowed.len());
                assert_eq!(order.into_iter().collect::<CpuSet>(), allowed);
            }
        }
    }
}
