//! Trials in guests: an [`Executor`] like this machine's.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use campaign::executor::{Broken, Done, Execution, Executor, Stop};
use campaign::plan::Planned;
use kernel_abi::memory_file;
use model::manifest;
use model::record::{Status, TrialRecord};
use model::rows::one_line;
use trial::guest_init::protocol::{Ended, Reply, Request};

use crate::cache::Cache;
use crate::complaint::is_fatal;
use crate::console::{Splat, Where};
use crate::error::LabError;
use crate::guest::machine::Accelerator;
use crate::guest::qemu::Qemu;
use crate::guest::shape::{Shape, cpus_in_words};
use crate::guest::{Guest, Plan, Waited, initramfs, kvm_memory};
use crate::kernels::{Kernel, sha256};

/// A boot that failed is tried again: under emulation a host that is busy can cost one.
const BOOTS_TRIED: u32 = 3;

/// As often where an old QEMU is what fails them: at 255 CPUs it does so more often than not.
const BOOTS_TRIED_WITH_STALE_CODE: u32 = 8;

/// What a guest may take beyond a trial's limit until it has killed it and told so.
const REPLY_GRACE: Duration = Duration::from_secs(60);

/// How much of what a dead trial said is kept in its row.
const SAID_AT_MOST: usize = 400;

/// What the lab needs to know.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The kernels, as the plan names them.
    pub kernels: Vec<Kernel>,
    /// The guests' size.
    pub shape: Shape,
    /// Over how many boots of each kernel the blocks are spread.
    pub boots: u32,
    /// Blocks in the plan.
    pub blocks: u64,
    /// The number of the first boot: one more than the last of a run that is resumed.
    pub first_boot: u32,
    /// Where the consoles go.
    pub console_log: PathBuf,
    /// Where what was found of this host is kept.
    pub cache: Cache,
}

/// What there is to say meanwhile.
pub type Tell = Box<dyn FnMut(&str)>;

/// Does trials in guests.
pub struct Lab {
    settings: Settings,
    qemu: Qemu,
    accelerator: Accelerator,
    /// Whether the accelerator has booted a guest here.
    proven: bool,
    /// Without a name, so that no end of this process leaves it behind.
    initramfs: File,
    /// Each kernel's image, kept so that no boot is of another that was put in its place meanwhile.
    images: BTreeMap<String, File>,
    log: Arc<Mutex<File>>,
    guests: BTreeMap<String, Running>,
    /// How many guests the host's memory holds.
    room: u64,
    next_boot: u32,
    notes: Vec<String>,
    boot_times: Vec<f64>,
    tell: Tell,
}

#[derive(Debug)]
struct Running {
    guest: Guest,
    boot: u32,
    /// Which share of the blocks it is for.
    share: u64,
    last_used: u64,
}

impl Lab {
    /// Finds what QEMU can do here, and builds the guests' root from `program`, the trial's.
    pub fn new(
        settings: Settings,
        qemu: Qemu,
        program: &Path,
        mut tell: Tell,
    ) -> Result<Lab, LabError> {
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let room = settings.shape.fit(&meminfo)?;
        let (accelerator, note) = accelerator(&settings.cache, &version_text(qemu.version));
        if let Some(note) = &note {
            tell(&note.said);
        }
        let root = initramfs::build(program)?;
        let temporary = std::env::temp_dir();
        Cache::require_room(&temporary, root.len() as u64)
            .map_err(|error| error.because("the guests' root is put there", "TMPDIR"))?;
        let mut initramfs = tempfile::tempfile()
            .map_err(|error| LabError::file("making a file in", std::env::temp_dir(), &error))?;
        initramfs
            .write_all(&root)
            .map_err(|error| LabError::file("writing a file in", std::env::temp_dir(), &error))?;
        let images = settings.kernels.iter().map(image).collect::<Result<_, _>>()?;
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&settings.console_log)
            .map_err(|error| LabError::file("writing", &settings.console_log, &error))?;
        let next_boot = settings.first_boot.max(1);
        Ok(Lab {
            settings,
            qemu,
            accelerator,
            proven: false,
            initramfs,
            images,
            log: Arc::new(Mutex::new(log)),
            guests: BTreeMap::new(),
            room,
            next_boot,
            notes: note.into_iter().map(|note| note.recorded).collect(),
            boot_times: Vec::new(),
            tell,
        })
    }

    /// Seconds from starting QEMU to readiness, of each boot so far.
    pub fn boot_times(&self) -> &[f64] {
        &self.boot_times
    }

    /// The kernels' entries of the manifest, before any has booted.
    pub fn manifest_kernels(kernels: &[Kernel], shape: &Shape) -> Vec<manifest::Kernel> {
        kernels.iter().map(|kernel| entry(kernel, shape, None, None)).collect()
    }

    fn kernel(&self, name: &str) -> Result<Kernel, Broken> {
        self.settings.kernels.iter().find(|kernel| kernel.name == name).cloned().ok_or_else(|| {
            let known: Vec<&str> =
                self.settings.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            Broken(format!(
                "the plan asks for the kernel {name:?} and the lab was given {}",
                known.join(", ")
            ))
        })
    }

    /// Which share of the blocks a block is in: a boot is for one share.
    fn share(&self, block: u64) -> u64 {
        let blocks = self.settings.blocks.max(1);
        let boots = u64::from(self.settings.boots.max(1)).min(blocks);
        let index = u128::from(block.saturating_sub(1).min(blocks - 1)) * u128::from(boots);
        u64::try_from(index / u128::from(blocks)).unwrap_or(0)
    }

    /// Has the guest for this kernel and block run, and every other one halted or ended. `false`
    /// if it was asked to stop.
    fn make_ready(&mut self, planned: &Planned, stop: &Stop) -> Result<bool, Broken> {
        let share = self.share(planned.block);
        let name = planned.kernel.clone();
        for (other, running) in &mut self.guests {
            if *other != name {
                running.guest.halt();
            }
        }
        if let Some(running) = self.guests.get_mut(&name) {
            if running.share == share {
                running.guest.go_on();
                running.last_used = planned.sequence;
                return Ok(true);
            }
            self.guests.remove(&name);
        }
        while self.guests.len() as u64 >= self.room {
            let oldest = self.guests.iter().min_by_key(|(_, running)| running.last_used);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { break };
            self.guests.remove(&oldest);
        }
        let kernel = self.kernel(&name)?;
        let Some((guest, boot)) = self.boot(&kernel, stop)? else { return Ok(false) };
        self.boot_times.push(guest.boot_s());
        self.guests.insert(name, Running { guest, boot, share, last_used: planned.sequence });
        Ok(true)
    }

    /// Boots, as often as that is worth trying; `None` if it was asked to stop.
    fn boot(&mut self, kernel: &Kernel, stop: &Stop) -> Result<Option<(Guest, u32)>, Broken> {
        let mut failures: Vec<String> = Vec::new();
        let stale_code = self.qemu.executes_stale_code();
        let mut tried = BOOTS_TRIED;
        while (failures.len() as u32) < tried {
            let boot = self.next_boot;
            self.next_boot = self.next_boot.saturating_add(1);
            (self.tell)(&format!(
                "boot {boot}: {} with {} in QEMU {} ({})",
                kernel.name,
                cpus_in_words(self.settings.shape.cpus),
                version_text(self.qemu.version),
                self.accelerator.name()
            ));
            let _ = writeln!(Log(Arc::clone(&self.log)), "boot {boot}: {}", kernel.name);
            let log: Box<dyn Write + Send> = Box::new(Log(Arc::clone(&self.log)));
            let initramfs =
                format!("/proc/{}/fd/{}", std::process::id(), self.initramfs.as_raw_fd());
            let Some(image) = self.images.get(&kernel.name) else {
                return Err(Broken(format!("the image of {} is not held", kernel.name)));
            };
            let image = format!("/proc/{}/fd/{}", std::process::id(), image.as_raw_fd());
            let plan = Plan {
                qemu: &self.qemu,
                accelerator: self.accelerator,
                shape: &self.settings.shape,
                image: Path::new(&image),
                initramfs: Path::new(&initramfs),
                patience: patience(self.accelerator, self.settings.shape.cpus, self.proven),
            };
            match Guest::boot(&plan, log, &format!("boot {boot}| "), &|| stop.is_set()) {
                Ok(Some(guest)) => {
                    self.proven = true;
                    let how_long = format!("boot {boot}: ready after {:.1} s", guest.boot_s());
                    (self.tell)(&how_long);
                    let _ = writeln!(Log(Arc::clone(&self.log)), "{how_long}");
                    let ready = guest.ready();
                    if ready.cpus != self.settings.shape.cpus {
                        return Err(Broken(format!(
                            "{} has {} online in a guest of {}: its NR_CPUS may be less, or a CPU did \
                             not come up",
                            kernel.name,
                            cpus_in_words(ready.cpus),
                            self.settings.shape.cpus
                        )));
                    }
                    if self.accelerator == Accelerator::Tcg
                        && let Some(clock) = ready
                            .clocksource
                            .as_deref()
                            .filter(|clock| !matches!(*clock, "tsc" | "tsc-early"))
                    {
                        self.notes.push(format!(
                            "boot {boot}: the guest's clock is {clock}, not tsc: reading it is slow"
                        ));
                    }
                    for splat in guest.splats(None) {
                        self.notes.push(format!("boot {boot}, while booting: {}", splat.text));
                    }
                    return Ok(Some((guest, boot)));
                }
                Ok(None) => return Ok(None),
                Err(error) if self.accelerator == Accelerator::Kvm && !self.proven => {
                    let qemu = version_text(self.qemu.version);
                    let _ = writeln!(Log(Arc::clone(&self.log)), "boot {boot}: failed: {error}");
                    // Not kept, it is found out again.
                    let _ = kvm_memory::remember(&self.settings.cache, &qemu, &error.to_string());
                    // The whole reason is in the record: QEMU's own words fill a screen.
                    (self.tell)("KVM can't run this guest, so it is emulated");
                    self.notes
                        .push(format!("KVM can't run this guest, so it is emulated: {error}"));
                    self.accelerator = Accelerator::Tcg;
                    // Nothing booted.
                    self.next_boot = boot;
                }
                Err(error) => {
                    (self.tell)(&format!("boot {boot} failed: {error}"));
                    let _ = writeln!(Log(Arc::clone(&self.log)), "boot {boot}: failed: {error}");
                    self.notes.push(format!("boot {boot} of {} failed: {error}", kernel.name));
                    failures.push(error.to_string());
                    if self.accelerator == Accelerator::Tcg && stale_code {
                        tried = BOOTS_TRIED_WITH_STALE_CODE;
                    }
                }
            }
        }
        let hint = if tried == BOOTS_TRIED {
            ""
        } else {
            "; where it says `Oops: int3`, QEMU before 8.1 is the cause, and a later one the cure"
        };
        Err(Broken(format!(
            "{} did not boot in {tried} attempts; the last: {}; its console is in {}{hint}",
            kernel.name,
            failures.last().map_or("", String::as_str),
            self.settings.console_log.display()
        )))
    }
}

impl Executor for Lab {
    fn run(&mut self, planned: &Planned, limit: Duration, stop: &Stop) -> Result<Done, Broken> {
        if stop.is_set() || !self.make_ready(planned, stop)? {
            return Ok(Done::Interrupted);
        }
        let kernel = self.kernel(&planned.kernel)?;
        let accelerator = self.accelerator;
        let shape = self.settings.shape;
        let Some(running) = self.guests.get_mut(&planned.kernel) else {
            return Err(Broken(format!("the guest for {} is gone", planned.kernel)));
        };
        let number = planned.spec.trial;
        let request =
            Request::Trial { spec: Box::new(planned.spec.clone()), limit_s: limit.as_secs_f64() };
        let started_at = SystemTime::now();
        let deadline = Instant::now() + limit.saturating_add(REPLY_GRACE);
        let waited = match running.guest.ask(&request) {
            Ok(()) => running.guest.answer(&request, deadline, &|| stop.is_set()),
            // Why it is gone is found where it is read from.
            Err(_) => running.guest.answer(&request, deadline, &|| false),
        };
        let mut lost = true;
        let record = match waited {
            Waited::Stopped => {
                // The trial still runs in it.
                self.guests.remove(&planned.kernel);
                return Ok(Done::Interrupted);
            }
            Waited::Reply(Reply::Ended { trial, how, said }, output) if trial == number => {
                lost = false;
                read_record(how, &said, &output, limit)
            }
            Waited::Reply(Reply::Refused(sentence), _) => {
                TrialRecord::failed(Status::Refused, sentence)
            }
            Waited::Reply(reply, _) => TrialRecord::failed(
                Status::Crashed,
                format!("the guest answered something else: {}", shortened(&format!("{reply:?}"))),
            ),
            Waited::Late => TrialRecord::failed(
                Status::Crashed,
                format!(
                    "the guest hung: no answer {} s after the trial's limit of {} s; it was ended",
                    REPLY_GRACE.as_secs(),
                    limit.as_secs_f64()
                ),
            ),
            Waited::Dead(reason) => {
                TrialRecord::failed(Status::Crashed, format!("the guest died: {reason}"))
            }
        };
        let found = running.guest.splats((!lost).then_some(number));
        let boot = running.boot;
        let execution_kernel = entry(&kernel, &shape, Some(accelerator), Some(&running.guest));
        let (splats, others): (Vec<Splat>, Vec<Splat>) =
            found.into_iter().partition(|splat| splat.at == Where::Trial(number));
        for splat in others {
            let when = match splat.at {
                Where::Boot => "before its first trial".to_string(),
                Where::Trial(trial) => format!("in trial {trial}"),
                Where::After(trial) => format!("after trial {trial}"),
            };
            self.notes.push(format!("boot {boot}, {when}: {}", splat.text));
        }
        // A kernel that has oopsed goes on as nobody can tell.
        if lost || splats.iter().any(|splat| is_fatal(&splat.text)) {
            self.guests.remove(&planned.kernel);
        }
        Ok(Done::Trial(Box::new(Execution {
            started_at,
            record,
            boot: Some(boot),
            kernel: execution_kernel,
            splats: Some(splats.into_iter().map(|splat| splat.text).collect()),
            disturbances: std::mem::take(&mut self.notes),
        })))
    }

    fn finish(&mut self) {
        self.guests.clear();
    }
}

/// The bytes of a kernel's image in memory, by its name.
fn image(kernel: &Kernel) -> Result<(String, File), LabError> {
    let read = |error: &io::Error| LabError::file("reading", &kernel.image, error);
    let bytes = fs::read(&kernel.image).map_err(|error| read(&error))?;
    let expected = &kernel.about.image_sha256;
    if !expected.is_empty() && sha256(&bytes) != *expected {
        let error = io::Error::other("it is not the image that the run was planned with");
        return Err(read(&error));
    }
    let held =
        memory_file::appended().map_err(|errno| read(&io::Error::from_raw_os_error(errno.0)))?;
    (&held).write_all(&bytes).map_err(|error| read(&error))?;
    Ok((kernel.name.clone(), held))
}

/// The last boot that has a line in a console's log; 0 where there is none.
pub fn last_boot(console_log: &Path) -> u32 {
    let Ok(file) = File::open(console_log) else { return 0 };
    // A console writes any bytes.
    let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    let boots = lines.filter_map(|line| {
        let rest = line.strip_prefix(b"boot ")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at(digits);
        matches!(rest.first(), Some(b'|' | b':')).then_some(())?;
        std::str::from_utf8(number).ok()?.parse::<u32>().ok()
    });
    boots.max().unwrap_or(0)
}

/// The console's file, shared by the guests; each write is whole lines.
struct Log(Arc<Mutex<File>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// KVM where it runs a guest of one instruction, and what to say where it is here and doesn't. The
/// first boot proves it, or falls back; a failure is not looked for again until it may have changed.
fn accelerator(cache: &Cache, qemu: &str) -> (Accelerator, Option<Note>) {
    use kernel_abi::kvm::{Kvm, probe};
    let emulation = |what: String, remedy: String| {
        let recorded = format!("{what}; the guest is emulated");
        let short = recorded.split(" (").next().unwrap_or_default();
        let said = match short.len() == recorded.len() {
            true => format!("{recorded}{remedy}"),
            false => format!("{short}, so the guest is emulated{remedy}"),
        };
        (Accelerator::Tcg, Some(Note { said, recorded }))
    };
    match probe() {
        Ok(Kvm::Runs | Kvm::Makes) => match kvm_memory::recall(cache, qemu) {
            None => (Accelerator::Kvm, None),
            Some((how, file)) => emulation(
                format!("KVM is here and could not run a guest since this host booted ({how})"),
                format!("; to have it tried again, delete {}", file.display()),
            ),
        },
        Ok(Kvm::Absent) => (Accelerator::Tcg, None),
        Ok(other) => emulation(other.to_string(), String::new()),
        Err(errno) => emulation(format!("KVM can't be tried: {errno}"), String::new()),
    }
}

/// What is said now, and what of it stands in the manifest: no path of this machine.
struct Note {
    said: String,
    recorded: String,
}

/// How long a boot may take. Emulated, a busy host multiplies what docs/design/lab.md measures (11 s at
/// 32 CPUs, 31 s at 96); KVM that works needs a few seconds.
fn patience(accelerator: Accelerator, cpus: u32, proven: bool) -> Duration {
    match (accelerator, proven) {
        (Accelerator::Kvm, false) => Duration::from_secs(15 + u64::from(cpus) / 4),
        (Accelerator::Kvm, true) => Duration::from_secs(120 + u64::from(cpus)),
        (Accelerator::Tcg, _) => Duration::from_secs(180 + 5 * u64::from(cpus)),
    }
}

fn version_text((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

/// A kernel as rows and manifest name it.
fn entry(
    kernel: &Kernel,
    shape: &Shape,
    accelerator: Option<Accelerator>,
    guest: Option<&Guest>,
) -> manifest::Kernel {
    let ready = guest.map(Guest::ready);
    manifest::Kernel {
        name: kernel.name.clone(),
        release: ready.map(|ready| ready.release.clone()).or_else(|| kernel.about.release.clone()),
        version: ready.map(|ready| ready.version.clone()),
        cpus: Some(ready.map_or(shape.cpus, |ready| ready.cpus)),
        nodes: Some(ready.map_or(shape.nodes, |ready| ready.nodes)),
        accelerator: accelerator.map(|accelerator| accelerator.name().to_string()),
        patches: kernel.about.patches.clone(),
        image_sha256: Some(kernel.about.image_sha256.clone()).filter(|sha256| !sha256.is_empty()),
    }
}

fn read_record(how: Ended, said: &str, output: &[u8], limit: Duration) -> TrialRecord {
    let said = match one_line(said) {
        said if said.is_empty() => String::new(),
        said => format!("; it said: {}", shortened(&said)),
    };
    let crashed = |what: String| TrialRecord::failed(Status::Crashed, format!("{what}{said}"));
    let record = serde_json::from_slice::<TrialRecord>(output).ok();
    match (how, record) {
        (Ended::Exited(0), Some(record)) => record,
        (Ended::Exited(0), None) => crashed("race-trial ended without a whole record".to_string()),
        // A spec that the trial refuses is told in a record too, with another status.
        (Ended::Exited(_), Some(record)) if record.status != Status::Ok => record,
        (Ended::Exited(status), _) => crashed(format!("race-trial ended with status {status}")),
        (Ended::Signalled(signal), _) => crashed(format!("race-trial was killed by {signal}")),
        (Ended::NotStarted(sentence), _) => crashed(sentence),
        (Ended::Limit, _) => TrialRecord::failed(
            Status::Timeout,
            format!(
                "it still ran after its time limit of {} s and was killed{said}",
                limit.as_secs_f64()
            ),
        ),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(SAID_AT_MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::About;

    #[test]
    fn a_boot_is_counted_by_its_lines_also_where_it_had_no_trial() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("console.log");
        assert_eq!(last_boot(&log), 0);
        fs::write(&log, b"boot 1: debian:7.3.4\nboot 1| \xff\nboot 2: failed: x\nboot 12 was\n")
            .unwrap();
        assert_eq!(last_boot(&log), 2);
    }

    #[test]
    fn an_image_that_was_put_in_another_s_place_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        fs::write(&path, b"one").unwrap();
        let about = About { image_sha256: sha256(b"one"), ..About::default() };
        let kernel = Kernel { name: "k".into(), image: path.clone(), about };
        let (_, held) = image(&kernel).unwrap();
        fs::write(&path, b"other").unwrap();
        let held = fs::read(format!("/proc/self/fd/{}", held.as_raw_fd())).unwrap();
        assert_eq!(held, b"one");
        assert!(image(&kernel).unwrap_err().to_string().contains("not the image"));
    }

    #[test]
    fn what_became_of_a_process_becomes_a_status_and_a_reason() {
        let limit = Duration::from_secs(4);
        let ok = serde_json::to_vec(&TrialRecord::empty(Status::Ok)).unwrap();
        let refused =
            serde_json::to_vec(&TrialRecord::failed(Status::Refused, "no such node")).unwrap();
        for (how, output, status, error) in [
            (Ended::Exited(0), &ok, Status::Ok, ""),
            (Ended::Exited(0), &vec![], Status::Crashed, "whole record; it said: oh no"),
            (Ended::Exited(2), &refused, Status::Refused, "no such node"),
            (Ended::Exited(101), &vec![], Status::Crashed, "status 101; it said: oh no"),
            (Ended::Exited(1), &ok, Status::Crashed, "status 1"),
            (Ended::Signalled("SIGSEGV".into()), &vec![], Status::Crashed, "SIGSEGV"),
            (Ended::Limit, &vec![], Status::Timeout, "limit of 4 s"),
            (Ended::NotStarted("no room".into()), &vec![], Status::Crashed, "no room"),
        ] {
            let record = read_record(how, "oh\nno", output, limit);
            assert_eq!(record.status, status);
            let found = record.error.unwrap_or_default();
            assert!(found.contains(error), "{found}");
        }
    }
}
