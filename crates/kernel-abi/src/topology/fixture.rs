//! Layouts of machines that the tests need, as files of a fake `/sys`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{Topology, TopologyError, sysfs};
use crate::affinity::CpuSet;

/// A regular machine. CPUs are numbered as Linux does on servers: first threads of all cores,
/// socket by socket, then second threads.
pub(crate) struct Tree {
    pub packages: u32,
    /// Cores a package.
    pub cores: u32,
    /// Threads a core.
    pub threads: u32,
    /// Nodes a package.
    pub nodes: u32,
    /// Last-level caches a package.
    pub caches: u32,
    pub cores_per_cluster: u32,
    pub memory_only_nodes: u32,
    /// A list of CPUs that are offline: the kernel shows no layout for them.
    pub offline: &'static str,
    /// Whether there is `smt/active`.
    pub smt_file: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Tree {
            packages: 1,
            cores: 1,
            threads: 1,
            nodes: 1,
            caches: 1,
            cores_per_cluster: 1,
            memory_only_nodes: 0,
            offline: "",
            smt_file: true,
        }
    }
}

/// Files by their path below `/sys`.
#[derive(Default)]
pub(crate) struct Files(pub BTreeMap<PathBuf, String>);

impl Files {
    /// Adds a file below `devices/system`, or replaces it.
    pub fn put(&mut self, path: &str, text: &str) {
        self.0.insert(Path::new("devices/system").join(path), format!("{text}\n"));
    }

    /// The layout that they hold.
    pub fn topology(&self) -> Result<Topology, TopologyError> {
        let read = |path: &Path| match self.0.get(path) {
            Some(text) => Ok(text.clone()),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        sysfs::read(Path::new(""), &read)
    }
}

impl Tree {
    /// The layout.
    pub fn topology(&self) -> Topology {
        self.files().topology().expect("a layout")
    }

    /// Its files.
    pub fn files(&self) -> Files {
        let mut files = Files::default();
        let cores = self.packages * self.cores;
        let count = cores * self.threads;
        let offline: CpuSet = self.offline.parse().expect("a list");
        let online: CpuSet = (0..count).filter(|&cpu| !offline.contains(cpu)).collect();
        // The CPUs online for which a number made from the core is the same.
        let alike = |of: &dyn Fn(u32) -> u32, cpu: u32| -> String {
            online
                .iter()
                .filter(|other| of(other % cores) == of(cpu % cores))
                .collect::<CpuSet>()
                .to_string()
        };
        let mut put = |path: &str, text: &str| files.put(path, text);
        put("cpu/online", &online.to_string());
        put("cpu/possible", &format!("0-{}", count - 1));
        put("cpu/present", &format!("0-{}", count - 1));
        put("cpu/offline", self.offline);
        put("cpu/isolated", "");
        if self.smt_file {
            let active = self.threads > 1
                && online.iter().any(|cpu| alike(&|core| core, cpu).contains([',', '-']));
            put("cpu/smt/active", if active { "1" } else { "0" });
        }
        for cpu in online.iter() {
            let topology = format!("cpu/cpu{cpu}/topology");
            let package = |core: u32| core / self.cores;
            put(&format!("{topology}/package_cpus_list"), &alike(&package, cpu));
            put(&format!("{topology}/die_cpus_list"), &alike(&package, cpu));
            let cluster = |core: u32| core / self.cores_per_cluster;
            put(&format!("{topology}/cluster_cpus_list"), &alike(&cluster, cpu));
            put(&format!("{topology}/core_cpus_list"), &alike(&|core| core, cpu));
            let cache = |core: u32| core / (self.cores / self.caches);
            for (index, kind, level, cpus) in [
                (0, "Data", "1", alike(&|core| core, cpu)),
                (1, "Instruction", "1", alike(&|core| core, cpu)),
                (2, "Unified", "2", alike(&|core| core, cpu)),
                (3, "Unified", "3", alike(&cache, cpu)),
            ] {
                let cache = format!("cpu/cpu{cpu}/cache/index{index}");
                put(&format!("{cache}/type"), kind);
                put(&format!("{cache}/level"), level);
                put(&format!("{cache}/shared_cpu_list"), &cpus);
            }
            put(&format!("cpu/cpu{cpu}/cpufreq/scaling_governor"), "performance");
        }
        let nodes = self.packages * self.nodes;
        let last = nodes + self.memory_only_nodes - 1;
        put("node/online", &format!("0-{last}"));
        put("node/has_memory", &format!("0-{last}"));
        for node in 0..=last {
            let of = |core: u32| core / (self.cores / self.nodes);
            let cpus: CpuSet = online.iter().filter(|cpu| of(cpu % cores) == node).collect();
            put(&format!("node/node{node}/cpulist"), &cpus.to_string());
        }
        files
    }
}
