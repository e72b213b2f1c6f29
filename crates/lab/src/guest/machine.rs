//! The command lines of QEMU and of the guest's kernel. What is here was measured: docs/design/lab.md.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use trial::guest_init;

use crate::guest::initramfs;
use crate::guest::qemu::Qemu;
use crate::guest::shape::Shape;

/// What executes the guest's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accelerator {
    /// The host's CPUs.
    Kvm,
    /// QEMU's emulation, a host thread a guest CPU.
    Tcg,
}

impl Accelerator {
    /// As QEMU and the manifest call it.
    pub fn name(self) -> &'static str {
        match self {
            Accelerator::Kvm => "kvm",
            Accelerator::Tcg => "tcg",
        }
    }
}

/// QEMU's ends of the sockets between the lab and a guest, which it inherits.
#[derive(Debug)]
pub struct Sockets {
    /// The console's.
    pub console: OwnedFd,
    /// The trial protocol's.
    pub trials: OwnedFd,
    /// QEMU's own.
    pub monitor: OwnedFd,
}

impl From<Sockets> for Vec<OwnedFd> {
    fn from(sockets: Sockets) -> Vec<OwnedFd> {
        vec![sockets.console, sockets.trials, sockets.monitor]
    }
}

/// The serial line of the protocol, in the guest.
const DEVICE: &str = "/dev/ttyS1";

/// QEMU's arguments.
pub fn arguments(
    qemu: &Qemu,
    accelerator: Accelerator,
    shape: &Shape,
    image: &Path,
    initramfs: &Path,
    sockets: &Sockets,
) -> Vec<String> {
    let mut arguments = qemu.arguments.clone();
    let mut add = |words: &[&str]| arguments.extend(words.iter().map(|word| word.to_string()));
    add(&["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-vga", "none"]);
    add(&["-nic", "none", "-machine", "q35"]);
    match accelerator {
        Accelerator::Kvm => add(&["-accel", "kvm", "-cpu", "host"]),
        // The model with the fewest features boots soonest: fewer alternatives to patch in.
        Accelerator::Tcg => add(&["-accel", "tcg,thread=multi", "-cpu", "qemu64"]),
    }
    arguments.extend(shape.arguments());
    let Sockets { console, trials, monitor } = sockets;
    for (id, socket) in [("console", console), ("trials", trials), ("monitor", monitor)] {
        let socket = socket.as_raw_fd();
        arguments.extend(["-chardev".to_string(), format!("socket,id={id},fd={socket}")]);
    }
    for words in [
        ["-serial", "chardev:console"],
        ["-serial", "chardev:trials"],
        ["-mon", "chardev=monitor,mode=control"],
    ] {
        arguments.extend(words.map(str::to_string));
    }
    arguments.extend([
        "-kernel".to_string(),
        image.display().to_string(),
        "-initrd".to_string(),
        // A comma in a path is doubled in QEMU's options.
        initramfs.display().to_string().replace(',', ",,"),
        "-append".to_string(),
        kernel_command_line(qemu, accelerator),
    ]);
    arguments
}

/// The kernel's.
fn kernel_command_line(qemu: &Qemu, accelerator: Accelerator) -> String {
    let mut words = vec![
        "console=ttyS0".to_string(),
        // Warnings and worse while booting: the rest costs time on a serial line. The init asks for
        // all of it once it runs.
        "loglevel=5".to_string(),
        // A panic ends QEMU at once (-no-reboot).
        "panic=-1".to_string(),
        // The init's marks must not be dropped as too many.
        "printk.devkmsg=on".to_string(),
        format!("rdinit={}", initramfs::PROGRAM),
        format!("LD_LIBRARY_PATH={}", initramfs::LIBRARIES),
    ];
    if accelerator == Accelerator::Tcg {
        words.extend(
            [
                // Each CPU would calibrate its delay loop for about a second.
                "lpj=4000000",
                // A CPU that the host doesn't run for a while must not cost the guest its clock.
                "tsc=reliable",
                // Nor be told as locked up: 32 CPUs share two of the host's.
                "nowatchdog",
            ]
            .map(str::to_string),
        );
        if qemu.executes_stale_code() {
            // Marking the scheduler's clock stable patches code that every CPU's tick runs, and
            // one in five boots died of it (`Oops: int3` in sched_clock_cpu). The clock stays
            // correct without: it is then kept per CPU.
            words.push("initcall_blacklist=sched_clock_init_late".to_string());
        }
    }
    words.extend(["--".to_string(), guest_init::ARGUMENT.to_string(), DEVICE.to_string()]);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    fn qemu(version: (u32, u32, u32)) -> Qemu {
        Qemu { program: "qemu".into(), arguments: vec!["-L".into(), "x".into()], version }
    }

    #[test]
    fn emulation_gets_what_it_needs_and_kvm_does_not() {
        let tcg = kernel_command_line(&qemu((10, 0, 2)), Accelerator::Tcg);
        assert!(tcg.contains("lpj=") && tcg.contains("tsc=reliable"), "{tcg}");
        assert!(!tcg.contains("blacklist"), "{tcg}");
        assert!(tcg.ends_with("-- guest-init /dev/ttyS1"), "{tcg}");
        assert!(kernel_command_line(&qemu((7, 2, 22)), Accelerator::Tcg).contains("blacklist"));
        let kvm = kernel_command_line(&qemu((7, 2, 22)), Accelerator::Kvm);
        assert!(!kvm.contains("lpj=") && !kvm.contains("blacklist"), "{kvm}");
    }

    #[test]
    fn a_comma_in_a_path_does_not_end_an_option() {
        let shape = Shape::new(8, 1).unwrap();
        let (one, other) = UnixStream::pair().unwrap();
        let monitor = one.try_clone().unwrap();
        let sockets =
            Sockets { console: one.into(), trials: other.into(), monitor: monitor.into() };
        let trials = sockets.trials.as_raw_fd();
        let arguments = arguments(
            &qemu((7, 2, 0)),
            Accelerator::Tcg,
            &shape,
            Path::new("/k"),
            Path::new("/a,b"),
            &sockets,
        );
        assert_eq!(arguments[..2], ["-L", "x"]);
        assert!(arguments.contains(&"/a,,b".to_string()));
        assert!(arguments.contains(&format!("socket,id=trials,fd={trials}")));
    }
}
