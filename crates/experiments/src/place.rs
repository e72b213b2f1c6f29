//! Where the trials of a run are done: on this machine, or in guests of the lab.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use campaign::executor::{Executor, ThisMachine};
use campaign::plan::{Plan, Site};
use clap::Args;
use lab::cache::Cache;
use lab::executor::{Lab, Settings};
use lab::guest::boot_time::{STRETCH, measured_near};
use lab::guest::qemu::Qemu;
use lab::guest::shape::Shape;
use lab::kernels::fetch::{full_name, obtain};
use lab::kernels::{Kernel, sha256};
use model::definition::Definition;
use model::factor::Placement;
use model::manifest::{self, Manifest, Origin};
use model::workload::Workload;
use records::table::Table;
use report::neutral::plain;
use report::say::case;

use crate::cmd::kernel::{ArchiveOptions, tell, told};
use crate::failure::Failure;
use crate::number::how_many;
use crate::site::ThisSite;
use crate::words::counted;

/// Where the guests' consoles go.
const CONSOLE_LOG: &str = "console.log";

/// Where the trials run, when not on this machine.
#[derive(Debug, Clone, Args)]
pub struct LabArgs {
    /// In the lab, on this kernel: debian:VERSION, a NAME of `kernel build`, or the path of an
    /// image; repeatable, which makes the kernel a factor
    #[arg(long, value_name = "KERNEL", help_heading = "Lab")]
    kernel: Vec<String>,
    /// CPUs of a guest, 1 to 255; shares of `threads` are of these
    #[arg(long, value_name = "N", default_value_t = 32, requires = "kernel", conflicts_with = "here", help_heading = "Lab", value_parser = how_many::<u32>, allow_negative_numbers = true)]
    cpus: u32,
    /// Equal NUMA nodes of a guest
    #[arg(long, value_name = "N", default_value_t = 1, requires = "kernel", conflicts_with = "here", help_heading = "Lab", value_parser = how_many::<u32>, allow_negative_numbers = true)]
    nodes: u32,
    /// Spread the blocks over this many boots of each kernel [default: 12 of several kernels, 1 of one]
    #[arg(long, value_name = "N", requires = "kernel", conflicts_with = "here", help_heading = "Lab", value_parser = how_many::<u32>, allow_negative_numbers = true)]
    boots: Option<u32>,
    /// Stay on this machine, also where it can't show what the experiment asks about
    #[arg(long, conflicts_with = "kernel", help_heading = "Lab")]
    pub here: bool,
    /// Install what the lab needs and this machine lacks, by apt (as root, or by sudo)
    #[arg(long, conflicts_with = "here", help_heading = "Lab")]
    pub install: bool,
}

/// The boots of each of several kernels, unless the user asks for another number.
const COMPARED_BOOTS: u32 = 12;

impl LabArgs {
    /// The same boots in this guest.
    pub fn in_guest(self, guest: case::Guest) -> LabArgs {
        LabArgs { kernel: vec![guest.kernel.to_string()], cpus: guest.cpus, ..self }
    }

    /// Has trials in guests judged by a rule that an emulator doesn't mislead, unless the user names
    /// one; what there is to say of it.
    pub fn rule_in(&self, definition: &mut Definition, is_named: bool) -> Option<String> {
        if !self.is_asked_for() || is_named {
            return None;
        }
        let rule = case::rule_in_guests(definition)?;
        let by = std::mem::replace(&mut definition.outcome.stall, rule.clone());
        Some(format!(
            "throughput in a guest is the emulator's: a trial is judged by {rule} and not by the \
             definition's {by}; --stall {by} insists"
        ))
    }

    /// Whether the trials run in guests.
    pub fn is_asked_for(&self) -> bool {
        !self.kernel.is_empty()
    }

    /// Finds the place, and in the lab fetches the kernels that are not here.
    pub fn place<'a>(&self, here: &'a ThisSite) -> Result<Place<'a>, Failure> {
        if self.kernel.is_empty() {
            return Ok(Place::Here(here));
        }
        Ok(Place::Lab(LabPlace::new(&self.kernel, self.cpus, self.nodes, self.most_boots())?))
    }

    /// What a plan needs to know; nothing is fetched.
    pub fn planned_site(&self) -> Result<Site, Failure> {
        if self.kernel.is_empty() {
            return Ok(ThisSite::look()?.site);
        }
        check_boots(self.most_boots())?;
        let shape = Shape::new(self.cpus, self.nodes)?;
        let cache = Cache::of_user()?;
        let source = ArchiveOptions::default().source();
        let mut kernels = Vec::new();
        for name in &self.kernel {
            let name = full_name(&cache, &source, name, &mut tell);
            told();
            let name = name?;
            if !kernels.contains(&name) {
                kernels.push(name);
            }
        }
        Ok(Site { cpus: shape.cpus, kernels })
    }

    /// That `run` could begin with a plan now, as far as that can be told with nothing fetched.
    pub fn check_now(&self, definition: &Definition, plan: &Plan) -> Result<(), Failure> {
        if self.kernel.is_empty() {
            ThisSite::look()?.check(plan)?;
            return crate::site::check_program(definition, plan);
        }
        let shape = Shape::new(self.cpus, self.nodes)?;
        room(&shape)?;
        Qemu::find()?;
        check_in_guest(&shape, plan)
    }

    /// What is to be known of the boots before a run of so many blocks: that there are fewer than
    /// asked for.
    pub fn fewer_boots(&self, blocks: u64) -> Option<String> {
        let asked = self.boots.filter(|_| self.is_asked_for())?;
        let boots = boots_of(asked, blocks);
        (boots < asked).then(|| {
            format!(
                "--boots {asked}: {} of each kernel, since each is for {}; --trials N makes more blocks",
                counted(u64::from(boots), "boot"),
                if boots == 1 { "the only block" } else { "a block at least" },
            )
        })
    }

    /// How many guests a plan boots, of all kernels together; `None` on this machine.
    pub fn boots(&self, plan: &Plan) -> Option<u64> {
        let kernels: BTreeSet<&str> = plan.cells.iter().map(|cell| cell.kernel.as_str()).collect();
        let blocks = plan.trials.iter().map(|planned| planned.block).max().unwrap_or(0);
        self.is_asked_for().then(|| {
            u64::from(boots_of(self.most_boots(), blocks)).saturating_mul(kernels.len() as u64)
        })
    }

    /// The boots of each kernel, where there are as many blocks: a comparison of kernels counts boots and not
    /// their trials.
    fn most_boots(&self) -> u32 {
        self.boots.unwrap_or(if self.kernel.len() > 1 { COMPARED_BOOTS } else { 1 })
    }

    /// What the place makes of a trial's planned time.
    pub fn stretch(&self) -> f64 {
        if self.is_asked_for() { STRETCH } else { 1.0 }
    }

    /// The boots of a plan, which come on top of the time of its trials; nothing on this machine.
    pub fn boots_in_words(&self, plan: &Plan) -> String {
        self.boots(plan).map_or_else(String::new, |boots| {
            let (cpus, seconds) = measured_near(self.cpus);
            format!(
                " and {} on top (measured: {seconds:.0} s each with {cpus} CPUs, a stock kernel emulated on two idle cores)",
                counted(boots, "boot")
            )
        })
    }

    /// Which CPUs the threads of each cell get, a line a cell that asks for any; of a guest that is
    /// not booted nobody knows.
    pub fn placements(&self, plan: &Plan) -> Result<Vec<String>, Failure> {
        match self.kernel.is_empty() {
            true => crate::site::placements(plan),
            false => Ok(Vec::new()),
        }
    }
}

/// Where the trials of a run are done.
pub enum Place<'a> {
    /// On this machine.
    Here(&'a ThisSite),
    /// In the lab.
    Lab(LabPlace),
}

impl<'a> Place<'a> {
    /// Where a run that is gone on with was begun.
    pub fn of_run(manifest: &Manifest, here: &'a ThisSite) -> Result<Place<'a>, Failure> {
        if manifest.executor == Origin::ThisMachine {
            return Ok(Place::Here(here));
        }
        let first = manifest.kernels.first();
        let (Some(boots), Some(cpus), Some(nodes)) = (
            manifest.executor.lab_boots(),
            first.and_then(|k| k.cpus),
            first.and_then(|k| k.nodes),
        ) else {
            return Err(Failure::Request(format!(
                "the run can't be gone on with: its manifest.json says executor \"{}\", and what can is \
                 \"{}\" and \"{}\" with CPUs and nodes of its kernels. It can be analysed",
                manifest.executor,
                Origin::ThisMachine,
                Origin::Lab { boots: 1 },
            )));
        };
        let names: Vec<String> = manifest.kernels.iter().map(|k| k.name.clone()).collect();
        let lab = LabPlace::new(&names, cpus, nodes, boots)?;
        lab.check_begun_with(&manifest.kernels)?;
        Ok(Place::Lab(lab))
    }

    /// What a plan needs to know.
    pub fn site(&self) -> Site {
        match self {
            Place::Here(here) => here.site.clone(),
            Place::Lab(lab) => Site {
                cpus: lab.shape.cpus,
                kernels: lab.kernels.iter().map(|kernel| kernel.name.clone()).collect(),
            },
        }
    }

    /// Whether the kernels must run one after the other.
    pub fn in_turn(&self) -> bool {
        matches!(self, Place::Lab(lab) if lab.room < lab.kernels.len() as u64)
    }

    /// That every cell can run there.
    pub fn check(&self, plan: &Plan) -> Result<(), Failure> {
        match self {
            Place::Here(here) => here.check(plan),
            Place::Lab(lab) => check_in_guest(&lab.shape, plan),
        }
    }

    /// The kernels, for the manifest.
    pub fn kernels(&self) -> Vec<manifest::Kernel> {
        match self {
            Place::Here(here) => vec![here.kernel()],
            Place::Lab(lab) => Lab::manifest_kernels(&lab.kernels, &lab.shape),
        }
    }

    /// Who runs the trials of so many blocks, for the manifest.
    pub fn origin(&self, blocks: u64) -> Origin {
        match self {
            Place::Here(_) => Origin::ThisMachine,
            Place::Lab(lab) => Origin::Lab { boots: boots_of(lab.boots, blocks) },
        }
    }

    /// What of the kernels is no longer as it was when the run was begun, a sentence each.
    pub fn changes(&self, manifest: &Manifest) -> Vec<String> {
        let Place::Lab(lab) = self else { return Vec::new() };
        let mut changes = Vec::new();
        for then in &manifest.kernels {
            let Some(now) = lab.kernels.iter().find(|kernel| kernel.name == then.name) else {
                changes.push(format!("the kernel {} is not here any more", then.name));
                continue;
            };
            let image = Some(&now.about.image_sha256);
            if then.patches != now.about.patches {
                changes.push(format!("the kernel {} was built with other patches", then.name));
            } else if now.about.release.is_some() && then.release != now.about.release {
                changes.push(format!("the kernel {} has another release", then.name));
            } else if then.image_sha256.is_some() && then.image_sha256.as_ref() != image {
                changes.push(format!("the kernel {} has another image", then.name));
            }
        }
        changes
    }

    /// Who does the trials of a run in `folder`, which has `blocks` blocks; `run` is a word that no other
    /// run has.
    pub fn executor(
        &self,
        folder: &Path,
        run: String,
        blocks: u64,
        first_boot: u32,
    ) -> Result<Box<dyn Executor>, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::Running(error.to_string());
        match self {
            Place::Here(here) => {
                Ok(Box::new(ThisMachine::new(here.kernel(), run).map_err(|error| failed(&error))?))
            }
            Place::Lab(lab) => {
                let program = embedded::lay("race-trial", embedded::RACE_TRIAL)
                    .map_err(|error| failed(&error))?;
                let settings = Settings {
                    kernels: lab.kernels.clone(),
                    shape: lab.shape,
                    boots: lab.boots,
                    blocks,
                    first_boot,
                    console_log: folder.join(CONSOLE_LOG),
                    cache: lab.cache.clone(),
                };
                Ok(Box::new(Lab::new(settings, lab.qemu.clone(), program.path(), Box::new(say))?))
            }
        }
    }
}

/// Guests of one size, of each of these kernels.
pub struct LabPlace {
    kernels: Vec<Kernel>,
    shape: Shape,
    boots: u32,
    qemu: Qemu,
    cache: Cache,
    room: u64,
}

impl LabPlace {
    fn new(names: &[String], cpus: u32, nodes: u32, boots: u32) -> Result<LabPlace, Failure> {
        check_boots(boots)?;
        let shape = Shape::new(cpus, nodes)?;
        let room = room(&shape)?;
        let qemu = Qemu::find()?;
        let cache = Cache::of_user()?;
        let source = ArchiveOptions::default().source();
        let mut kernels: Vec<Kernel> = Vec::new();
        for name in names {
            let kernel = obtain(&cache, &source, name, &mut tell);
            told();
            let mut kernel = kernel?;
            if kernels.iter().any(|other| other.name == kernel.name) {
                continue;
            }
            let image = fs::read(&kernel.image).map_err(|error| {
                Failure::Request(format!("{} can't be read: {error}", kernel.image.display()))
            })?;
            let found = sha256(&image);
            let kept = std::mem::replace(&mut kernel.about.image_sha256, found.clone());
            if !kept.is_empty() && kept != found {
                return Err(Failure::Request(format!(
                    "{} is not the image of {} that was put there: its SHA-256 is {found}, and \
                     kernel.json beside it says {kept}. Take its folder away, and it is fetched or \
                     built again",
                    kernel.image.display(),
                    kernel.name
                )));
            }
            kernels.push(kernel);
        }
        Ok(LabPlace { kernels, shape, boots, qemu, cache, room })
    }

    /// That the kernels are built from the patches that a run was begun with.
    fn check_begun_with(&self, begun: &[manifest::Kernel]) -> Result<(), Failure> {
        for (here, then) in self.kernels.iter().zip(begun) {
            if here.about.patches != then.patches {
                return Err(Failure::Request(format!(
                    "the kernel {} has been built anew with other patches since the run was begun: \
                     its trials would be of two kernels under one name. Build the kernel that the \
                     run's manifest.json names, or begin another run",
                    then.name
                )));
            }
        }
        Ok(())
    }
}

fn check_boots(boots: u32) -> Result<(), Failure> {
    match boots {
        0 => Err(Failure::Request("--boots 0: accepted is a whole number from 1".to_string())),
        _ => Ok(()),
    }
}

/// How often each kernel is booted: a boot without a block would do nothing.
fn boots_of(asked: u32, blocks: u64) -> u32 {
    u32::try_from(blocks.max(1)).map_or(asked, |blocks| asked.min(blocks))
}

/// How many guests fit into this host's memory.
fn room(shape: &Shape) -> Result<u64, Failure> {
    Ok(shape.fit(&fs::read_to_string("/proc/meminfo").unwrap_or_default())?)
}

/// That every cell can run in a guest of this size.
fn check_in_guest(shape: &Shape, plan: &Plan) -> Result<(), Failure> {
    let (cpus, nodes) = (shape.cpus, shape.nodes);
    for cell in &plan.cells {
        if cell.spec.workload() == Workload::Command {
            return Err(Failure::Request(
                "workload command: a guest of the lab holds race-trial and no other program; \
                 on this machine (without --kernel) it runs any"
                    .to_string(),
            ));
        }
        let beyond = match &cell.spec.placement {
            Placement::Cpus(list) | Placement::Pin(list) => {
                kernel_abi::id_set::parse_list(list, "CPU")
                    .is_ok_and(|ids| ids.iter().any(|id| *id >= cpus))
            }
            Placement::Node(node) => *node >= nodes,
            Placement::Unpinned | Placement::Compact | Placement::Scatter => false,
        };
        if beyond {
            return Err(Failure::Request(format!(
                "placement {}: the guest has the CPUs 0-{} in the nodes 0-{}",
                cell.spec.placement,
                cpus - 1,
                nodes - 1
            )));
        }
    }
    Ok(())
}

/// One more than the last boot of a run: one that was killed in its first trial has no row, but lines in
/// the console's log.
pub fn next_boot(run: &Path) -> u32 {
    let table = Table::read(&run.join("trials.csv"), &model::columns::TRIALS);
    let boots = table.map(|table| table.column("boot")).unwrap_or_default();
    let boots = boots.into_iter().filter_map(|(_, cell)| cell.parse::<u32>().ok());
    let last = lab::executor::last_boot(&run.join(CONSOLE_LOG));
    boots.chain([last]).max().unwrap_or(0).saturating_add(1)
}

/// What the lab does between trials, on a line of its own.
fn say(line: &str) {
    let clear = if crate::terminal::redraws() { "\r\x1b[2K" } else { "" };
    let _ = writeln!(io::stderr(), "{clear}{}", plain(line));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab(boots: impl Into<Option<u32>>) -> LabArgs {
        LabArgs {
            kernel: vec!["a".into(), "b".into()],
            cpus: 48,
            nodes: 1,
            boots: boots.into(),
            here: false,
            install: false,
        }
    }

    #[test]
    fn more_boots_than_blocks_are_told() {
        assert_eq!(lab(3).fewer_boots(3), None);
        let told = lab(4).fewer_boots(3).expect("a sentence");
        assert_eq!(
            told,
            "--boots 4: 3 boots of each kernel, since each is for a block at least; --trials N makes more blocks"
        );
        assert!(lab(2).fewer_boots(1).expect("a sentence").contains("1 boot of each kernel"));
        let here = LabArgs { kernel: Vec::new(), ..lab(4) };
        assert_eq!(here.fewer_boots(1), None);
    }

    #[test]
    fn boots_come_on_top_of_a_plan_s_time() {
        let text = "trials = 3\n[factors]\nworkload = \"wake-storm\"\nthreads = 1\n";
        let definition = model::definition::parse("x.toml", "x", text).expect("a definition");
        let site = Site { cpus: 48, kernels: vec!["a".into(), "b".into()] };
        let plan = Plan::new(&definition, &site).expect("a plan");
        let boots = [1, 2, 9].map(|asked| lab(asked).boots(&plan));
        assert_eq!(boots, [Some(2), Some(4), Some(6)]);
        let words = lab(1).boots_in_words(&plan);
        assert!(words.starts_with(" and 2 boots on top (measured: 11 s each with 32"), "{words}");
        // Of several kernels a boot a block, up to 12; of one kernel one.
        assert_eq!(lab(None).boots(&plan), Some(6));
        let one = LabArgs { kernel: vec!["a".into()], ..lab(None) };
        assert_eq!(one.most_boots(), 1);
        let here = LabArgs { kernel: Vec::new(), ..lab(1) };
        assert_eq!((here.boots(&plan), here.boots_in_words(&plan).as_str()), (None, ""));
    }
}
