//! The first lines by which the kernel announces a defect, as 6.12 to 7.3 print them.
//!
//! What only follows such a line is none: a message above a `WARNING: ` (`refcount_t: …`, `list_add
//! corruption. …`, `CFI failure at …`), the registers, what RCU adds to a stall.

/// What a complaint begins with, or holds.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// The message begins with it.
    Start(&'static str),
    /// The message holds it.
    Within(&'static str),
    /// The message is nothing else.
    Only(&'static str),
    /// The message begins with the first and holds the others.
    Parts(&'static str, [&'static str; 2]),
}

use Form::{Only, Parts, Start, Within};

/// Whether a kernel that has said so can still be trusted with another trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// A warning, a stall or a hung task is told, and the kernel goes on as it means to.
    GoesOn,
    /// Its state is not what it should be.
    Broken,
}

use After::{Broken, GoesOn};

/// The first that fits counts. By source: kernel/panic.c, lib/bug.c, arch/x86/kernel/{dumpstack,traps}.c,
/// arch/x86/mm/{fault,extable}.c, arch/arm64/{kernel/traps,mm/fault}.c, mm/{slub,page_alloc,vmalloc}.c,
/// mm/kasan/report.c, kernel/kcsan/report.c, mm/kmsan/report.c, mm/kfence/report.c, mm/kmemleak.c,
/// lib/ubsan.c, kernel/locking/lockdep.c, kernel/rcu/{tree_stall,tasks}.h, kernel/workqueue.c,
/// kernel/watchdog.c, kernel/hung_task.c, kernel/smp.c, kernel/softirq.c.
const FORMS: [(Form, After); 33] = [
    (Start("Kernel panic - not syncing"), Broken),
    (Start("BUG: KCSAN: "), GoesOn),
    (Start("BUG: workqueue lockup"), GoesOn),
    // KASAN, KMSAN, KFENCE; a fault; a bad page, lock or context.
    (Start("BUG: "), Broken),
    (Start("[ BUG: "), Broken),
    // A slab: BUG kmalloc-64 (Not tainted): Poison overwritten
    (Parts("BUG ", [" (", "ainted"]), Broken),
    (Start("kernel BUG at "), Broken),
    // Any WARN, refcounts and lists among them; what lockdep has found; RCU used without its lock.
    (Start("WARNING: "), GoesOn),
    (Start("INFO: trying to register non-static key"), GoesOn),
    (Start("UBSAN: "), GoesOn),
    (Start("Oops: "), Broken),
    (Only("Oops"), Broken),
    (Start("Internal error: "), Broken),
    (Start("general protection fault"), Broken),
    (Start("double fault: "), Broken),
    (Within("PANIC: double fault"), Broken),
    (Within("PANIC: early exception"), Broken),
    (Start("int3: "), GoesOn),
    (Start("divide error: "), GoesOn),
    (Start("invalid opcode: "), GoesOn),
    (Start("stack segment: "), GoesOn),
    (Start("Unable to handle kernel"), GoesOn),
    (Start("unchecked MSR access error: "), GoesOn),
    (Start("watchdog: BUG: "), GoesOn),
    (Within("Watchdog detected hard LOCKUP"), GoesOn),
    (Start("Uhhuh. NMI received"), GoesOn),
    // A stall, by CPUs, tasks or expedited, of any flavour.
    (Within("INFO: rcu"), GoesOn),
    (Parts("INFO: task ", [" blocked ", "for more than "]), GoesOn),
    (Within("csd: Detected non-responsive CSD lock"), GoesOn),
    (Within("softirq: huh, entered softirq"), GoesOn),
    (Within(": page allocation failure: order:"), GoesOn),
    (Within(": vmalloc error: size "), GoesOn),
    (Parts("kmemleak: ", [" new suspected memory leak", ""]), GoesOn),
];

fn form(message: &str) -> Option<&'static (Form, After)> {
    // A quiet console still prints priorities on some kernels: `<4>[…`.
    let message = match message.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((level, rest)) if level.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => message,
    };
    FORMS.iter().find(|(form, _)| match form {
        Start(text) => message.starts_with(text),
        Within(text) => message.contains(text),
        Only(text) => message == *text,
        Parts(text, parts) => {
            message.starts_with(text) && parts.iter().all(|part| message.contains(part))
        }
    })
}

/// Whether a message announces a defect.
pub fn is_complaint(message: &str) -> bool {
    form(message).is_some()
}

/// Whether a complaint leaves a kernel that can't be trusted.
pub fn is_fatal(complaint: &str) -> bool {
    form(complaint).is_some_and(|(_, after)| *after == Broken)
}

/// Whether the message goes on with the complaint before it: an oops names again what a fault, or a
/// failed assertion, has announced.
pub fn continues(message: &str, before: &str) -> bool {
    let again = ["Oops: ", "Internal error: ", "invalid opcode: "];
    let announces =
        ["BUG: unable to handle", "BUG: kernel ", "kernel BUG at ", "Unable to handle kernel"];
    again.iter().any(|start| message.starts_with(start))
        && announces.iter().any(|start| before.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of each kind, as kernels printed it.
    const LINES: [(&str, After); 53] = [
        ("Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100", Broken),
        (
            "Kernel panic - not syncing: stack-protector: Kernel stack is corrupted in: f+0x1/0x2",
            Broken,
        ),
        ("Kernel panic - not syncing: corrupted stack end detected inside scheduler", Broken),
        ("BUG: kernel NULL pointer dereference, address: 0000000000000008", Broken),
        ("BUG: unable to handle page fault for address: ffffc90000000000", Broken),
        ("BUG: TASK stack guard page was hit at ffffc90000000000", Broken),
        ("BUG: scheduling while atomic: race-trial/91/0x00000002", Broken),
        ("BUG: sleeping function called from invalid context at kernel/futex/core.c:1", Broken),
        ("BUG: using __this_cpu_add() in preemptible [00000000] code: race-trial/91", Broken),
        ("BUG: spinlock bad magic on CPU#1, race-trial/91", Broken),
        ("BUG: KASAN: slab-use-after-free in futex_hash+0x8e/0x1a0", Broken),
        ("BUG: KMSAN: uninit-value in futex_hash+0x8e/0x1a0", Broken),
        ("BUG: KFENCE: use-after-free read in futex_hash+0x8e/0x1a0", Broken),
        ("BUG: KCSAN: data-race in futex_ref_get / futex_ref_put", GoesOn),
        ("BUG: Bad page state in process race-trial  pfn:1234a", Broken),
        ("BUG: Bad page map in process race-trial  pte:8000 pmd:1234", Broken),
        ("BUG: Bad rss-counter state mm:00000000a type:MM_ANONPAGES val:1", Broken),
        ("BUG: non-zero pgtables_bytes on freeing mm: 4096", Broken),
        ("BUG: workqueue lockup - pool cpus=3 node=0 flags=0x0 nice=0 stuck for 31s!", GoesOn),
        ("BUG: workqueue leaked atomic, lock or RCU: kworker/3:1[77]", Broken),
        ("BUG: MAX_LOCKDEP_ENTRIES too low!", Broken),
        ("[ BUG: Invalid wait context ]", Broken),
        ("BUG kmalloc-64 (Not tainted): Poison overwritten", Broken),
        ("BUG kmalloc-rnd-05-64 (Tainted: G    B   W         ): Right Redzone overwritten", Broken),
        ("kernel BUG at lib/list_debug.c:29!", Broken),
        ("WARNING: CPU: 0 PID: 1 at kernel/futex/core.c:1690 futex_hash_put+0x1/0x2", GoesOn),
        (
            "WARNING: lib/refcount.c:28 at refcount_warn_saturate+0x5b/0x80, CPU#3: race-trial/91",
            GoesOn,
        ),
        ("WARNING: possible circular locking dependency detected", GoesOn),
        ("WARNING: possible recursive locking detected", GoesOn),
        ("WARNING: inconsistent lock state", GoesOn),
        ("WARNING: suspicious RCU usage", GoesOn),
        ("WARNING: bad unlock balance detected!", GoesOn),
        ("INFO: trying to register non-static key.", GoesOn),
        ("UBSAN: array-index-out-of-bounds in main.c:860:27", GoesOn),
        ("Oops: general protection fault: 0000 [#1] SMP", Broken),
        ("Oops: int3: 0000 [#1] SMP NOPTI", Broken),
        ("Internal error: Oops: 0000000096000004 [#1]  SMP", Broken),
        ("general protection fault, probably for non-canonical address 0xdead: 0000 [#1]", Broken),
        ("traps: PANIC: double fault, error_code: 0x0", Broken),
        ("PANIC: early exception 0x0e IP 10:ffffffff81000000 error 0 cr2 0x0", Broken),
        ("unchecked MSR access error: RDMSR from 0x1b0 at rIP: 0xffffffff81000000", GoesOn),
        ("watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [race-trial:91]", GoesOn),
        ("watchdog: CPU12: Watchdog detected hard LOCKUP on cpu 12", GoesOn),
        ("NMI watchdog: Watchdog detected hard LOCKUP on cpu 12", GoesOn),
        ("Uhhuh. NMI received for unknown reason 2c on CPU 1.", GoesOn),
        ("rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", GoesOn),
        ("rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 3-... } 21", GoesOn),
        ("INFO: rcu_tasks detected stalls on tasks:", GoesOn),
        ("INFO: task race-trial:91 blocked for more than 120 seconds.", GoesOn),
        ("INFO: task race-trial:91 blocked in I/O wait for more than 122 seconds.", GoesOn),
        ("smp: csd: Detected non-responsive CSD lock (#1) on CPU#0, waiting 5001000000 ns", GoesOn),
        ("race-trial: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL)", GoesOn),
        ("kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)", GoesOn),
    ];

    #[test]
    fn each_first_line_is_a_complaint_of_its_weight() {
        for (line, after) in LINES {
            assert!(is_complaint(line), "{line}");
            assert_eq!(is_fatal(line), after == Broken, "{line}");
            assert!(is_complaint(&format!("<4>{line}")), "{line}");
        }
    }

    #[test]
    fn what_follows_a_complaint_or_only_informs_is_none() {
        for line in [
            "refcount_t: underflow; use-after-free.",
            "list_add corruption. next->prev should be prev (0), but was 0",
            "rcu: rcu_preempt kthread starved for 5250 jiffies! g1 f0x0 RCU_GP_WAIT_FQS(5)",
            "rcu: \tUnless rcu_preempt kthread gets sufficient CPU time, OOM is now expected.",
            "rcu: Hierarchical RCU implementation.",
            "NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
            "INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.2 msecs",
            "INFO: lockdep is turned off.",
            "INFO: task race-trial:91 is blocked on a mutex likely owned by task x:92.",
            "FIX kmalloc-64: Restoring Poison 0x0-0x1=0x6b",
            "KASAN: null-ptr-deref in range [0x0000000000000000-0x0000000000000007]",
            "page dumped because: nonzero _refcount",
            "workqueue: f hogged CPU for >10000us 4 times, consider switching to WQ_UNBOUND",
            "hrtimer: interrupt took 25000000 ns",
            "debug: BUG: within a sentence",
            "kfence: initialized - using 2097152 bytes for 255 objects",
            "Oopsie",
        ] {
            assert!(!is_complaint(line), "{line}");
        }
    }

    #[test]
    fn an_oops_continues_the_fault_that_it_names() {
        assert!(continues("Oops: Oops: 0002 [#1] SMP", "BUG: unable to handle page fault for x"));
        assert!(continues("Oops: invalid opcode: 0000 [#1] SMP", "kernel BUG at a.c:1!"));
        assert!(!continues("Oops: int3: 0000 [#2] SMP", "Oops: int3: 0000 [#1] SMP"));
        assert!(!continues("BUG: kernel NULL pointer dereference", "BUG: KASAN: x"));
    }
}
