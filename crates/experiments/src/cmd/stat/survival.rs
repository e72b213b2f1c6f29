//! `experiments stat survival FILE.csv`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use report::say::stat::survival as say;
use serde_json::Value;
use stats::survival::notes::Note;
use stats::survival::{FollowUp, Group, Lifetime, PointwiseMethod, SurvivalOptions, summarize};

use super::columns::{Columns, Row};
use super::name::{UnknownName, named};
use super::{Answer, Options, paths};
use crate::failure::{Failure, Outcome};
use crate::number::{real, share};

/// Times to an event, some cut off before it: Kaplan-Meier, median, restricted mean, fits, tests
///
/// FILE has a row a trial: `time` and `event`, which is 1 if the event was seen at that time and 0
/// if the trial ended there without it (right-censored); with a column `group`, groups are
/// compared, each against the first one in the file. In place of `time` and `event`, `left` and
/// `right` tell between which looks the event came, in (left, right]; an empty `right` is a trial
/// without it.
///
/// Assumes independent trials, and that what ended a trial says nothing about its event, as a
/// fixed length of run does.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    printf 'time,event\\n14,1\\n33,1\\n165,1\\n169,1\\n280,1\\n300,1\\n300,0\\n' |\n    \
    experiments stat survival -")]
pub struct SurvivalArgs {
    /// The CSV file; `-` is standard input
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    /// The pointwise interval of the curve and of its median: log-log, plain, log, beta-product.
    ///
    /// beta-product is wider and keeps its level at any size; it also answers where no event, or
    /// every one, has been seen.
    #[arg(long, value_name = "METHOD", default_value = "log-log", value_parser = pointwise)]
    interval: PointwiseMethod,
    /// Report the time by which this share of trials had the event; repeatable
    #[arg(long, value_name = "P", value_parser = share,
          allow_negative_numbers = true)]
    quantile: Vec<f64>,
    /// Where the restricted mean ends; by default where the shortest group ends
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = real)]
    until: Option<f64>,
    /// Fleming-Harrington's exponent of S: above 0 looks early
    #[arg(long, default_value = "1", allow_negative_numbers = true, value_parser = real)]
    rho: f64,
    /// Fleming-Harrington's exponent of 1 - S: above 0 looks late
    #[arg(long, default_value = "0", allow_negative_numbers = true, value_parser = real)]
    gamma: f64,
    #[command(flatten)]
    options: Options,
}

/// Runs the command.
pub fn run(args: SurvivalArgs, out: &mut dyn Write) -> Outcome {
    let columns = Columns::read_one_of(&args.file, &[&["time", "event"], &["left", "right"]])?;
    let groups = groups(&columns)?;
    let unused = columns.unused(&["time", "event", "left", "right", "group"]);
    let default = SurvivalOptions::default();
    let asked_quantiles = !args.quantile.is_empty();
    let found = summarize(
        &groups,
        &SurvivalOptions {
            level: args.options.level,
            pointwise: args.interval,
            // −0 is 0.
            until: args.until.map(|until| until + 0.0),
            fleming_harrington: (args.rho + 0.0, args.gamma + 0.0),
            quantiles: if asked_quantiles { args.quantile } else { default.quantiles },
        },
    )?;
    let mut notes: Vec<String> = found.notes.iter().map(say::note).collect();
    notes.extend(unused);
    let mut result = serde_json::to_value(&found).unwrap_or_default();
    // The short text has no fits, so that nothing is said of them.
    let in_full = args.options.json || args.options.all;
    for (i, group) in found.groups.iter().enumerate() {
        let said = |note: &&Note| in_full || !matches!(note, Note::NoFit { .. });
        let notes: Vec<Note> = group.notes.iter().filter(said).cloned().collect();
        say_notes(&mut result["groups"][i], &notes);
    }
    for (i, contrast) in found.contrasts.iter().enumerate() {
        say_notes(&mut result["contrasts"][i], &contrast.notes);
    }
    let mut shown = paths(&["groups.*.median", "groups.*.rmst", "tests.log-rank"]);
    shown.extend(paths(&["groups.*.curve", "contrasts.*.hazard_ratio.profile-likelihood"]));
    shown.extend(paths(&["contrasts.*.holm"]));
    if asked_quantiles {
        shown.extend(paths(&["groups.*.quantiles"]));
    }
    if args.gamma != 0.0 || args.rho != 1.0 {
        shown.extend(paths(&["tests.fleming-harrington"]));
    }
    let headline = say::headline(&found);
    args.options.answer(out, Answer { result: &result, headline, notes, shown })
}

fn pointwise(text: &str) -> Result<PointwiseMethod, UnknownName> {
    named(PointwiseMethod::ALL, PointwiseMethod::name, text)
}

/// The trials by group, in the order in which the groups first appear.
fn groups(columns: &Columns) -> Result<Vec<Group>, Failure> {
    let compared = columns.has_once("group")?;
    let has = |pair: [&str; 2]| pair.into_iter().any(|name| columns.has(name));
    let by_looks = has(["left", "right"]);
    if by_looks && has(["time", "event"]) {
        return Err(columns.wrong(
            "there are columns of both kinds, `time`, `event` and `left`, `right`, which may say different \
             things of one trial: leave the columns of one kind",
        ));
    }
    let mut groups: Vec<Group> = Vec::new();
    for row in columns.rows() {
        let trial = if by_looks { looked(row)? } else { followed(row)? };
        let name = row.text("group");
        if compared && name.is_empty() {
            return Err(row.wrong("group", "the cell is empty; the group's name is needed"));
        }
        // Rows of one group are mostly together.
        let is = |group: &Group| group.name.as_deref().unwrap_or("") == name;
        let at = match groups.len().checked_sub(1).filter(|&last| is(&groups[last])) {
            Some(last) => last,
            None => groups.iter().position(is).unwrap_or_else(|| {
                let name = compared.then(|| name.to_owned());
                groups.push(Group { name, trials: Vec::new() });
                groups.len() - 1
            }),
        };
        groups[at].trials.push(trial);
    }
    Ok(groups)
}

/// A row of `time` and `event`.
fn followed(row: Row) -> Result<Lifetime, Failure> {
    let time = row.number("time")?;
    let event = match row.text("event") {
        "1" => true,
        "0" => false,
        "" => {
            return Err(row.wrong("event", "the cell is empty; 1 (seen) or 0 (censored) is needed"));
        }
        other => {
            let why = format!("`{other}` is neither 1 (seen) nor 0 (censored)");
            return Err(row.wrong("event", why));
        }
    };
    FollowUp::new(time, event).map(Lifetime::from).map_err(|error| row.wrong("time", error))
}

/// A row of `left` and `right`.
fn looked(row: Row) -> Result<Lifetime, Failure> {
    let left = row.number("left")?;
    Lifetime::between(left, None).map_err(|error| row.wrong("left", error))?;
    let right = match row.text("right") {
        "" => None,
        text if text.parse().is_ok_and(|right: f64| right.is_infinite() && right > 0.0) => {
            let why = format!("`{text}`: a trial without the event has an empty `right`");
            return Err(row.wrong("right", why));
        }
        _ => Some(row.number("right")?),
    };
    Lifetime::between(left, right).map_err(|error| row.wrong("right", error))
}

/// Puts the sentences of a group's notes into its JSON.
pub(super) fn say_notes(of: &mut Value, notes: &[Note]) {
    of["notes"] = notes.iter().map(say::note).collect();
}

#[cfg(test)]
mod tests {
    use super::super::csv_text::CsvText;
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: SurvivalArgs,
    }

    fn parse(text: &str) -> Result<Vec<Group>, String> {
        let text = CsvText::read("times.csv".into(), text.as_bytes());
        text.and_then(|text| Columns::of(&text, &[&["time", "event"], &["left", "right"]]))
            .and_then(|columns| groups(&columns))
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn groups_keep_the_order_of_the_file() {
        let groups = parse("time,event,group\n1,1,b\n2,0,a\n3,1,b\n").unwrap();
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].name.as_deref(), Some("b"));
        assert_eq!(groups[0].trials, [Lifetime::Exact(1.0), Lifetime::Exact(3.0)]);
        assert_eq!(parse("time,event\n1,1\n").unwrap()[0].name, None);
    }

    #[test]
    fn looks_are_edges() {
        let groups = parse("left,right\n1,2\n3,\n4,4\n").unwrap();
        assert_eq!(
            groups[0].trials,
            [
                Lifetime::Between { left: 1.0, right: 2.0 },
                Lifetime::RightCensored(3.0),
                Lifetime::Exact(4.0)
            ]
        );
    }

    #[test]
    fn a_bad_cell_is_named() {
        for (text, says) in [
            ("time,event\n1,2\n", "line 2, column `event`: `2` is neither 1 (seen) nor 0"),
            ("time,event\n1,1\n-3,1\n", "line 3, column `time`: a time is -3"),
            ("time,event\nNaN,1\n", "column `time`: `NaN` is not a finite number"),
            ("time,event\n1,\n", "column `event`: the cell is empty"),
            ("time,event,group\n1,1,\n", "column `group`: the cell is empty"),
            ("time,event\n1\n", "line 2: it has 1 cell where"),
            ("left,right\n5,4\n", "column `right`: a right edge is 4, below its left edge 5"),
            ("left,right\n-1,4\n", "column `left`: a left edge is -1"),
            (
                "left,right\n1,inf\n",
                "column `right`: `inf`: a trial without the event has an empty",
            ),
            ("time,event,left,right\n1,1,0,1\n", "times.csv: there are columns of both kinds"),
            ("left,right,event\n1,2,1\n", "there is no column `time`"),
            ("time,event,group,group\n1,1,a,b\n", "the column `group` is there more than once"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn options_are_checked() {
        let line = |args: &[&str]| Line::try_parse_from([&["x", "f.csv"], args].concat());
        assert_eq!(line(&[]).unwrap().args.interval, PointwiseMethod::LogLog);
        assert_eq!(
            line(&["--quantile", "0.9", "--quantile", "0.1"]).unwrap().args.quantile,
            [0.9, 0.1]
        );
        for bad in ["0", "1", "-0.1", "NaN", "90%"] {
            assert!(line(&["--quantile", bad]).unwrap_err().to_string().contains("a share of the"));
        }
        assert!(
            line(&["--interval", "exact"]).unwrap_err().to_string().contains("accepted are plain")
        );
    }

    #[test]
    fn quantiles_are_those_asked_for() {
        let asked = |csv: &str| {
            let args =
                Line::try_parse_from(["x", "f.csv", "--quantile", "0.9", "--quantile", "0.25"]);
            let quantiles = args.unwrap().args.quantile;
            let options = SurvivalOptions { quantiles, ..SurvivalOptions::default() };
            summarize(&parse(csv).unwrap(), &options).unwrap().groups[0].quantiles.clone()
        };
        // R: quantile(survfit(Surv(time, event) ~ 1, conf.type = "log-log"), c(0.9, 0.25)).
        let report = "time,event\n14,1\n33,1\n165,1\n169,1\n280,1\n300,1\n300,0\n";
        let [late, early] = asked(report)[..] else { panic!() };
        assert_eq!((late.p, late.time.estimate, late.time.high), (0.9, None, None));
        assert_eq!((early.time.estimate, early.time.low), (Some(33.0), Some(14.0)));
        let [late, early] = asked("left,right\n0,7\n6,10\n7,\n")[..] else { panic!() };
        assert_eq!((late.after, late.time.estimate), (Some(7.0), Some(10.0)));
        assert_eq!((early.after, early.time.estimate), (Some(6.0), Some(7.0)));
    }

    #[test]
    fn a_single_group_is_not_compared_and_says_so() {
        let groups = parse("time,event,group\n14,1,stock\n33,1,stock\n").unwrap();
        let summary = summarize(&groups, &SurvivalOptions::default()).unwrap();
        assert_eq!(summary.notes, [Note::OnlyGroup { group: "stock".into() }]);
    }
}
