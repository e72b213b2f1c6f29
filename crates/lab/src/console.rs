//! Reads a guest's console: which of the kernel's lines are complaints, and into which trial they
//! fell.
//!
//! The guest's init writes to the same log where a trial begins and ends, so the order of the lines
//! tells, whatever the delay between the two serial lines.

use crate::complaint::{continues, is_complaint};
use trial::guest_init::{MARK, SPEAKER};

/// How much of one line is looked at; a line without an end is no reason to keep growing.
const LONGEST_LINE: usize = 4096;

/// More complaints than this in one trial are the same trouble.
const MOST_SPLATS: usize = 20;

/// Where a complaint fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// Before the first trial of the boot.
    Boot,
    /// Into this trial.
    Trial(u64),
    /// After this trial and before the next.
    After(u64),
}

/// A complaint of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splat {
    /// Where it fell.
    pub at: Where,
    /// The line without its time stamp.
    pub text: String,
}

/// Follows one boot's console.
#[derive(Debug)]
pub struct Watcher {
    line: Vec<u8>,
    at: Where,
    splats: Vec<Splat>,
    in_this_trial: usize,
    ended: Option<u64>,
    last_line: String,
    last_complaint: String,
    died: Option<String>,
}

impl Default for Watcher {
    fn default() -> Watcher {
        Watcher {
            line: Vec::new(),
            at: Where::Boot,
            splats: Vec::new(),
            in_this_trial: 0,
            ended: None,
            last_line: String::new(),
            last_complaint: String::new(),
            died: None,
        }
    }
}

impl Watcher {
    /// Takes what the console said next, in pieces of any size.
    pub fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end_line(),
                _ if self.line.len() < LONGEST_LINE => self.line.push(byte),
                _ => {}
            }
        }
    }

    /// The console is closed: what stands there without an end is a line too.
    pub fn close(&mut self) {
        self.end_line();
    }

    /// The last trial that the guest said to have ended.
    pub fn ended(&self) -> Option<u64> {
        self.ended
    }

    /// Why the kernel died, if it said so: its panic, or the first oops.
    pub fn died(&self) -> Option<&str> {
        self.died.as_deref()
    }

    /// The last line that was not empty.
    pub fn last_line(&self) -> &str {
        &self.last_line
    }

    /// Takes what has been found since the last time.
    pub fn take(&mut self) -> Vec<Splat> {
        std::mem::take(&mut self.splats)
    }

    fn end_line(&mut self) {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes).into_owned();
        if line.trim().is_empty() {
            return;
        }
        // Several CPUs may write at once, so a message may begin in the middle of another's line.
        for message in messages(&line) {
            self.message(message);
        }
        self.last_line = line.trim().to_string();
    }

    fn message(&mut self, message: &str) {
        if let Some(mark) = message.strip_prefix(SPEAKER) {
            self.mark(mark);
            return;
        }
        if !is_complaint(message) {
            return;
        }
        let panicked = message.starts_with("Kernel panic");
        if panicked || (self.died.is_none() && message.starts_with("Oops")) {
            self.died = Some(message.to_string());
        }
        let before = std::mem::replace(&mut self.last_complaint, message.to_string());
        if self.in_this_trial < MOST_SPLATS && !continues(message, &before) {
            self.in_this_trial += 1;
            self.splats.push(Splat { at: self.at, text: message.to_string() });
        }
    }

    /// A line of the guest's init.
    fn mark(&mut self, mark: &str) {
        let Some(rest) = mark.strip_prefix(MARK) else { return };
        let mut words = rest.split_whitespace();
        let (Some(Ok(trial)), Some(what)) = (words.next().map(str::parse), words.next()) else {
            return;
        };
        match what {
            "begins" => self.at = Where::Trial(trial),
            "ended" => {
                self.at = Where::After(trial);
                self.ended = Some(trial);
            }
            _ => return,
        }
        self.in_this_trial = 0;
        self.last_complaint.clear();
    }
}

/// The messages in a line: what follows each time stamp, `[    1.234567] ` or, with the caller,
/// `[    1.234567][   T12] `; the whole line where there is none.
fn messages(line: &str) -> Vec<&str> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('[') {
        if let Some(after) = line.get(at..).and_then(time_stamp) {
            starts.push((at, at + after));
        }
    }
    let Some(&(first, _)) = starts.first() else { return vec![line.trim()] };
    let mut messages = Vec::new();
    let head = line.get(..first).unwrap_or_default().trim();
    if !head.is_empty() {
        messages.push(head);
    }
    for (index, &(_, begin)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(line.len(), |next| next.0);
        messages.push(line.get(begin..end).unwrap_or_default().trim());
    }
    messages
}

/// How long the time stamp at the start of `text` is, if there is one.
fn time_stamp(text: &str) -> Option<usize> {
    let end = text.find(']')?;
    let inside = text.get(1..end)?.trim_start();
    let (seconds, fraction) = inside.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(seconds) || fraction.len() != 6 || !digits(fraction) {
        return None;
    }
    let mut after = end + 1;
    // printk.caller: `[ T123]` or `[   C4]`.
    if let Some(caller) = text.get(after..).and_then(|rest| rest.strip_prefix('['))
        && let Some(close) = caller.find(']')
        && caller.get(..close).is_some_and(|id| id.trim_start().starts_with(['T', 'C']))
    {
        after += close + 2;
    }
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(text: &str) -> Watcher {
        let mut watcher = Watcher::default();
        watcher.push(text.as_bytes());
        watcher
    }

    fn texts(watcher: &mut Watcher) -> Vec<String> {
        watcher.take().into_iter().map(|splat| splat.text).collect()
    }

    /// Recorded: Debian 7.3.4 in QEMU 7.2 with 32 CPUs.
    const OOPS: &str = "\
[    2.842856] IPI shorthand broadcast: enabled\r
[    2.866364] sched_clock: Marking stable (2916061342, -50255631)->(3964720308, -1098914597)\r
[    2.873424] Oops: int3: 0000 [#1] SMP NOPTI\r
[    2.874340] CPU: 12 UID: 0 PID: 0 Comm: swapper/12 Not tainted 7.3.4+deb13-cloud-amd64 #1 PREEMPT(lazy)  Debian 7.3.4-1~bpo13+1 \r
[    2.884743] RIP: 0010:sched_clock_cpu+0x9/0x1f0\r
[    2.904511] Call Trace:\r
[    2.905271]  <IRQ>\r
[    3.014661] Oops: int3: 0000 [#2] SMP NOPTI\r
[    3.380370] Kernel panic - not syncing: Fatal exception in interrupt\r
";

    #[test]
    fn an_oops_while_booting_is_told_and_names_the_death() {
        let mut watcher = watch(OOPS);
        assert_eq!(
            watcher.died(),
            Some("Kernel panic - not syncing: Fatal exception in interrupt")
        );
        let splats = watcher.take();
        assert_eq!(splats.len(), 3);
        assert!(splats.iter().all(|splat| splat.at == Where::Boot));
        assert_eq!(splats[0].text, "Oops: int3: 0000 [#1] SMP NOPTI");
        assert!(watcher.last_line().ends_with("in interrupt"));
    }

    #[test]
    fn a_complaint_belongs_to_the_trial_that_it_fell_into() {
        let mut watcher = watch(
            "[    5.1] stallscope: not a stamp\n\
             [    5.100000] stallscope: trial 16 begins\n\
             [    6.000000] rcu: INFO: rcu_preempt self-detected stall on CPU\n\
             [    7.100000] stallscope: trial 16 ended\n\
             [    7.200000] WARNING: CPU: 3 PID: 77 at kernel/futex/core.c:1690 futex_ref_drop+0x1/0x2\n\
             [    7.300000] stallscope: trial 17 begins\n\
             [    9.000000] INFO: task race-trial:91 blocked for more than 30 seconds.\n",
        );
        let found: Vec<Where> = watcher.take().iter().map(|splat| splat.at).collect();
        assert_eq!(found, [Where::Trial(16), Where::After(16), Where::Trial(17)]);
        assert_eq!(watcher.ended(), Some(16));
        assert_eq!(watcher.take(), []);
    }

    #[test]
    fn a_complaint_is_known_with_and_without_its_time() {
        let text = "BUG: scheduling while atomic: race-trial/91/0x00000002";
        for line in [
            format!("[   12.345678] {text}\n"),
            format!("[   12.345678][   T91] {text}\n"),
            format!("{text}\n"),
        ] {
            assert_eq!(texts(&mut watch(&line)), [text], "{line}");
        }
    }

    #[test]
    fn a_defect_is_one_complaint_in_its_trial() {
        let splats = watch(include_str!("../tests/cases/console-ubsan.log")).take();
        let [splat] = &splats[..] else { panic!("{splats:?}") };
        assert_eq!(splat.at, Where::Trial(3));
        assert_eq!(splat.text, "UBSAN: array-index-out-of-bounds in main.c:860:27");
        let mut fault = watch(
            "[    1.000000] BUG: kernel NULL pointer dereference, address: 0000000000000008\n\
             [    1.000001] #PF: supervisor read access in kernel mode\n\
             [    1.000002] Oops: Oops: 0000 [#1] SMP NOPTI\n",
        );
        assert!(fault.died().is_some_and(|died| died.starts_with("Oops")));
        assert_eq!(fault.take().len(), 1);
        let mut refcount = watch(
            "[    1.000000] ------------[ cut here ]------------\n\
             [    1.000001] refcount_t: underflow; use-after-free.\n\
             [    1.000002] WARNING: lib/refcount.c:28 at refcount_warn_saturate+0x5b/0x80, CPU#3: a/91\n",
        );
        assert_eq!(refcount.take().len(), 1);
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for line in [
            "[    0.1] Command line: panic=-1 console=ttyS0\n",
            "[    0.123456] Kernel command line: panic=-1 hung_task_panic=0\n",
            "[    1.000000] Warning: unable to open an initial console.\n",
            "[    1.000000] rcu: Hierarchical RCU implementation.\n",
            "[    1.000000] debug: BUG: within a sentence\n",
            "[    1.000000] IPI shorthand broadcast: enabled\n",
            "[    2.000000]  ? asm_exc_int3+0x39/0x40\n",
            "\n\r\n",
        ] {
            assert_eq!(texts(&mut watch(line)), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn lines_of_several_cpus_that_ran_together_are_taken_apart() {
        let line = "[    3.000001] NET: Registered PF[    3.000002] BUG: sleeping function\n";
        assert_eq!(texts(&mut watch(line)), ["BUG: sleeping function"]);
    }

    #[test]
    fn pieces_of_any_size_say_the_same_and_a_cut_line_counts_at_the_end() {
        for size in [1, 2, 5, 64] {
            let mut watcher = Watcher::default();
            for piece in OOPS.as_bytes().chunks(size) {
                watcher.push(piece);
            }
            assert_eq!(watcher.take(), watch(OOPS).take());
        }
        let mut cut = watch("[    1.000000] Kernel panic - not syncing: gone");
        assert_eq!(cut.died(), None);
        cut.close();
        assert_eq!(cut.died(), Some("Kernel panic - not syncing: gone"));
    }

    #[test]
    fn bytes_that_are_no_text_and_endless_lines_do_no_harm() {
        let mut watcher = Watcher::default();
        watcher.push(&[0xff; 100_000]);
        watcher.push(b"\n[    1.000000] stallscope: trial x begins\n[]\n[.]\n<>BUG: \n");
        watcher.push(b"[    1.000000] stallscope: trial 3\n");
        watcher.push("[    1.000000] é[é] \u{fffd}\n".as_bytes());
        watcher.close();
        assert_eq!(watcher.ended(), None);
    }

    #[test]
    fn a_storm_of_complaints_is_cut() {
        let mut watcher = watch(&"[    1.000000] BUG: again\n".repeat(1000));
        assert_eq!(watcher.take().len(), MOST_SPLATS);
    }
}
