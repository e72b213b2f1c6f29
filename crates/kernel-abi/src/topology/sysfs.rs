//! Reading the layout from `devices/system/{cpu,node}`.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{CacheDomain, NumaNode, Topology};
use crate::affinity::CpuSet;
use crate::id_set::NodeSet;

/// A file of the layout that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopologyError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the CPUs' layout can't be read: {}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for TopologyError {}

/// How a file's text is had. A parameter, so that the layout of a large machine can be tested
/// without its thousands of files.
pub(super) type ReadFile<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

pub(super) fn read(sys: &Path, file: ReadFile) -> Result<Topology, TopologyError> {
    let cpu = sys.join("devices/system/cpu");
    let online: CpuSet = required(file, &cpu.join("online"))?;
    if online.is_empty() {
        let reason = "no CPU is online".to_owned();
        return Err(TopologyError { path: cpu.join("online"), reason });
    }
    let mut topology = Topology {
        possible: optional(file, &cpu.join("possible"))?.unwrap_or_else(|| online.clone()),
        present: optional(file, &cpu.join("present"))?.unwrap_or_else(|| online.clone()),
        isolated: optional(file, &cpu.join("isolated"))?.unwrap_or_default(),
        smt_active: optional::<u32>(file, &cpu.join("smt/active"))?.map(|active| active != 0),
        ..Topology::default()
    };
    for id in online.iter() {
        let folder = cpu.join(format!("cpu{id}"));
        // The second name is what kernels before 5.2 had.
        for (groups, names) in [
            (&mut topology.packages, ["package_cpus_list", "core_siblings_list"].as_slice()),
            (&mut topology.dies, &["die_cpus_list"]),
            (&mut topology.clusters, &["cluster_cpus_list"]),
            (&mut topology.cores, &["core_cpus_list", "thread_siblings_list"]),
        ] {
            if groups.iter().any(|group| group.contains(id)) {
                continue;
            }
            for name in names {
                if let Some(cpus) = optional::<CpuSet>(file, &folder.join("topology").join(name))? {
                    add_group(groups, id, &cpus, &online);
                    break;
                }
            }
        }
        if !topology.caches.iter().any(|domain| domain.cpus.contains(id))
            && let Some((level, cpus)) = last_level_cache(file, &folder.join("cache"))?
        {
            let mut groups: Vec<CpuSet> =
                topology.caches.iter().map(|domain| domain.cpus.clone()).collect();
            add_group(&mut groups, id, &cpus, &online);
            topology.caches.extend(groups.pop().map(|cpus| CacheDomain { level, cpus }));
        }
    }
    if topology.smt_active.is_none() && !topology.cores.is_empty() {
        topology.smt_active = Some(topology.cores.iter().any(|core| core.len() > 1));
    }
    topology.nodes = nodes(file, &sys.join("devices/system/node"), &online)?;
    topology.governors = governors(file, &cpu, &online);
    topology.online = online;
    Ok(topology)
}

/// A group as one of its CPUs shows it: that CPU is in it, offline ones and those that another
/// group claimed are not, so that groups never overlap, whatever firmware made up.
fn add_group(groups: &mut Vec<CpuSet>, id: u32, cpus: &CpuSet, online: &CpuSet) {
    let mut group = cpus.intersection(online);
    for other in groups.iter() {
        group = group.difference(other);
    }
    group.insert(id);
    groups.push(group);
}

/// The data or unified cache of the highest level.
fn last_level_cache(file: ReadFile, folder: &Path) -> Result<Option<(u32, CpuSet)>, TopologyError> {
    let mut last: Option<(u32, CpuSet)> = None;
    for index in 0..16 {
        let folder = folder.join(format!("index{index}"));
        let Some(kind) = optional::<String>(file, &folder.join("type"))? else { break };
        if kind == "Instruction" {
            continue;
        }
        let (Some(level), Some(cpus)) = (
            optional::<u32>(file, &folder.join("level"))?,
            optional::<CpuSet>(file, &folder.join("shared_cpu_list"))?,
        ) else {
            continue;
        };
        if last.as_ref().is_none_or(|(highest, _)| level > *highest) {
            last = Some((level, cpus));
        }
    }
    Ok(last)
}

fn nodes(file: ReadFile, folder: &Path, online: &CpuSet) -> Result<Vec<NumaNode>, TopologyError> {
    // Without NUMA in the kernel there is no such folder, and all memory is equally near.
    let Some(ids) = optional::<NodeSet>(file, &folder.join("online"))? else {
        return Ok(vec![NumaNode { id: 0, cpus: online.clone(), has_memory: true }]);
    };
    let with_memory: Option<NodeSet> = optional(file, &folder.join("has_memory"))?;
    ids.iter()
        .map(|id| {
            let cpus: CpuSet = required(file, &folder.join(format!("node{id}/cpulist")))?;
            Ok(NumaNode {
                id,
                cpus: cpus.intersection(online),
                has_memory: with_memory.as_ref().is_none_or(|nodes| nodes.contains(id)),
            })
        })
        .collect()
}

fn governors(file: ReadFile, cpu: &Path, online: &CpuSet) -> Vec<String> {
    let names: BTreeSet<String> = online
        .iter()
        .filter_map(|id| file(&cpu.join(format!("cpu{id}/cpufreq/scaling_governor"))).ok())
        .map(|name| name.trim().to_owned())
        .collect();
    names.into_iter().collect()
}

fn required<T: FromStr<Err: fmt::Display>>(
    file: ReadFile,
    path: &Path,
) -> Result<T, TopologyError> {
    match optional(file, path)? {
        Some(value) => Ok(value),
        None => {
            Err(TopologyError { path: path.to_path_buf(), reason: "there is no such file".into() })
        }
    }
}

/// `None` where there is no such file. A file that is there and unreadable is an error: half a
/// layout would be taken for a whole one.
fn optional<T: FromStr<Err: fmt::Display>>(
    file: ReadFile,
    path: &Path,
) -> Result<Option<T>, TopologyError> {
    let failed = |reason: String| TopologyError { path: path.to_path_buf(), reason };
    let text = match file(path) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(failed(error.to_string())),
    };
    match text.trim().parse() {
        Ok(value) => Ok(Some(value)),
        Err(error) => Err(failed(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Files, Tree};
    use super::*;

    fn lists(groups: &[CpuSet]) -> Vec<String> {
        groups.iter().map(CpuSet::to_string).collect()
    }

    fn caches(topology: &Topology) -> Vec<String> {
        topology.caches.iter().map(|domain| domain.cpus.to_string()).collect()
    }

    #[test]
    fn one_socket() {
        let topology = Tree { cores: 8, ..Tree::default() }.topology();
        assert_eq!(topology.online.to_string(), "0-7");
        assert_eq!(lists(&topology.packages), ["0-7"]);
        assert_eq!(caches(&topology), ["0-7"]);
        assert_eq!(topology.cores.len(), 8);
        assert_eq!(topology.smt_active, Some(false));
        assert_eq!(topology.sub_numa(), Some(false));
        assert_eq!(topology.governors, ["performance"]);
        assert_eq!(topology.caches[0].level, 3);
    }

    #[test]
    fn two_sockets_with_smt() {
        let topology = Tree { packages: 2, cores: 4, threads: 2, ..Tree::default() }.topology();
        assert_eq!(lists(&topology.packages), ["0-3,8-11", "4-7,12-15"]);
        assert_eq!(caches(&topology), ["0-3,8-11", "4-7,12-15"]);
        assert_eq!(topology.cores.len(), 8);
        assert_eq!(topology.cores[5].to_string(), "5,13");
        assert_eq!(topology.smt_active, Some(true));
        assert_eq!(topology.nodes_with_cpus().to_string(), "0-1");
    }

    #[test]
    fn a_96_core_socket_with_three_nodes_and_one_cache() {
        let topology = Tree { cores: 96, threads: 2, nodes: 3, ..Tree::default() }.topology();
        assert_eq!(topology.online.len(), 192);
        assert_eq!(caches(&topology), ["0-191"]);
        let nodes: Vec<_> = topology.nodes.iter().map(|n| n.cpus.to_string()).collect();
        assert_eq!(nodes, ["0-31,96-127", "32-63,128-159", "64-95,160-191"]);
        assert_eq!(topology.sub_numa(), Some(true));
    }

    #[test]
    fn a_128_core_socket_with_sixteen_caches() {
        let topology = Tree { cores: 128, threads: 2, caches: 16, ..Tree::default() }.topology();
        assert_eq!(topology.caches.len(), 16);
        assert_eq!(topology.caches[15].cpus.to_string(), "120-127,248-255");
        assert_eq!(topology.nodes.len(), 1);
    }

    #[test]
    fn arm64_without_smt_and_with_clusters() {
        let tree = Tree { cores: 64, cores_per_cluster: 2, smt_file: false, ..Tree::default() };
        let topology = tree.topology();
        assert_eq!(topology.clusters.len(), 32);
        assert_eq!(topology.clusters[31].to_string(), "62-63");
        assert_eq!(topology.smt_active, Some(false));
    }

    #[test]
    fn offline_cpus_are_in_no_group() {
        let topology =
            Tree { packages: 2, cores: 4, threads: 2, offline: "8-15", ..Tree::default() }
                .topology();
        assert_eq!(topology.online.to_string(), "0-7");
        assert_eq!(topology.possible.to_string(), "0-15");
        assert_eq!(lists(&topology.packages), ["0-3", "4-7"]);
        assert!(topology.cores.iter().all(|core| core.len() == 1));
        assert_eq!(topology.smt_active, Some(false));
    }

    #[test]
    fn a_node_of_memory_only_has_no_cpus() {
        let topology = Tree { cores: 2, memory_only_nodes: 1, ..Tree::default() }.topology();
        assert_eq!(topology.nodes_with_cpus().to_string(), "0");
        assert_eq!(topology.nodes_with_memory().to_string(), "0-1");
    }

    #[test]
    fn what_is_not_shown_is_not_known() {
        let mut files = Files::default();
        assert!(files.topology().expect_err("empty").reason.contains("no such file"));
        files.put("cpu/online", "0-3");
        let topology = files.topology().expect("a layout");
        assert!(topology.packages.is_empty() && topology.caches.is_empty());
        assert!(topology.cores.is_empty() && topology.smt_active.is_none());
        assert_eq!(topology.sub_numa(), None);
        assert_eq!(topology.possible, topology.online);
        // A kernel without NUMA.
        assert_eq!(topology.nodes.len(), 1);
        assert_eq!(topology.nodes[0].cpus, topology.online);
        files.put("cpu/online", "");
        assert!(files.topology().expect_err("none").reason.contains("no CPU is online"));
    }

    #[test]
    fn a_cpu_that_may_be_used_is_online_whatever_a_masked_sys_says() {
        let mut files = Files::default();
        files.put("cpu/online", "0");
        let mut topology = files.topology().expect("a layout");
        let allowed: CpuSet = "1".parse().expect("a list");
        assert_eq!(topology.admit(&allowed).map(|named| named.to_string()), Some("0".into()));
        assert_eq!(topology.online.to_string(), "0-1");
        assert_eq!(topology.admit(&allowed), None);
    }

    #[test]
    fn what_is_no_list_is_an_error_that_names_the_file() {
        let mut files = Tree::default().files();
        files.put("cpu/cpu0/topology/core_cpus_list", "x");
        let error = files.topology().expect_err("no list").to_string();
        assert!(error.contains("cpu0/topology/core_cpus_list"), "{error}");
        assert!(error.contains("`x` is not a number"), "{error}");
    }

    #[test]
    fn groups_never_overlap_whatever_the_firmware_says() {
        let mut files = Tree { cores: 4, ..Tree::default() }.files();
        files.put("cpu/cpu2/topology/core_cpus_list", "0-2");
        assert_eq!(lists(&files.topology().expect("a layout").cores), ["0", "1", "2", "3"]);
    }

    #[test]
    fn names_of_older_kernels_are_read() {
        let mut files = Files::default();
        files.put("cpu/online", "0-1");
        for cpu in 0..2 {
            files.put(&format!("cpu/cpu{cpu}/topology/core_siblings_list"), "0-1");
            files.put(&format!("cpu/cpu{cpu}/topology/thread_siblings_list"), "0-1");
        }
        let topology = files.topology().expect("a layout");
        assert_eq!(
            (lists(&topology.packages), lists(&topology.cores)),
            (vec!["0-1".into()], vec!["0-1".into()])
        );
        assert_eq!(topology.smt_active, Some(true));
    }

    #[test]
    fn a_copy_of_the_files_in_a_folder_reads_the_same() {
        let tree = Tree { packages: 2, cores: 2, threads: 2, ..Tree::default() };
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in &tree.files().0 {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("written");
        }
        assert_eq!(Topology::read(folder.path()), Ok(tree.topology()));
    }

    #[test]
    fn this_machine_agrees_with_itself() {
        let topology = Topology::read(Path::new(super::super::SYS)).expect("/sys");
        let allowed = crate::affinity::current().expect("affinity");
        assert!(allowed.is_subset(&topology.online));
        assert!(topology.online.is_subset(&topology.present));
        for groups in [&topology.packages, &topology.cores, &topology.dies] {
            if !groups.is_empty() {
                let all = groups.iter().fold(CpuSet::new(), |sum, group| sum.union(group));
                assert_eq!(all, topology.online);
                assert_eq!(groups.iter().map(CpuSet::len).sum::<usize>(), all.len());
            }
        }
    }
}
