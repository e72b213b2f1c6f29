//! Whether the hash's state can be counted while it works: a kprobe on `futex_ref_get` that reads
//! the state field by the kernel's type information, aggregated in the kernel.

use kernel_abi::tracing::{Tracing, symbol};

use super::super::Examined;

/// What is missing, a sentence each; nothing where it can be counted.
pub(super) fn look(machine: &Examined<'_>) -> Vec<String> {
    let kprobes = machine.config.map(|config| config.is_set("KPROBES"));
    missing(machine, &Tracing::look(), kprobes, symbol("futex_ref_get"))
}

fn missing(
    machine: &Examined<'_>,
    tracing: &Tracing,
    kprobes_built_in: Option<bool>,
    has_symbol: Option<bool>,
) -> Vec<String> {
    let mut missing = Vec::new();
    if kprobes_built_in == Some(false) {
        missing.push(format!(
            "The kernel {} is built without CONFIG_KPROBES; a distribution's kernel has it.",
            machine.release
        ));
    } else if !tracing.kprobe_events {
        missing.push(if !machine.is_root {
            "Root: only root can read the tracing folder.".to_owned()
        } else if !tracing.is_mounted {
            "tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing".to_owned()
        } else {
            "tracefs is mounted and has no kprobe_events: the kernel is built without \
             CONFIG_KPROBE_EVENTS, or is locked down."
                .to_owned()
        });
    }
    if !tracing.btf {
        missing.push(
            "The kernel has no type information (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF), \
             so the field can't be named."
                .to_owned(),
        );
    }
    if has_symbol == Some(false) {
        missing.push(
            "The kernel has no symbol futex_ref_get: it is older than 6.17, or the function was \
             inlined."
                .to_owned(),
        );
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Tracing = Tracing { is_mounted: true, kprobe_events: true, btf: true };

    fn told(is_root: bool, tracing: &Tracing, built: bool, symbol: bool) -> Vec<String> {
        let machine = Examined { release: "7.3", config: None, online: 8, allowed: 8, is_root };
        missing(&machine, tracing, Some(built), Some(symbol))
    }

    #[test]
    fn everything_is_needed() {
        assert!(told(true, &ALL, true, true).is_empty());
        assert_eq!(told(true, &Tracing { btf: false, ..ALL }, true, false).len(), 2);
    }

    #[test]
    fn the_first_thing_to_do_about_tracefs_is_said() {
        let none = Tracing { kprobe_events: false, is_mounted: false, ..ALL };
        assert!(told(true, &none, true, true)[0].contains("mount -t tracefs"));
        assert!(told(false, &none, true, true)[0].contains("Root"));
        let mounted = Tracing { kprobe_events: false, ..ALL };
        assert!(told(true, &mounted, true, true)[0].contains("locked down"));
        // No mount helps a kernel without kprobes.
        let built = told(true, &none, false, true);
        assert!(built.len() == 1 && built[0].contains("CONFIG_KPROBES"), "{built:?}");
    }
}
