//! What a machine is, as far as it bears on a measurement: processor, kernel, preemption,
//! mitigations, C library, hypervisor.
//!
//! The layout of its CPUs is [`crate::topology`], its limits are [`crate::limits`]. `None` is not
//! known: a reader compares machines by this, so nothing is guessed.

use std::collections::BTreeMap;
use std::fs;

use crate::kernel_config::KernelConfig;

/// A machine and the kernel that it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// The processor by name; on arm64 by implementer and part.
    pub cpu_model: Option<String>,
    /// `uname -m`.
    pub architecture: String,
    /// `uname -r`.
    pub kernel_release: String,
    /// `uname -v`.
    pub kernel_version: String,
    /// `none`, `voluntary`, `full`, `lazy` or `rt`.
    pub preemption: Option<String>,
    /// What the kernel says of each hardware vulnerability: name, state.
    pub mitigations: BTreeMap<String, String>,
    /// The kernel's command line.
    pub command_line: Option<String>,
    /// The boot by the kernel's random number: the same in all runs until the machine is booted again.
    pub boot_id: Option<String>,
    /// The C library that this program runs with, if it is glibc.
    pub glibc: Option<String>,
    /// The hypervisor by name, in a virtual machine.
    pub hypervisor: Option<String>,
    /// Whether this is a virtual machine.
    pub virtual_machine: Option<bool>,
}

impl Machine {
    /// Reads what there is.
    pub fn read() -> Machine {
        let uname = uname();
        let cpuinfo = text("/proc/cpuinfo").unwrap_or_default();
        let command_line = text("/proc/cmdline").map(|line| line.trim().to_owned());
        let config = KernelConfig::read(&uname.release);
        let vendor = text("/sys/class/dmi/id/sys_vendor");
        let product = text("/sys/class/dmi/id/product_name");
        let (virtual_machine, hypervisor) =
            hypervisor(&cpuinfo, hypervisor_signature(), vendor.as_deref(), product.as_deref());
        Machine {
            cpu_model: cpu_model(&cpuinfo),
            preemption: preemption(
                text("/sys/kernel/debug/sched/preempt").as_deref(),
                &uname.version,
                command_line.as_deref().unwrap_or(""),
                config.as_ref(),
            )
            .map(str::to_owned),
            mitigations: mitigations(),
            command_line,
            boot_id: text("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()),
            glibc: glibc(),
            hypervisor,
            virtual_machine,
            architecture: uname.machine,
            kernel_release: uname.release,
            kernel_version: uname.version,
        }
    }
}

fn text(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

struct Uname {
    release: String,
    version: String,
    machine: String,
}

fn uname() -> Uname {
    // SAFETY: utsname is arrays of characters: all zeroes is a value, of empty strings.
    let mut raw: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live utsname; the call cannot fail on one.
    unsafe { libc::uname(&mut raw) };
    let string = |field: &[libc::c_char]| {
        let bytes =
            field.iter().take_while(|&&c| c != 0).map(|c| c.to_ne_bytes()[0]).collect::<Vec<u8>>();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Uname {
        release: string(&raw.release),
        version: string(&raw.version),
        machine: string(&raw.machine),
    }
}

fn glibc() -> Option<String> {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: returns a pointer to a constant string of the library.
        let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
        Some(version.to_string_lossy().into_owned())
    }
    #[cfg(not(target_env = "gnu"))]
    None
}

fn mitigations() -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir("/sys/devices/system/cpu/vulnerabilities") else {
        return BTreeMap::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let state = fs::read_to_string(entry.path()).ok()?;
            Some((entry.file_name().into_string().ok()?, state.trim().to_owned()))
        })
        .collect()
}

/// The first value of a field of `/proc/cpuinfo`.
fn cpuinfo_field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (field, value) = line.split_once(':')?;
        let value = value.trim();
        (field.trim() == name && !value.is_empty()).then_some(value)
    })
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    for name in ["model name", "Model Name", "cpu model", "uarch", "cpu"] {
        if let Some(model) = cpuinfo_field(cpuinfo, name) {
            return Some(model.to_owned());
        }
    }
    // arm64 tells numbers. Names from Arm's technical reference manuals and Linux' cputype.h.
    let implementer = cpuinfo_field(cpuinfo, "CPU implementer")?;
    let part = cpuinfo_field(cpuinfo, "CPU part")?;
    let name = match (implementer, part) {
        ("0x41", "0xd0c") => "Arm Neoverse N1",
        ("0x41", "0xd40") => "Arm Neoverse V1",
        ("0x41", "0xd49") => "Arm Neoverse N2",
        ("0x41", "0xd4f") => "Arm Neoverse V2",
        ("0x41", "0xd84") => "Arm Neoverse V3",
        ("0x41", "0xd8e") => "Arm Neoverse N3",
        ("0xc0", "0xac3") => "Ampere-1",
        ("0xc0", "0xac4") => "Ampere-1a",
        _ => return Some(format!("implementer {implementer}, part {part}")),
    };
    Some(name.to_owned())
}

/// The preemption model, from the surest to the least sure source: the scheduler's own file
/// (root only), the kernel's version, its command line, its configuration.
fn preemption(
    debugfs: Option<&str>,
    version: &str,
    command_line: &str,
    config: Option<&KernelConfig>,
) -> Option<&'static str> {
    const MODELS: [&str; 4] = ["none", "voluntary", "full", "lazy"];
    let model = |name: &str| MODELS.into_iter().find(|model| *model == name);
    // `none voluntary (full)`
    let in_brackets = debugfs.and_then(|text| {
        text.split_ascii_whitespace()
            .find_map(|word| word.strip_prefix('(')?.strip_suffix(')'))
            .and_then(model)
    });
    let flag = |flag: &str| version.split_ascii_whitespace().any(|word| word == flag);
    if flag("PREEMPT_RT") {
        return Some("rt");
    }
    if in_brackets.is_some() {
        return in_brackets;
    }
    if flag("PREEMPT_DYNAMIC") {
        let chosen = command_line
            .split_ascii_whitespace()
            .filter_map(|word| model(word.strip_prefix("preempt=")?))
            .next_back();
        if chosen.is_some() {
            return chosen;
        }
    }
    let config = config?;
    [
        ("PREEMPT_RT", "rt"),
        ("PREEMPT_LAZY", "lazy"),
        ("PREEMPT", "full"),
        ("PREEMPT_VOLUNTARY", "voluntary"),
        ("PREEMPT_NONE", "none"),
    ]
    .into_iter()
    .find(|(option, _)| config.is_set(option))
    .map(|(_, model)| model)
}

/// What CPUID leaf 0x4000_0000 says, on x86_64 under a hypervisor.
fn hypervisor_signature() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        // Leaf 1's ecx bit 31 is set by hypervisors only.
        if __cpuid(1).ecx >> 31 == 0 {
            return None;
        }
        let leaf = __cpuid(0x4000_0000);
        let bytes: Vec<u8> =
            [leaf.ebx, leaf.ecx, leaf.edx].into_iter().flat_map(u32::to_le_bytes).collect();
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_matches(['\0', ' ']).to_owned())
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Whether this is a virtual machine, and whose.
fn hypervisor(
    cpuinfo: &str,
    signature: Option<String>,
    vendor: Option<&str>,
    product: Option<&str>,
) -> (Option<bool>, Option<String>) {
    let dmi: Vec<&str> =
        [vendor, product].into_iter().flatten().map(str::trim).filter(|t| !t.is_empty()).collect();
    let dmi = dmi.join(" ");
    let flagged = cpuinfo_field(cpuinfo, "flags")
        .map(|flags| flags.split_ascii_whitespace().any(|flag| flag == "hypervisor"));
    if flagged == Some(true) || signature.is_some() {
        let known = match signature.as_deref() {
            Some("KVMKVMKVM") => "KVM",
            Some("TCGTCGTCGTCG") => "QEMU's emulation (TCG)",
            Some("Microsoft Hv") => "Hyper-V",
            Some("VMwareVMware") => "VMware",
            Some("XenVMMXenVMM") => "Xen",
            Some("bhyve bhyve") => "bhyve",
            Some("VBoxVBoxVBox") => "VirtualBox",
            Some(other) if !other.is_empty() => other,
            _ => "",
        };
        let name = match (known, dmi.as_str()) {
            ("", "") => None,
            (known, "") => Some(known.to_owned()),
            ("", dmi) => Some(dmi.to_owned()),
            (known, dmi) => Some(format!("{known} ({dmi})")),
        };
        return (Some(true), name);
    }
    if flagged == Some(false) {
        // A bare-metal instance has its cloud's name in the firmware all the same.
        return (Some(false), None);
    }
    // Without CPUID only names that no hardware has say something.
    match dmi.as_str() {
        dmi if dmi.contains("QEMU") || dmi.contains("Virtual Machine") => {
            (Some(true), Some(dmi.to_owned()))
        }
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_named() {
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 207\n\
                   model name\t: Intel(R) Xeon(R) 6975P-C\n";
        assert_eq!(cpu_model(x86).as_deref(), Some("Intel(R) Xeon(R) 6975P-C"));
        let arm = "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\n\
                   CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n";
        assert_eq!(cpu_model(arm).as_deref(), Some("Arm Neoverse V2"));
        assert_eq!(
            cpu_model(&arm.replace("0xd4f", "0x123")).as_deref(),
            Some("implementer 0x41, part 0x123")
        );
        assert_eq!(cpu_model("processor : 0\nmodel name :\n"), None);
    }

    #[test]
    fn the_surest_source_of_the_preemption_model_is_taken() {
        let config = |text: &str| Some(KernelConfig::parse(text));
        let none = config("CONFIG_PREEMPT_NONE=y\nCONFIG_PREEMPT_DYNAMIC=y\n");
        let dynamic = "#1 SMP PREEMPT_DYNAMIC Debian 6.17.13-1";
        for (debugfs, version, line, config, model) in [
            (Some("none voluntary (full) lazy \n"), dynamic, "preempt=none", &none, Some("full")),
            (None, dynamic, "quiet preempt=voluntary", &none, Some("voluntary")),
            (None, dynamic, "preempt=full preempt=lazy", &none, Some("lazy")),
            (None, dynamic, "preempt=bogus", &none, Some("none")),
            (None, dynamic, "", &None, None),
            (None, "#1 SMP PREEMPT_RT Debian", "preempt=none", &none, Some("rt")),
            // Without the dynamic switch the word on the command line does nothing.
            (
                None,
                "#1 SMP Debian",
                "preempt=full",
                &config("CONFIG_PREEMPT_VOLUNTARY=y"),
                Some("voluntary"),
            ),
            (None, "#1 SMP PREEMPT x", "", &config("CONFIG_PREEMPT=y"), Some("full")),
            (None, "#1 SMP PREEMPT x", "", &config("CONFIG_PREEMPT_LAZY=y"), Some("lazy")),
            (Some("what"), "#1 SMP", "", &None, None),
        ] {
            assert_eq!(
                preemption(debugfs, version, line, config.as_ref()),
                model,
                "{version} {line}"
            );
        }
    }

    #[test]
    fn a_guest_is_told_from_a_metal_instance() {
        let guest = "flags\t\t: fpu vme hypervisor lahf_lm\n";
        let metal = "flags\t\t: fpu vme lahf_lm\n";
        let named = |name: &str| (Some(true), Some(name.to_owned()));
        let kvm = Some("KVMKVMKVM".to_owned());
        assert_eq!(hypervisor(guest, kvm.clone(), None, None), named("KVM"));
        assert_eq!(
            hypervisor(guest, kvm, Some("Amazon EC2\n"), Some("m8g.large\n")),
            named("KVM (Amazon EC2 m8g.large)")
        );
        assert_eq!(hypervisor(guest, None, None, None), (Some(true), None));
        assert_eq!(
            hypervisor(metal, None, Some("Amazon EC2"), Some("r8i.metal")),
            (Some(false), None)
        );
        assert_eq!(hypervisor("", None, Some("QEMU"), None), named("QEMU"));
        assert_eq!(hypervisor("", None, Some("HPE"), Some("ProLiant")), (None, None));
    }

    #[test]
    fn this_machine_is_read() {
        let machine = Machine::read();
        assert!(machine.kernel_release.starts_with(|c: char| c.is_ascii_digit()), "{machine:?}");
        assert!(!machine.kernel_version.is_empty() && !machine.architecture.is_empty());
        assert_eq!(machine.glibc.is_some(), cfg!(target_env = "gnu"));
    }
}
