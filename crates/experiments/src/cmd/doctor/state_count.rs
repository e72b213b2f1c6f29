//! Whether the hash's state can be counted while it works: a kprobe on `futex_ref_get` that reads
//! the state field by the kernel's type information, aggregated in the kernel.

use serde::Serialize;

use super::facts::{Kernel, Tracing};

/// Can it, and what is missing.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether everything that it needs is there.
    pub possible: bool,
    /// What is missing, a sentence each, with the command where there is one.
    pub missing: Vec<String>,
}

/// From what tracing there is.
pub fn judge(tracing: &Tracing, kernel: &Kernel) -> Verdict {
    let mut missing = Vec::new();
    if tracing.kprobes_built_in == Some(false) {
        missing.push(format!(
            "The kernel {} is built without CONFIG_KPROBES; a distribution's kernel has it.",
            kernel.release
        ));
    } else if !tracing.kprobe_events {
        missing.push(if !tracing.root {
            "Root: the tracing folder is readable to it only.".to_owned()
        } else if !tracing.tracefs_mounted {
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
    if tracing.ref_get_symbol == Some(false) {
        missing.push(
            "The kernel has no symbol futex_ref_get: it is older than 6.17, or the function was \
             inlined."
                .to_owned(),
        );
    }
    Verdict { possible: missing.is_empty(), missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Tracing {
        Tracing {
            root: true,
            tracefs_mounted: true,
            kprobe_events: true,
            kprobes_built_in: Some(true),
            btf: true,
            ref_get_symbol: Some(true),
            perf_event_paranoid: Some(2),
        }
    }

    fn missing(tracing: &Tracing) -> Vec<String> {
        judge(tracing, &Kernel::default()).missing
    }

    #[test]
    fn everything_is_needed() {
        assert!(judge(&all(), &Kernel::default()).possible);
        let lacking = Tracing { btf: false, ref_get_symbol: Some(false), ..all() };
        let verdict = judge(&lacking, &Kernel::default());
        assert_eq!((verdict.possible, verdict.missing.len()), (false, 2));
    }

    #[test]
    fn the_first_thing_to_do_about_tracefs_is_said() {
        let none = Tracing { kprobe_events: false, tracefs_mounted: false, ..all() };
        assert!(missing(&none)[0].contains("mount -t tracefs"));
        assert!(missing(&Tracing { root: false, ..none.clone() })[0].contains("Root"));
        assert!(
            missing(&Tracing { tracefs_mounted: true, ..none.clone() })[0].contains("locked down")
        );
        // No mount helps a kernel without kprobes.
        let built = missing(&Tracing { kprobes_built_in: Some(false), ..none });
        assert!(built.len() == 1 && built[0].contains("CONFIG_KPROBES"), "{built:?}");
    }
}
