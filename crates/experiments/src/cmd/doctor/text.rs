//! The answer as text: a heading and a few lines each, the verdict on the race first.

use std::fmt::Write;

use report::say::case::{Line, Section};

use super::Report;

const WIDTH: usize = 96;
const INDENT: usize = 2;

/// The whole report.
pub fn render(report: &Report) -> String {
    let mut page = Page::default();
    page.sections(&report.verdicts);
    kernel(&mut page, report);
    page.sections(&report.details);
    cpus(&mut page, report);
    threads(&mut page, report);
    emulation(&mut page, report);
    if !report.cautions.is_empty() {
        page.heading("To keep in mind");
        for caution in &report.cautions {
            page.item(caution);
        }
    }
    programs(&mut page, report);
    page.0
}

fn kernel(page: &mut Page, report: &Report) {
    let kernel = &report.kernel;
    page.heading("Kernel");
    page.pair("release", &format!("{} ({})", kernel.release, kernel.architecture));
    page.pair("version", &kernel.version);
    page.pair("preemption", kernel.preemption.as_deref().unwrap_or("not known"));
    page.pair("clock source", kernel.clock_source.as_deref().unwrap_or("not known"));
    page.pair(
        "mitigations",
        &match kernel.mitigated.as_slice() {
            [] => "none in force".to_owned(),
            names => names.join(", "),
        },
    );
    page.pair(
        "C library",
        &match &kernel.glibc {
            Some(version) => format!("glibc {version}"),
            None => "not glibc".to_owned(),
        },
    );
}

fn cpus(page: &mut Page, report: &Report) {
    let cpus = &report.cpus;
    let groups = |lists: &[String]| match lists {
        [] => "not shown by this kernel".to_owned(),
        [one] => format!("1 ({one})"),
        many => format!("{} ({})", many.len(), shortened(many)),
    };
    page.heading("CPUs");
    page.pair("model", report.kernel.cpu_model.as_deref().unwrap_or("not known"));
    page.pair("online", &format!("{} ({})", cpus.online_count, cpus.online));
    page.pair("this process", &format!("{} ({})", cpus.allowed_count, cpus.allowed));
    if !cpus.offline.is_empty() {
        page.pair("offline", &cpus.offline);
    }
    page.pair("sockets", &groups(&cpus.packages));
    page.pair(
        "cores",
        &match (cpus.cores, cpus.smt) {
            (Some(cores), Some(true)) => format!("{cores}, with SMT"),
            (Some(cores), _) => format!("{cores}, without SMT"),
            (None, _) => "not shown by this kernel".to_owned(),
        },
    );
    page.pair("last-level caches", &groups(&cpus.caches));
    let nodes: Vec<String> = cpus
        .nodes
        .iter()
        .map(|node| match (node.cpus.is_empty(), node.has_memory) {
            (true, _) => format!("{}: memory only", node.id),
            (false, true) => format!("{}: {}", node.id, node.cpus),
            (false, false) => format!("{}: {} without memory", node.id, node.cpus),
        })
        .collect();
    let split = if cpus.sub_numa == Some(true) { ", sockets are split" } else { "" };
    page.pair("nodes", &format!("{} ({}){split}", nodes.len(), shortened(&nodes)));
    page.pair(
        "governor",
        &match cpus.governors.as_slice() {
            [] => "none: the kernel sets no frequencies here".to_owned(),
            names => names.join(", "),
        },
    );
}

/// The first few of many.
fn shortened(lists: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text = lists.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    if lists.len() > SHOWN {
        text += "; …";
    }
    text
}

fn threads(page: &mut Page, report: &Report) {
    page.heading("Threads");
    match &report.threads.in_words {
        Some(words) => page.paragraph(&format!("{words}.")),
        None => page.paragraph("No limit could be read."),
    }
}

fn emulation(page: &mut Page, report: &Report) {
    page.heading("Lab");
    page.pair("KVM", &report.emulation.kvm_in_words);
    let emulator = report.programs.iter().find(|program| program.name.starts_with("qemu"));
    page.pair(
        "QEMU",
        &match emulator {
            Some(program) if program.found => {
                program.version.clone().unwrap_or_else(|| "found".to_owned())
            }
            _ => "not found: see below".to_owned(),
        },
    );
    const EMULATED: &str = "guests are emulated: a contended cache line costs nothing special, so \
                            throughputs mean nothing, while the slots and the race are the \
                            kernel's own.";
    page.paragraph(&match report.emulation.kvm_ran_one_instruction {
        Some(true) => format!(
            "Where a kernel boots under KVM, guests with more virtual CPUs than the {} here take \
             turns on them: the slots and the race are the kernel's own, throughputs mean little. \
             Where it does not, a lab run says so, and {EMULATED}",
            report.cpus.allowed_count
        ),
        Some(false) | None => format!("Without KVM {EMULATED}"),
    });
}

fn programs(page: &mut Page, report: &Report) {
    page.heading("Programs");
    for program in &report.programs {
        let state = if program.found { "yes" } else { "no " };
        page.line(&format!("{state}  {:<20} {}", program.name, program.needed_for));
        if let Some(get) = &program.get {
            page.line(&format!("     get it: {get}"));
        }
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn heading(&mut self, text: &str) {
        let space = if self.0.is_empty() { "" } else { "\n" };
        // Writing to a string can't fail.
        let _ = writeln!(self.0, "{space}{text}");
    }

    fn sections(&mut self, sections: &[Section]) {
        for section in sections {
            self.heading(&section.heading);
            for line in &section.lines {
                match line {
                    Line::Pair(name, value) => self.pair(name, value),
                    Line::Item(text) => self.item(text),
                    Line::Text(text) => self.paragraph(text),
                }
            }
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.0, "{:INDENT$}{}", "", text.trim_end());
    }

    fn pair(&mut self, name: &str, value: &str) {
        self.wrapped(&format!("{name:<18} "), value);
    }

    fn item(&mut self, text: &str) {
        self.wrapped("- ", text);
    }

    fn paragraph(&mut self, text: &str) {
        self.wrapped("", text);
    }

    /// Further lines stand below the first one's text. A word that is longer than a line stays
    /// whole: it may be a command.
    fn wrapped(&mut self, lead: &str, text: &str) {
        let hang = lead.chars().count();
        let room = WIDTH.saturating_sub(INDENT + hang);
        let mut line = String::new();
        let mut first = true;
        for word in text.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
                self.put(lead, hang, &line, first);
                first = false;
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        self.put(lead, hang, &line, first);
    }

    fn put(&mut self, lead: &str, hang: usize, line: &str, first: bool) {
        let lead = if first { lead } else { "" };
        self.line(&format!("{lead:<hang$}{line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hang_below_their_first() {
        let mut page = Page::default();
        page.pair("name", &"word ".repeat(40));
        let lines: Vec<&str> = page.0.lines().collect();
        assert!(lines.len() > 1);
        assert!(lines[0].starts_with("  name") && lines[1].starts_with(&" ".repeat(21)));
        assert!(lines.iter().all(|line| line.len() <= WIDTH));
        assert_eq!(page.0.matches("word").count(), 40);
    }

    #[test]
    fn a_long_word_stays_whole() {
        let mut page = Page::default();
        page.item(&"x".repeat(200));
        assert!(page.0.contains(&"x".repeat(200)));
    }

    #[test]
    fn of_many_groups_the_first_are_shown() {
        let lists: Vec<String> = (0..16).map(|i| i.to_string()).collect();
        assert_eq!(shortened(&lists), "0; 1; 2; 3; …");
        assert_eq!(shortened(&lists[..2]), "0; 1");
    }
}
