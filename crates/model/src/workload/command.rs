//! `command`: another program is the workload.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Around, Cell, Parameters};
use crate::checked::Texts;
use crate::factor::{BadValue, Hash, Memory, Placement, Ramp, Span, Until};
use crate::throughput::{self, Throughput};

/// The parameters of a trial: the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Program and arguments, the factors already put in.
    pub argv: Vec<String>,
    /// Variables added to the environment.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// The working folder; without it, the runner's own.
    #[serde(default)]
    pub folder: Option<String>,
    /// Where the program's throughput stands in its output; `None` of one whose end alone is looked at.
    #[serde(default)]
    pub throughput: Option<Throughput>,
    /// The unit of that number, for `metrics.csv`.
    #[serde(default)]
    pub unit: String,
    /// Further numbers of its output, by their names.
    #[serde(default)]
    pub metrics: BTreeMap<String, Number>,
    /// Which number is the better one.
    #[serde(default)]
    pub better: Better,
    /// Millions of operations in one of that unit, if it is a rate, or a second at one of that unit, if
    /// it is a time: `mops_per_s` is filled with it. Without it the common columns stay empty.
    #[serde(default)]
    pub mops_per_unit: Option<f64>,
    /// Whether that number is the mean of the threads, so that the rate of all is the number times
    /// the threads.
    #[serde(default)]
    pub per_thread: bool,
}

/// Which of two numbers of a program is the better one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// The number is a rate.
    #[default]
    Higher,
    /// The number is the time of an operation.
    Lower,
}

impl Command {
    /// Puts a trial's seed into its texts.
    pub fn set_seed(&mut self, seed: u64) {
        let texts = self.argv.iter_mut().chain(self.env.iter_mut().map(|(_, value)| value));
        for text in texts.filter(|text| text.contains(SEED)) {
            *text = text.replace(SEED, &seed.to_string());
        }
    }

    /// Millions of operations a second of `threads` threads, if the program printed `value`; `None` where
    /// the definition does not say how one follows from the other, or an operation took no time.
    pub fn mops_per_s(&self, value: f64, threads: u32) -> Option<f64> {
        let of_one = match self.better {
            Better::Higher => value * self.mops_per_unit?,
            Better::Lower => self.mops_per_unit? / value,
        };
        let of_all = if self.per_thread { f64::from(threads) } else { 1.0 };
        Some(of_one * of_all).filter(|mops| mops.is_finite())
    }
}

/// A number in what a program prints, where it prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// A regular expression; its group `value` (or its first) is the number.
    pub regex: String,
    /// The unit of that number.
    #[serde(default)]
    pub unit: String,
}

/// The definition's table `[command]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Keys")]
pub struct Table {
    /// Program and arguments, with `{threads}`, `{duration}` (whole seconds, at least 1) and the
    /// other factors by name in braces.
    pub argv: Vec<String>,
    /// Variables added to the environment.
    pub env: BTreeMap<String, String>,
    /// The working folder.
    pub folder: Option<String>,
    /// Where the program's throughput stands in its output; `None` of one whose end alone is looked at.
    pub throughput: Option<Throughput>,
    /// The unit of that number.
    pub unit: String,
    /// Further numbers of its output, by their names.
    pub metrics: BTreeMap<String, Number>,
    /// Which number is the better one.
    pub better: Better,
    /// Millions of operations in one of that unit, or a second at one of that unit.
    pub mops_per_unit: Option<f64>,
    /// Whether that number is the mean of the threads.
    pub per_thread: bool,
    /// How to get the program, for the message when it is not installed.
    pub install: Option<String>,
}

/// The table as it is written: in a definition with `regex` or `pointer`, in a manifest with
/// `throughput`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    argv: Texts,
    #[serde(default)]
    env: BTreeMap<String, String>,
    folder: Option<String>,
    regex: Option<String>,
    pointer: Option<String>,
    throughput: Option<Throughput>,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    metrics: BTreeMap<String, Number>,
    #[serde(default)]
    better: Better,
    #[serde(default, deserialize_with = "crate::checked::above_zero")]
    mops_per_unit: Option<f64>,
    #[serde(default)]
    per_thread: bool,
    install: Option<String>,
}

impl TryFrom<Keys> for Table {
    type Error = &'static str;

    fn try_from(keys: Keys) -> Result<Table, &'static str> {
        let throughput = match (keys.regex, keys.pointer, keys.throughput) {
            (Some(regex), None, None) => Some(Throughput::Regex(regex)),
            (None, Some(pointer), None) => Some(Throughput::Pointer(pointer)),
            (None, None, throughput) => throughput,
            _ => {
                return Err(
                    "it takes one of regex and pointer: where the throughput stands in the output",
                );
            }
        };
        if throughput.is_some() && keys.unit.is_empty() {
            return Err("it needs unit: that of the number which regex or pointer finds");
        }
        if throughput.is_none() && keys.mops_per_unit.is_some() {
            return Err("mops_per_unit needs regex or pointer: where the number stands");
        }
        if keys.better == Better::Lower && keys.mops_per_unit.is_none() {
            return Err(
                "with better = \"lower\" it needs mops_per_unit, the millions of operations a \
                        second at one of that unit: 1000 for a number in ns an operation",
            );
        }
        Ok(Table {
            argv: keys.argv.0,
            env: keys.env,
            folder: keys.folder,
            throughput,
            unit: keys.unit,
            metrics: keys.metrics,
            better: keys.better,
            mops_per_unit: keys.mops_per_unit,
            per_thread: keys.per_thread,
            install: keys.install,
        })
    }
}

impl Table {
    /// Refuses what no trial can be made of, with the key: an expression that is none, a name in braces
    /// that is no factor.
    ///
    /// # Errors
    /// The key below `command`, and what is wrong with it.
    pub fn check(&self) -> Result<(), (&'static str, BadValue)> {
        if let Some(throughput) = &self.throughput {
            let key = match throughput {
                Throughput::Regex(_) => "regex",
                Throughput::Pointer(_) => "pointer",
            };
            throughput.form().map_err(|problem| (key, problem))?;
        }
        for number in self.metrics.values() {
            throughput::regex(&number.regex).map_err(|problem| ("metrics", problem))?;
        }
        // Which values the factors have does not matter.
        let around = Around {
            threads: 1,
            ramp: Ramp::Burst,
            hash: Hash::Auto,
            placement: &Placement::Unpinned,
            memory: &Memory::Default,
            duration: Span::from_ms(1000),
            until: Until::Duration,
        };
        let texts = self.argv.iter().map(|text| ("argv", text));
        let texts = texts.chain(self.env.values().map(|text| ("env", text)));
        for (key, text) in texts {
            fill(text, &around).map_err(|problem| (key, problem))?;
        }
        Ok(())
    }
}

impl Parameters for Command {
    const NAME: &'static str = "command";

    const OPS_A_COUNT: u64 = 1;

    const HAS_PRIVATE_HASH: bool = false;

    fn of(cell: &Cell<'_>) -> Result<Self, BadValue> {
        let table = cell.command.ok_or_else(|| {
            BadValue::new("workload", Self::NAME, "one whose table is in the definition")
                .because("it needs a table [command] with argv")
        })?;
        let fill = |text: &String| fill(text, &cell.around);
        Ok(Command {
            argv: table.argv.iter().map(fill).collect::<Result<_, _>>()?,
            env: table
                .env
                .iter()
                .map(|(name, value)| Ok((name.clone(), fill(value)?)))
                .collect::<Result<_, BadValue>>()?,
            folder: table.folder.clone(),
            throughput: table.throughput.clone(),
            unit: table.unit.clone(),
            metrics: table.metrics.clone(),
            better: table.better,
            mops_per_unit: table.mops_per_unit,
            per_thread: table.per_thread,
        })
    }

    /// Refuses a command that can't be run or read; whether its program exists is not decided here.
    fn check(&self, trial: &Around<'_>) -> Result<(), BadValue> {
        let name = self.argv.first().map_or("", String::as_str);
        if name.is_empty() {
            return Err(BadValue::new("command.argv", name, "a program's name, and its arguments")
                .because("it has no program"));
        }
        let texts = self.argv.iter().chain(self.env.iter().flat_map(|(key, value)| [key, value]));
        if let Some(text) = texts.into_iter().find(|text| text.contains('\0')) {
            return Err(BadValue::new("command", text, "texts without a zero byte"));
        }
        if let Some((name, _)) = self.env.iter().find(|(k, _)| k.is_empty() || k.contains('=')) {
            return Err(BadValue::new("command.env", name, "a variable's name"));
        }
        if let Some(factor) = self.mops_per_unit.filter(|x| !(x.is_finite() && *x > 0.0)) {
            return Err(BadValue::new("command.mops_per_unit", factor, "a number above 0"));
        }
        if let Some(throughput) = &self.throughput {
            throughput.form()?;
        }
        for number in self.metrics.values() {
            throughput::regex(&number.regex)?;
        }
        let makes_its_own = "with the workload command the program makes its threads itself";
        if !matches!(trial.ramp, Ramp::Burst) {
            return Err(BadValue::new("ramp", trial.ramp, "`burst`").because(makes_its_own));
        }
        if trial.until != Until::Duration {
            return Err(BadValue::new("until", trial.until, "`duration`")
                .because("with the workload command the program's end is the trial's"));
        }
        match trial.placement {
            Placement::Unpinned | Placement::Cpus(_) | Placement::Node(_) => Ok(()),
            Placement::Pin(_) | Placement::Compact | Placement::Scatter => {
                Err(BadValue::new("placement", trial.placement, "`unpinned`, `cpus:` and `node:`")
                    .because(makes_its_own))
            }
        }
    }
}

/// Stands in a text for the trial's seed until the trial has one: no keyboard writes it.
const SEED: &str = "\u{e000}";

/// Puts the factors into a text of the command. `{{` and `}}` are braces.
fn fill(text: &str, around: &Around<'_>) -> Result<String, BadValue> {
    let bad = |reason: String| {
        BadValue::new(
            "command",
            text,
            "{threads}, {duration}, {duration_ms}, {seed}, {hash}, {slots}, {ramp}, {placement} and {memory}",
        )
        .because(reason)
    };
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            filled.push_str(&rest[..1]);
            rest = after;
            continue;
        }
        let name = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let Some((name, after)) = name else {
            return Err(bad("a brace stands alone; a plain one is written twice".to_string()));
        };
        filled.push_str(&match name {
            "threads" => around.threads.to_string(),
            "duration" => around.duration.seconds().ceil().max(1.0).to_string(),
            "duration_ms" => (around.duration.ns() / 1_000_000).to_string(),
            "hash" => around.hash.to_string(),
            "slots" => match around.hash {
                Hash::Slots { slots, .. } => slots.to_string(),
                Hash::Auto | Hash::Global => "0".to_string(),
            },
            "ramp" => around.ramp.to_string(),
            "placement" => around.placement.to_string(),
            "memory" => around.memory.to_string(),
            "seed" => SEED.to_string(),
            other => return Err(bad(format!("{{{other}}} is no factor"))),
        });
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_takes_the_factors() {
        let around = Around {
            threads: 12,
            ramp: Ramp::Burst,
            hash: Hash::Auto,
            placement: &Placement::Unpinned,
            memory: &Memory::Default,
            duration: Span::from_ms(300),
            until: Until::Duration,
        };
        let fill = |text| fill(text, &around).map_err(|error| error.to_string());
        assert_eq!(fill("-t {threads} -r {duration} {{x}}").unwrap(), "-t 12 -r 1 {x}");
        assert!(fill("{thread}").unwrap_err().contains("no factor"));
        assert!(fill("{threads").unwrap_err().contains("brace"));
        assert!(fill("a}").is_err());
    }

    #[test]
    fn a_time_that_is_better_when_lower_is_a_rate_too() {
        let table = |better: &str| {
            format!("argv = \"a\"\nregex = \"(.+) ns/op\"\nunit = \"ns/op\"\n{better}")
        };
        let read = |text: &str| toml::from_str::<Table>(text);
        assert_eq!(read(&table("")).unwrap().better, Better::Higher);
        let without = read(&table("better = \"lower\"")).unwrap_err().to_string();
        assert!(without.contains("needs mops_per_unit"), "{without}");
        let table = read(&table("better = \"lower\"\nmops_per_unit = 1000")).unwrap();
        let mut command = Command {
            argv: table.argv,
            env: Vec::new(),
            folder: None,
            throughput: table.throughput,
            unit: table.unit,
            metrics: table.metrics,
            better: table.better,
            mops_per_unit: table.mops_per_unit,
            per_thread: false,
        };
        assert_eq!(command.mops_per_s(400.0, 8), Some(2.5));
        assert_eq!(command.mops_per_s(0.0, 8), None);
        command.per_thread = true;
        assert_eq!(command.mops_per_s(400.0, 8), Some(20.0));
        command.better = Better::Higher;
        assert_eq!(command.mops_per_s(2.0, 1), Some(2000.0));
    }
}
