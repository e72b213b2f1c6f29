//! What a comparison holds, in which order: the verdict, the figures, stalls by stratum, recovery,
//! throughput, harm, what the verdict would be otherwise, how it was measured, how to do it again.

use analysis::compare::checks::Check;
use analysis::compare::cost::CostOf;
use analysis::compare::harm_finding::HarmFinding;
use analysis::compare::recovery::StratumRecovery;
use analysis::compare::strata::Stratum;
use analysis::compare::units::Unit;
use analysis::compare::{Comparison, Which};
use analysis::run::Run;
use stats::said::survival::note;
use stats::survival::{PointwiseMethod, notes};
use stats::two_by_two::Contrast;
use stats::words::{
    counted, list, p_is, p_value, percent, percent_to, seconds, significant, times,
};
use stats::{Estimate, Interval};

use super::circumstances;
use super::mail::WIDTH;
use super::numbers::with_interval;
use super::room::Room;
use super::shell::quoted;
use super::{Block, Table};
use crate::figure::Drawn;
use crate::say::compare as say;
use crate::say::compare::checks::of_side;
use crate::say::compare::recovery::ratio_in_words;
use crate::say::compare::{sensitivity as scenarios, verdict};
use crate::say::word::{HAD_NONE, IS, PLURAL, capital};

/// The title.
pub fn title(comparison: &Comparison) -> String {
    format!(
        "`{}` against `{}`: {}",
        comparison.test.name,
        comparison.base.name,
        verdict::word(comparison.verdict.kind)
    )
}

/// All of it.
pub fn blocks(comparison: &Comparison, figures: Vec<Drawn>, room: Room) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(1, title(comparison))];
    blocks.extend(answer(comparison));
    if !figures.is_empty() {
        blocks.push(Block::Heading(2, "Figures".into()));
        blocks.extend(figures.into_iter().map(Block::Figure));
    }
    blocks.extend(stalls(comparison, room));
    blocks.extend(pooled(comparison));
    blocks.extend(recovery(comparison, room));
    blocks.extend(throughput(comparison, room));
    blocks.extend(harm(comparison));
    blocks.extend(sensitivity(comparison));
    blocks.extend(sides(comparison));
    blocks.push(Block::Heading(2, "To do it again".into()));
    let mut commands = Vec::new();
    for side in Which::BOTH {
        for run in &comparison.side(side).runs {
            let line = shell(&run.command_into_its_folder());
            if !line.is_empty() && !commands.contains(&line) {
                commands.push(line);
            }
        }
    }
    commands.push(shell(&say::again::words(comparison)));
    blocks.push(Block::Code(commands.join("\n")));
    blocks
}

fn shell(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<String>>().join(" ")
}

/// All sentences: the answer, then what else is to be known.
fn answer(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![Block::Paragraph(say::answer(comparison).join(" "))];
    blocks.extend(say::details(comparison).into_iter().map(Block::Paragraph));
    let torn: Vec<String> = runs(comparison)
        .into_iter()
        .filter_map(|run| run.torn.as_ref())
        .map(crate::say::damage::torn_line)
        .collect();
    if !torn.is_empty() {
        blocks.push(Block::Heading(2, "To be kept in mind".into()));
        blocks.push(Block::List(torn));
    }
    blocks
}

/// What a terminal shows: the answer, the strata, and a line each of harm, cost and trust; with details
/// all sentences and the times to recovery.
pub fn summary(comparison: &Comparison, details: bool) -> Vec<Block> {
    if details {
        let mut blocks = answer(comparison);
        blocks.extend(stalls(comparison, Room::Narrow));
        blocks.extend(recovery(comparison, Room::Narrow));
        return blocks;
    }
    let mut blocks = vec![Block::Paragraph(say::answer(comparison).join(" "))];
    blocks.extend(stalls_table(comparison, Room::Narrow));
    blocks.extend(say::lines(comparison).into_iter().map(Block::Paragraph));
    blocks.push(Block::Paragraph(
        "More: `--details`, or all of it by `--format mail` and `--out DIR`.".into(),
    ));
    blocks
}

/// The runs of both sides, each once.
fn runs(comparison: &Comparison) -> Vec<&Run> {
    let mut runs: Vec<&Run> = Vec::new();
    for run in comparison.base.runs.iter().chain(&comparison.test.runs) {
        if runs.iter().all(|other| other.folder != run.folder) {
            runs.push(run);
        }
    }
    runs
}

fn interval(estimate: Option<f64>, interval: Option<&Interval>, digits: usize) -> String {
    let value = estimate.map_or_else(|| "-".to_string(), |value| significant(value, digits));
    with_interval(&value, interval.and_then(|i| i.low), interval.and_then(|i| i.high), digits)
}

fn estimate(of: Estimate, digits: usize) -> String {
    let value = of.estimate.map_or_else(|| "-".to_string(), |value| significant(value, digits));
    with_interval(&value, of.low, of.high, digits)
}

/// A ratio of throughputs.
fn ratio(of: Estimate) -> String {
    match (of.estimate, of.low, of.high) {
        (None, ..) => "-".to_string(),
        (Some(ratio), Some(low), Some(high)) => {
            format!("{} ({} to {})", times(ratio), times(low), times(high))
        }
        (Some(ratio), ..) => times(ratio),
    }
}

/// A difference of shares in percentage points: `-17 (-36 to 1)`.
fn points(of: &Contrast) -> String {
    let whole = |share: f64| percent_to(share, 0);
    let Some(value) = of.estimate.map(whole) else { return "-".to_string() };
    match of.intervals.first().and_then(|i| Some((i.low?, i.high?))) {
        // From −100 to 100 is no interval.
        Some((low, high)) if low > -1.0 || high < 1.0 => {
            format!("{value} ({} to {})", whole(low), whole(high))
        }
        _ => value,
    }
}

fn is(p: Option<f64>) -> String {
    p.map_or_else(|| "no p-value".to_string(), p_is)
}

fn p(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_string(), p_value)
}

/// Names for the first column: whole, without what goes without saying where the room is narrow, or
/// numbers with a list of what they stand for.
struct Names {
    /// The head of their column.
    head: &'static str,
    names: Vec<String>,
    legend: Option<Vec<String>>,
}

const STRATUM: &str = "stratum";

/// The head of strata whose names have lost the word behind their first number.
const THREADS: &str = "threads, and the rest";

/// `192, burst` of `192 threads, burst`.
fn bare_count(name: &str) -> String {
    match name.split_once(" thread") {
        Some((count, rest)) => count.to_string() + rest.strip_prefix('s').unwrap_or(rest),
        None => name.to_string(),
    }
}

impl Names {
    /// Of strata, with `beside` columns taken by what stands beside them.
    fn of<'a>(strata: impl Iterator<Item = &'a Stratum>, beside: usize, room: Room) -> Names {
        let whole: Vec<String> = strata.map(|stratum| stratum.name.clone()).collect();
        let fits = |head: &str, names: &[String]| {
            let texts = names.iter().map(String::as_str).chain([head]);
            let longest = texts.map(|text| text.chars().count()).max().unwrap_or(0);
            room == Room::Wide || longest + beside <= WIDTH
        };
        if fits(STRATUM, &whole) {
            return Names { head: STRATUM, names: whole, legend: None };
        }
        let brief: Vec<String> = whole.iter().map(|name| name.replace("machine=", "")).collect();
        if fits(STRATUM, &brief) {
            return Names { head: STRATUM, names: brief, legend: None };
        }
        let briefer: Vec<String> = brief.iter().map(|name| bare_count(name)).collect();
        if fits(THREADS, &briefer) {
            return Names { head: THREADS, names: briefer, legend: None };
        }
        let names = (1..=whole.len()).map(|at| format!("#{at}")).collect();
        Names { head: STRATUM, names, legend: Some(whole) }
    }

    /// The rows with their names before them.
    fn before(&self, rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
        let named = self.names.iter().cloned().zip(rows);
        named.map(|(name, row)| std::iter::once(name).chain(row).collect()).collect()
    }

    fn legend(&self) -> Option<Block> {
        let names = self.legend.as_ref()?.iter().enumerate();
        Some(Block::List(names.map(|(at, name)| format!("#{} {name}", at + 1)).collect()))
    }
}

/// The table of stalls by stratum, with its legend.
fn stalls_table(comparison: &Comparison, room: Room) -> Vec<Block> {
    let level = percent(comparison.level.get());
    let mut header = vec![STRATUM.to_string(), "base".into(), "test".into()];
    header.push(match room {
        Room::Wide => format!("test minus base, % points ({level})"),
        Room::Narrow => format!("% points ({level})"),
    });
    if room == Room::Wide {
        header.push(format!("share of {PLURAL} gone ({level})"));
    }
    header.push(if comparison.efficacy.strata.len() > 1 { "p (Holm)" } else { "p" }.into());
    if room == Room::Wide {
        header.push("failed, base and test".into());
    }
    let found = &comparison.efficacy.strata;
    let of = |at: usize| comparison.strata.get(at);
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|found| {
            let effect = &found.effect;
            let mut row = vec![
                format!("{} of {}", found.base.k, found.base.n),
                format!("{} of {}", found.test.k, found.test.n),
                points(&effect.difference),
            ];
            if room == Room::Wide {
                row.push(estimate(effect.reduction, 3));
            }
            row.push(p(found.p_holm));
            if room == Room::Wide {
                let failed = of(found.stratum).map_or((0, 0), |s| (s.base.failed, s.test.failed));
                row.push(format!("{} and {}", failed.0, failed.1));
            }
            row
        })
        .collect();
    let names = Names::of(
        found.iter().filter_map(|found| of(found.stratum)),
        beside(&header[1..], &rows),
        room,
    );
    header[0] = names.head.to_string();
    let rows = names.before(rows);
    let mut blocks = vec![Block::Table(Table { header, texts: 1, rows })];
    blocks.extend(names.legend());
    blocks
}

/// The stalls by stratum.
fn stalls(comparison: &Comparison, room: Room) -> Vec<Block> {
    let (base, test) = (&comparison.base, &comparison.test);
    let rule = crate::say::rule::in_words(&base.stall, base.control.as_ref());
    let rules = match base.stall == test.stall {
        true => rule,
        false => format!(
            "{rule} (base side), and when {} (test side)",
            crate::say::rule::in_words(&test.stall, test.control.as_ref())
        ),
    };
    let mut blocks = vec![
        Block::Heading(2, capital(PLURAL)),
        Block::Paragraph(format!(
            "Base is `{}`, test is `{}`. A trial {IS} when {rules}. p is the verdict's test within the \
             stratum, adjusted over the strata by Holm's method.",
            base.name, test.name
        )),
    ];
    blocks.extend(stalls_table(comparison, room));
    blocks
}

/// How wide all but the first column of a table is, with its gaps.
fn beside(header: &[String], rows: &[Vec<String>]) -> usize {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.chain(header.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    (0..header.len()).map(|column| width(column) + 2).sum::<usize>() + 2
}

/// The pooled numbers.
fn pooled(comparison: &Comparison) -> Vec<Block> {
    let pooled = &comparison.efficacy.pooled;
    if comparison.efficacy.strata.len() < 2 {
        return Vec::new();
    }
    let level = percent(comparison.level.get());
    let row = |name: &str, value: String| vec![name.to_string(), value];
    let (difference, ratio) = (&pooled.effect.difference, &pooled.effect.ratio);
    let homogeneity = match pooled.homogeneity.p_value {
        Some(value) => format!("Breslow-Day-Tarone, {} for one odds ratio", p_is(value)),
        None => {
            "can't be tested: fewer than two strata tell anything of the odds ratio".to_string()
        }
    };
    let rows = vec![
        row("difference", format!("{} % points, Mantel-Haenszel, {level}", points(difference))),
        row(
            "ratio",
            format!(
                "{}, Mantel-Haenszel with Miettinen and Nurminen's interval, {level}",
                interval(ratio.estimate, ratio.intervals.first(), 3)
            ),
        ),
        row(
            "test",
            format!(
                "{}, two-sided, {}",
                is(pooled.primary.p_value),
                match pooled.primary.method {
                    "exact-strata" => "exact, conditional on every stratum's margins",
                    "permutation-clusters" => "permutation of whole boots or stretches",
                    _ => "Cochran-Mantel-Haenszel",
                }
            ),
        ),
        row(&format!("homogeneity of {PLURAL}"), homogeneity),
    ];
    vec![
        Block::Heading(2, "Over all strata".into()),
        Block::Table(Table { header: vec!["what".into(), "is".into()], texts: 2, rows }),
    ]
}

/// How long a due growth stayed behind, by stratum: in a mail two tables, so that each number keeps its
/// interval.
fn recovery(comparison: &Comparison, room: Room) -> Vec<Block> {
    let found = &comparison.recovery.strata;
    if found.is_empty() {
        return Vec::new();
    }
    let level = percent(comparison.level.get());
    let times_header: Vec<String> =
        ["base", "median, s", "test", "median, s"].map(Into::into).into();
    let times = |one: &StratumRecovery| -> Vec<String> {
        let groups = one.summary.groups.iter();
        groups
            .flat_map(|group| {
                let median = group.median;
                let median = match (median.estimate, median.low, room) {
                    (None, Some(low), _) => format!("above {}", significant(low, 2)),
                    (None, None, _) => "-".to_string(),
                    (Some(median), _, Room::Narrow) => significant(median, 3),
                    (Some(_), _, Room::Wide) => estimate(median, 3),
                };
                [format!("{} of {}", group.events, group.n), median]
            })
            .collect()
    };
    let by_trials = comparison.recovery.unit == Unit::Trial;
    let tests_header = match by_trials {
        true => vec!["log-rank p".to_string(), "p, Holm".to_string()],
        false => Vec::new(),
    };
    let tests = |one: &StratumRecovery| {
        if !by_trials {
            return Vec::new();
        }
        let raw = one.summary.tests.first().and_then(|test| test.result.p_value);
        vec![p(raw), p(one.p_holm)]
    };
    let level = if by_trials { format!(" ({level})") } else { String::new() };
    let mean = match room {
        Room::Wide => "restricted mean, test minus base, s",
        Room::Narrow => "mean diff., s",
    };
    let effects_header =
        vec![format!("hazard ratio{level}"), format!("{mean}{level}"), "up to".to_string()];
    let effects = |one: &StratumRecovery| {
        let ratio = one.hazard_ratio().and_then(ratio_in_words);
        let difference = one.mean_difference();
        vec![
            ratio.unwrap_or_else(|| "-".to_string()),
            difference.map_or_else(String::new, |difference| {
                let (low, high) = (difference.low, difference.high);
                estimate(Estimate { estimate: difference.estimate, low, high }, 3)
            }),
            difference.map_or_else(String::new, |difference| seconds(difference.until)),
        ]
    };
    type Row<'a> = Box<dyn Fn(&StratumRecovery) -> Vec<String> + 'a>;
    let tables: Vec<(Vec<String>, Row<'_>)> = match room {
        Room::Wide => vec![(
            [times_header, effects_header, tests_header].concat(),
            Box::new(|one| [times(one), effects(one), tests(one)].concat()),
        )],
        Room::Narrow => vec![
            (
                [times_header, tests_header].concat(),
                Box::new(|one| [times(one), tests(one)].concat()),
            ),
            (effects_header, Box::new(effects)),
        ],
    };
    let rows: Vec<Vec<Vec<String>>> =
        tables.iter().map(|(_, row)| found.iter().map(row).collect()).collect();
    let widest = tables.iter().zip(&rows).map(|((header, _), rows)| beside(header, rows)).max();
    let strata = found.iter().filter_map(|found| comparison.strata.get(found.stratum));
    // The same names in both tables.
    let names = Names::of(strata, widest.unwrap_or(0), room);
    let mut text = "Trials in which a due growth was installed under load, of those in which it was due; \
                    what was pending at the end is censored, not dropped. A hazard ratio above 1, or a \
                    restricted mean below 0, is a quicker test side."
        .to_string();
    if !by_trials {
        text += " Trials that share a boot or a stretch of time are not independent, so a single stratum has \
                 no interval and no test.";
    }
    for note in recovery_notes(found) {
        text += &format!(" {note}");
    }
    let mut blocks = vec![Block::Heading(2, "Recovery".into()), Block::Paragraph(text)];
    for ((header, _), rows) in tables.into_iter().zip(rows) {
        let header = std::iter::once(names.head.to_string()).chain(header).collect();
        blocks.push(Block::Table(Table { header, texts: 1, rows: names.before(rows) }));
    }
    blocks.extend(names.legend());
    let homogeneity = comparison.recovery.homogeneity.as_ref();
    if let Some(value) = homogeneity.and_then(|homogeneity| homogeneity.test.p_value) {
        let none = match comparison.recovery.ratios_differ {
            true => ": none is given for all of them",
            false => ", which few growths can't refute",
        };
        blocks.push(Block::Paragraph(format!(
            "One hazard ratio in all strata: {} by the likelihood ratio of side by stratum in Cox's \
             stratified model{none}.",
            p_is(value)
        )));
    }
    blocks
}

/// What the numbers of single strata lack or cannot carry; of all together it is said with their test.
fn recovery_notes(found: &[StratumRecovery]) -> Vec<String> {
    let groups = || found.iter().flat_map(|one| &one.summary.groups);
    let fewest = groups().map(|group| group.n).min().unwrap_or_default();
    let mut said: Vec<String> =
        notes::few_trials(fewest, PointwiseMethod::default()).iter().map(note).collect();
    let events = |one: &StratumRecovery, side: usize| {
        one.summary.groups.get(side).map_or(0, |group| group.events)
    };
    let least = found.iter().min_by_key(|one| events(one, 0).min(events(one, 1)));
    if let Some(least) = least.filter(|_| found.len() > 1) {
        let sides = [("base", events(least, 0)), ("test", events(least, 1))];
        let named = sides.map(|(side, events)| (format!("{side} of {}", least.name), events));
        let few = notes::few_events([
            (named[0].0.as_str(), named[0].1),
            (named[1].0.as_str(), named[1].1),
        ]);
        said.extend(few.iter().map(note));
    }
    let certain = |one: &StratumRecovery| {
        let of = one.summary.contrasts.first().map(|contrast| &contrast.rmst_difference);
        of.is_some_and(|of| of.estimate.is_some() && of.low.is_none())
    };
    if found.iter().any(certain) {
        said.push(
            "A difference of means without an interval has a side with no event, or all at one time, \
             before then: its variance estimate is 0, which is not to know its mean exactly."
                .into(),
        );
    }
    said
}

fn throughput(comparison: &Comparison, room: Room) -> Vec<Block> {
    let cost = &comparison.cost;
    let level = percent(comparison.level.get());
    let mut blocks = Vec::new();
    for (of, what) in [
        (&cost.control, "Throughput of the controls"),
        (&cost.unstalled, &format!("Throughput of the trials that {HAD_NONE}")),
    ] {
        let CostOf { strata, .. } = of;
        if strata.is_empty() {
            continue;
        }
        let mut header = vec![
            STRATUM.to_string(),
            "values".into(),
            "base, Mops/s".into(),
            "test, Mops/s".into(),
            format!("ratio ({level})"),
        ];
        let rows: Vec<Vec<String>> = strata
            .iter()
            .map(|one| {
                vec![
                    format!("{} and {}", one.base.n, one.test.n),
                    significant(one.base.median, 4),
                    significant(one.test.median, 4),
                    ratio(one.ratio),
                ]
            })
            .collect();
        let of_strata = strata.iter().filter_map(|one| comparison.strata.get(one.stratum));
        let names = Names::of(of_strata, beside(&header[1..], &rows), room);
        header[0] = names.head.to_string();
        let rows = names.before(rows);
        blocks.push(Block::Heading(2, what.into()));
        blocks.push(Block::Table(Table { header, texts: 1, rows }));
        blocks.extend(names.legend());
    }
    if !blocks.is_empty() {
        blocks.push(Block::Paragraph(format!(
            "Medians; ratios of medians with the percentile bootstrap ({} resamples, seed {}), without \
             an interval where a side has fewer than 5 values.",
            comparison.resampling.resamples, comparison.resampling.seed
        )));
    }
    blocks
}

/// The most functional checks that are listed one by one.
const MOST_CHECKS: usize = 40;

fn harm(comparison: &Comparison) -> Vec<Block> {
    let harm = &comparison.harm;
    let of = |what: &str, [k, n]: [u64; 2]| match (n, what) {
        (0, "kernel complaint") => "not watched".to_string(),
        (0, _) => "not recorded".to_string(),
        _ => format!("{k} of {n}"),
    };
    let rows: Vec<Vec<String>> = harm
        .events
        .iter()
        .map(|event| {
            let side = |counts| of(event.what, counts);
            vec![event.what.to_string(), side(event.base), side(event.test), p(event.p_holm)]
        })
        .collect();
    let header = |first: &str, last: &str| -> Vec<String> {
        [first, "base", "test", last].map(str::to_string).into()
    };
    let mut blocks = vec![
        Block::Heading(2, "Harm".into()),
        Block::Table(Table { header: header("trials with", "p, Holm"), texts: 1, rows }),
    ];
    blocks.extend(checks(&harm.checks, &header("check", "p")));
    blocks
}

/// Functional checks. Of many, those that failed somewhere or lack on a side come first.
fn checks(all: &[Check], header: &[String]) -> Vec<Block> {
    if all.is_empty() {
        return Vec::new();
    }
    let passed =
        |side: Option<[u64; 2]>| side.is_some_and(|[passed, failed]| passed > 0 && failed == 0);
    let mut shown: Vec<&Check> = all.iter().collect();
    if shown.len() > MOST_CHECKS {
        shown.sort_by_key(|check| {
            (check.finding != HarmFinding::Found, passed(check.base) && passed(check.test))
        });
        shown.truncate(MOST_CHECKS);
    }
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|check| {
            let name: String = check.name.chars().take(44).collect();
            vec![name, of_side(check.base), of_side(check.test), p(check.deciding_p())]
        })
        .collect();
    let longest = rows.iter().map(|row| row[0].chars().count()).max().unwrap_or(0);
    let mut blocks = Vec::new();
    if longest + beside(&header[1..], &[]) > WIDTH || longest > 25 {
        let with_p = |row: &Vec<String>| match row[3].as_str() {
            "-" => String::new(),
            p => format!("; p {p}"),
        };
        let items = rows
            .iter()
            .map(|row| format!("{}: {} (base); {} (test){}", row[0], row[1], row[2], with_p(row)))
            .collect();
        blocks.push(Block::Paragraph("Functional checks:".into()));
        blocks.push(Block::List(items));
    } else {
        blocks.push(Block::Table(Table { header: header.to_vec(), texts: 1, rows }));
    }
    if all.len() > shown.len() {
        let rest = counted((all.len() - shown.len()) as u64, "more check is", "more checks are");
        blocks.push(Block::Paragraph(format!("{rest} in compare.json.")));
    }
    if all.iter().any(|check| check.finding == HarmFinding::Found && check.deciding_p().is_none()) {
        blocks.push(Block::Paragraph(
            "A check that never failed on the base side and fails on the test side regressed by rule, \
             without a test."
                .into(),
        ));
    }
    blocks
}

fn sensitivity(comparison: &Comparison) -> Vec<Block> {
    if comparison.sensitivity.is_empty() {
        return Vec::new();
    }
    let items = comparison
        .sensitivity
        .iter()
        .map(|one| {
            let same = if one.changes { "" } else { ", the same" };
            format!(
                "{}{same}, if {}",
                verdict::word(one.verdict),
                scenarios::scenario(one.scenario)
            )
        })
        .collect();
    vec![Block::Heading(2, "The verdict would be".into()), Block::List(items)]
}

/// What was compared with what, and where.
fn sides(comparison: &Comparison) -> Vec<Block> {
    let mut rows = Vec::new();
    let mut say = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
    for told in &comparison.told_by {
        let values = |values: &[String]| -> String {
            let shown = |value: &String| match value.is_empty() {
                true => "none".to_string(),
                false => format!("`{value}`"),
            };
            list(&values.iter().map(shown).collect::<Vec<String>>())
        };
        say(
            &format!("told apart by {}", told.key),
            format!("{} against {}", values(&told.base), values(&told.test)),
        );
    }
    for which in Which::BOTH {
        let side = comparison.side(which);
        let runs: Vec<String> = side.runs.iter().map(|run| format!("`{}`", run.name())).collect();
        say(
            which.name(),
            format!(
                "{}: {}, of which {} failed; {}",
                side.name,
                counted(side.trials, "trial", "trials"),
                side.failed,
                list(&runs)
            ),
        );
        say(&format!("{}, kernel", which.name()), list(&side.kernels));
    }
    for (side, machines) in
        [("base", &comparison.machines.base), ("test", &comparison.machines.test)]
    {
        if !machines.is_empty() {
            say(&format!("{side}, machine"), list(machines));
        }
    }
    let rules = comparison.verdict.rules;
    say(
        "rules",
        format!(
            "level {}, fixed below {}, margin of the cost {}, a relevant effect is {} times the base's \
             stalls (docs/reference/verdict.md)",
            percent(rules.level.get()),
            percent(rules.fixed_below),
            percent(comparison.cost.margin),
            significant(rules.relevant_ratio, 3)
        ),
    );
    let mut blocks = vec![
        Block::Heading(2, "What was compared".into()),
        Block::Table(Table { header: vec!["what".into(), "is".into()], texts: 2, rows }),
    ];
    blocks.extend(circumstances::sections(&runs(comparison)));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_the_word_and_keeps_the_count() {
        for (name, bare) in [
            ("192 threads, burst, Graviton4", "192, burst, Graviton4"),
            ("1 thread, threads=x", "1, threads=x"),
            ("96 threads", "96"),
        ] {
            assert_eq!(bare_count(name), bare);
        }
    }
}
