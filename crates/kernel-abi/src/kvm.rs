//! How far KVM comes here: whether it runs a guest of one instruction.
//!
//! The device file alone proves little: in a container it may be there without permission, in a
//! virtual machine without nesting, and a nested hypervisor may make a machine that then can't run.

use std::fmt;
use std::time::Duration;

use crate::errno::Errno;
use crate::process::{self, Ending, Waited};

/// How long the guest may take; it needs microseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// How far KVM came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kvm {
    /// The guest of one instruction ran. That a kernel boots does not follow.
    Runs,
    /// A machine was made; running one is tried on x86_64 only.
    Makes,
    /// There is no device: no hardware support, no module, or none passed in.
    Absent,
    /// A step failed.
    Fails {
        /// The ioctl or the call that failed.
        step: &'static str,
        /// With what.
        errno: Errno,
    },
    /// A guest was started and nothing came of it.
    Hangs,
}

impl fmt::Display for Kvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kvm::Runs => f.write_str(
                "a one-instruction guest ran; whether a kernel boots is found by booting one",
            ),
            Kvm::Makes => f.write_str("makes machines; none was run"),
            Kvm::Absent => f.write_str("there is no /dev/kvm"),
            Kvm::Fails { step, errno } => write!(f, "/dev/kvm is there and {step} fails: {errno}"),
            Kvm::Hangs => f.write_str("/dev/kvm is there and a guest of one instruction hangs"),
        }
    }
}

const STEPS: [&str; 8] = [
    "opening it",
    "making a machine",
    "making a CPU",
    "giving it memory",
    "mapping its state",
    "setting its registers",
    "running it",
    "its one instruction",
];

/// Tries it, in a forked child, so that a hang can be ended.
///
/// # Errors
/// The errno of fork(2) or of waiting: nothing was learned.
pub fn probe() -> Result<Kvm, Errno> {
    // SAFETY: the child makes system calls only, allocates nothing, takes no lock, and ends by
    // _exit; all of that is safe after a fork of a process with other threads.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // The answer is the exit status, since the child shares no memory.
        let status = match attempt() {
            Ok(true) => 0,
            Ok(false) => 1,
            Err((step, errno)) => encode(step, errno),
        };
        // SAFETY: ends the child without running anything of the parent's.
        unsafe { libc::_exit(status) };
    }
    let pid = u32::try_from(Errno::check(pid)?).map_err(|_| Errno(libc::ESRCH))?;
    match process::wait(pid, PATIENCE, None)? {
        Waited::Ended(Ending::Exited(status), _) => Ok(decode(status)),
        Waited::Ended(Ending::Signalled { .. }, _) => {
            Ok(Kvm::Fails { step: "running it", errno: Errno(libc::EFAULT) })
        }
        Waited::TimedOut | Waited::Interrupted(_) => {
            process::kill(pid)?;
            process::wait(pid, PATIENCE, None)?;
            Ok(Kvm::Hangs)
        }
    }
}

/// The errors that the steps have in kernel documentation and that fit beside a step's number in
/// an exit status; the last stands for all others.
const TOLD: [i32; 16] = [
    libc::ENOENT,
    libc::EACCES,
    libc::EPERM,
    libc::ENODEV,
    libc::ENXIO,
    libc::EBUSY,
    libc::EINVAL,
    libc::ENOMEM,
    libc::EMFILE,
    libc::ENFILE,
    libc::ENOSYS,
    libc::ENOTTY,
    libc::EOPNOTSUPP,
    libc::EINTR,
    libc::EFAULT,
    libc::EIO,
];

fn encode(step: usize, errno: Errno) -> i32 {
    let told = TOLD.iter().position(|&number| number == errno.0).unwrap_or(TOLD.len() - 1);
    ((step + 1) * TOLD.len() + told) as i32
}

fn decode(status: i32) -> Kvm {
    match status {
        0 => return Kvm::Runs,
        1 => return Kvm::Makes,
        _ => {}
    }
    let status = usize::try_from(status).unwrap_or(0);
    let errno = Errno(TOLD[status % TOLD.len()]);
    match (status / TOLD.len()).checked_sub(1).and_then(|step| STEPS.get(step)) {
        Some(_) if errno.0 == libc::ENOENT && status / TOLD.len() == 1 => Kvm::Absent,
        Some(step) => Kvm::Fails { step, errno },
        None => Kvm::Fails { step: "the attempt", errno },
    }
}

/// `true` when a guest ran, `false` when none could be tried. Everything it opens and maps goes
/// with the child.
fn attempt() -> Result<bool, (usize, Errno)> {
    const CREATE_VM: libc::Ioctl = 0xAE01u32 as libc::Ioctl;
    let at = |step: usize| move |errno: Errno| (step, errno);
    // SAFETY: a constant string that ends in a zero byte.
    let device = unsafe { libc::open(c"/dev/kvm".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    let device = Errno::check(device).map_err(at(0))?;
    // SAFETY: the argument is a number; no memory is touched.
    let machine = Errno::check(unsafe { libc::ioctl(device, CREATE_VM, 0) }).map_err(at(1))?;
    #[cfg(target_arch = "x86_64")]
    {
        run_halt(device, machine).map(|()| true)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = machine;
        Ok(false)
    }
}

/// Runs `hlt` in real mode at address 0.
#[cfg(target_arch = "x86_64")]
fn run_halt(device: i32, machine: i32) -> Result<(), (usize, Errno)> {
    // linux/kvm.h, of x86_64.
    const GET_VCPU_MMAP_SIZE: libc::Ioctl = 0xAE04u32 as libc::Ioctl;
    const CREATE_VCPU: libc::Ioctl = 0xAE41u32 as libc::Ioctl;
    const SET_USER_MEMORY_REGION: libc::Ioctl = 0x4020_AE46u32 as libc::Ioctl;
    const GET_SREGS: libc::Ioctl = 0x8138_AE83u32 as libc::Ioctl;
    const SET_SREGS: libc::Ioctl = 0x4138_AE84u32 as libc::Ioctl;
    const SET_REGS: libc::Ioctl = 0x4090_AE82u32 as libc::Ioctl;
    const RUN: libc::Ioctl = 0xAE80u32 as libc::Ioctl;
    const EXIT_HLT: u32 = 5;
    const PAGE: usize = 4096;
    /// `struct kvm_userspace_memory_region`.
    #[repr(C)]
    struct Region {
        slot: u32,
        flags: u32,
        guest: u64,
        bytes: u64,
        host: u64,
    }
    let at = |step: usize| move |errno: Errno| (step, errno);
    let map = |bytes: usize, flags: libc::c_int, fd: i32| {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, anywhere: overlaps nothing.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, fd, 0) };
        if address == libc::MAP_FAILED { Err(Errno::last()) } else { Ok(address) }
    };
    // SAFETY: the argument is a number; no memory is touched.
    let cpu = Errno::check(unsafe { libc::ioctl(machine, CREATE_VCPU, 0) }).map_err(at(2))?;

    let memory = map(PAGE, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1).map_err(at(3))?;
    // SAFETY: the mapping has a page; 0xf4 is `hlt`.
    unsafe { memory.cast::<u8>().write(0xf4) };
    let region =
        Region { slot: 0, flags: 0, guest: 0, bytes: PAGE as u64, host: memory.addr() as u64 };
    memory.expose_provenance();
    // SAFETY: the kernel reads a live region, whose memory stays mapped.
    Errno::check(unsafe { libc::ioctl(machine, SET_USER_MEMORY_REGION, &region) })
        .map_err(at(3))?;

    // SAFETY: the argument is a number; no memory is touched.
    let bytes = Errno::check(unsafe { libc::ioctl(device, GET_VCPU_MMAP_SIZE, 0) });
    let bytes = bytes.map_err(at(4))?.max(PAGE as i32) as usize;
    let state = map(bytes, libc::MAP_SHARED, cpu).map_err(at(4))?;

    // `struct kvm_sregs`: the code segment comes first, its base in the first word, its selector
    // in bytes 12 and 13. After reset it is at the top of memory.
    let mut segments = [0u64; 0x138 / 8];
    // SAFETY: the kernel fills a live array of the size that the number of the call holds.
    Errno::check(unsafe { libc::ioctl(cpu, GET_SREGS, segments.as_mut_ptr()) }).map_err(at(5))?;
    segments[0] = 0;
    segments[1] &= !(0xffff << 32);
    // SAFETY: the kernel reads a live array of the size that the number of the call holds.
    Errno::check(unsafe { libc::ioctl(cpu, SET_SREGS, segments.as_ptr()) }).map_err(at(5))?;
    // `struct kvm_regs`: sixteen registers, rip, rflags, whose bit 1 is always set.
    let mut registers = [0u64; 18];
    registers[17] = 2;
    // SAFETY: as above.
    Errno::check(unsafe { libc::ioctl(cpu, SET_REGS, registers.as_ptr()) }).map_err(at(5))?;

    // SAFETY: the guest has its own page only; the kernel writes to the mapped state.
    Errno::check(unsafe { libc::ioctl(cpu, RUN, 0) }).map_err(at(6))?;
    // SAFETY: `struct kvm_run` is mapped, and has its exit reason in the third word of 32 bits.
    let reason = unsafe { state.cast::<u32>().add(2).read_volatile() };
    if reason == EXIT_HLT { Ok(()) } else { Err((7, Errno(libc::EIO))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_status_holds_the_step_and_the_errno() {
        for (step, name) in STEPS.into_iter().enumerate() {
            for number in TOLD {
                let status = encode(step, Errno(number));
                assert!((2..256).contains(&status));
                let expected = match (step, number) {
                    (0, libc::ENOENT) => Kvm::Absent,
                    _ => Kvm::Fails { step: name, errno: Errno(number) },
                };
                assert_eq!(decode(status), expected);
            }
        }
        assert_eq!(decode(encode(3, Errno(4711))), decode(encode(3, Errno(libc::EIO))));
        assert!(matches!(decode(255), Kvm::Fails { step: "the attempt", .. }));
        assert!(matches!(decode(-1), Kvm::Fails { .. }));
    }

    #[test]
    fn the_device_decides() {
        let there = std::path::Path::new("/dev/kvm").exists();
        let found = probe().expect("an answer");
        assert_eq!(found == Kvm::Absent, !there, "{found}");
    }
}
