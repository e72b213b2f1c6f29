//! How large a guest is: CPUs, NUMA nodes, memory, and whether this host can hold it.

use crate::error::{Asked, LabError};

/// CPUs that a guest can have without interrupt remapping: an xAPIC's identifiers are 8 bits, and
/// 255 is broadcast.
pub const MOST_CPUS: u32 = 255;

/// A kernel, an initramfs and the trial's process.
const BASE_MIB: u64 = 384;
/// Per-CPU areas, idle stacks, a worker's stack, and the CPU's part of the hash.
const PER_CPU_MIB: u64 = 12;
/// Less than this a node can't be initialised with.
const PER_NODE_MIB: u64 = 256;
/// What QEMU itself takes: its own memory and the translated code.
const QEMU_MIB: u64 = 256;

/// `48 CPUs`, `1 CPU`.
pub fn cpus_in_words(cpus: u32) -> String {
    if cpus == 1 { "1 CPU".to_string() } else { format!("{cpus} CPUs") }
}

/// A guest's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// CPUs.
    pub cpus: u32,
    /// NUMA nodes with equal shares of CPUs and memory.
    pub nodes: u32,
    /// Memory of one node.
    pub node_mib: u64,
}

impl Shape {
    /// A guest of this many CPUs in this many equal nodes, with the memory that fits it.
    pub fn new(cpus: u32, nodes: u32) -> Result<Shape, LabError> {
        if cpus == 0 || cpus > MOST_CPUS {
            return Err(LabError::Refused {
                asked: Asked::Cpus(cpus),
                problem: format!("a guest has 1 to {MOST_CPUS} CPUs"),
            });
        }
        if nodes == 0 || nodes > cpus || !cpus.is_multiple_of(nodes) {
            let of = cpus_in_words(cpus);
            let divisors: Vec<String> = (1..=cpus.min(16))
                .filter(|n| cpus.is_multiple_of(*n))
                .map(|n| n.to_string())
                .collect();
            return Err(LabError::Refused {
                asked: Asked::Nodes(nodes),
                problem: format!(
                    "{of} can't be divided into {nodes} equal nodes; accepted for {of} {} {}",
                    if divisors.len() == 1 { "is" } else { "are" },
                    divisors.join(", ")
                ),
            });
        }
        // A node is a socket, and a socket's identifiers begin at a power of two.
        let identifiers = u64::from(nodes) * u64::from((cpus / nodes).next_power_of_two());
        if nodes > 1 && identifiers > u64::from(MOST_CPUS) + 1 {
            return Err(LabError::Refused {
                asked: Asked::Nodes(nodes),
                problem: format!(
                    "{} of {cpus} CPUs a node take {identifiers} APIC identifiers and there are {}; \
                     a power of two of CPUs a node wastes none",
                    cpus / nodes,
                    u64::from(MOST_CPUS) + 1
                ),
            });
        }
        let all = BASE_MIB + PER_CPU_MIB * u64::from(cpus);
        let node_mib = all.div_ceil(u64::from(nodes)).max(PER_NODE_MIB).next_multiple_of(64);
        Ok(Shape { cpus, nodes, node_mib })
    }

    /// Memory of the whole guest.
    pub fn memory_mib(&self) -> u64 {
        self.node_mib * u64::from(self.nodes)
    }

    /// What a running guest takes of the host.
    pub fn host_mib(&self) -> u64 {
        self.memory_mib() + QEMU_MIB
    }

    /// How many guests of this size fit into what the host has free, told by `/proc/meminfo`.
    pub fn fit(&self, meminfo: &str) -> Result<u64, LabError> {
        let Some(available) = available_mib(meminfo) else { return Ok(1) };
        match available / self.host_mib() {
            0 => Err(LabError::Shape(format!(
                "a guest of {} and {} node{} takes {} MiB of the host and {available} MiB are available; \
                 fewer CPUs or nodes take less",
                cpus_in_words(self.cpus),
                self.nodes,
                if self.nodes == 1 { "" } else { "s" },
                self.host_mib()
            ))),
            guests => Ok(guests),
        }
    }

    /// QEMU's arguments for it.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            "-smp".to_string(),
            // A node is a socket: a cache shared between nodes makes the scheduler's domains bad.
            format!(
                "{},sockets={},cores={},threads=1",
                self.cpus,
                self.nodes,
                self.cpus / self.nodes
            ),
            "-m".to_string(),
            format!("{}M", self.memory_mib()),
        ];
        if self.nodes > 1 {
            let each = self.cpus / self.nodes;
            for node in 0..self.nodes {
                let (first, last) = (node * each, (node + 1) * each - 1);
                arguments.extend([
                    "-object".to_string(),
                    format!("memory-backend-ram,id=memory{node},size={}M", self.node_mib),
                    "-numa".to_string(),
                    format!("node,nodeid={node},cpus={first}-{last},memdev=memory{node}"),
                ]);
            }
        }
        arguments
    }
}

fn available_mib(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_share_cpus_and_memory_equally() {
        let shape = Shape::new(32, 4).unwrap();
        assert_eq!(shape.memory_mib(), 4 * shape.node_mib);
        let arguments = shape.arguments().join(" ");
        assert!(arguments.contains("node,nodeid=3,cpus=24-31,memdev=memory3"), "{arguments}");
        assert!(!Shape::new(32, 1).unwrap().arguments().join(" ").contains("numa"));
    }

    #[test]
    fn a_size_that_cannot_be_is_named_with_what_can() {
        for (cpus, nodes, said) in [
            (0, 1, "1 to 255"),
            (300, 1, "1 to 255"),
            (32, 0, "1, 2, 4, 8, 16"),
            (32, 3, "1, 2, 4, 8, 16"),
            (4, 8, "1, 2, 4"),
        ] {
            let error = Shape::new(cpus, nodes).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        assert!(Shape::new(255, 1).is_ok());
        assert!(Shape::new(255, 5).unwrap_err().to_string().contains("320 APIC"));
    }

    #[test]
    fn a_guest_that_the_host_cannot_hold_is_refused_with_both_numbers() {
        let shape = Shape::new(96, 2).unwrap();
        let error = shape.fit("MemTotal: 9 kB\nMemAvailable:  524288 kB\n").unwrap_err();
        assert!(error.to_string().contains("512 MiB are available"), "{error}");
        assert_eq!(shape.fit("MemAvailable: 16777216 kB\n").unwrap(), 16384 / shape.host_mib());
        assert_eq!(shape.fit("").unwrap(), 1);
    }
}
