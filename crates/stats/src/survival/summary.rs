//! Everything about the survival of one or more groups, in the shape that docs/reference/commands.md gives.

use serde::Serialize;

use super::notes::{self, Note};
use super::quantile::{median_by_band, quantile_by_band};
use super::*;
use crate::{Alternative, Estimate, Interval, Level, StatError, TestResult, multiplicity};

/// The trials of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The group's name; `None` if nothing is compared.
    pub name: Option<String>,
    /// Its trials.
    pub trials: Vec<Lifetime>,
}

/// What can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct SurvivalOptions {
    /// The level of every interval.
    pub level: Level,
    /// The pointwise interval of the curve, and by inversion of the median.
    pub pointwise: PointwiseMethod,
    /// Where restricted means end; `None` is the shortest of the groups' last times, which is the
    /// latest at which all curves are estimated.
    pub until: Option<f64>,
    /// Fleming-Harrington's exponents, (rho, gamma).
    pub fleming_harrington: (f64, f64),
    /// Report the time by which each of these shares of trials had the event.
    pub quantiles: Vec<f64>,
}

impl Default for SurvivalOptions {
    fn default() -> Self {
        SurvivalOptions {
            level: Level::P95,
            pointwise: PointwiseMethod::LogLog,
            until: None,
            fleming_harrington: (1.0, 0.0),
            quantiles: vec![0.25, 0.75, 0.9],
        }
    }
}

/// `experiments stat survival`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurvivalSummary {
    /// The groups, in the order given.
    pub groups: Vec<GroupSummary>,
    /// Rank tests between all groups; empty for one group.
    pub tests: Vec<RankTest>,
    /// Each later group, as test, against the first, as base.
    pub contrasts: Vec<Contrast>,
    /// What could not be answered and why.
    #[serde(skip)]
    pub notes: Vec<Note>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupSummary {
    /// The group's name.
    pub group: Option<String>,
    /// Trials.
    pub n: u64,
    /// Trials with the event.
    pub events: u64,
    /// Kaplan-Meier at each distinct time; for interval-censored trials, Turnbull's estimate at
    /// the right edges, without counts and bounds.
    pub curve: Vec<CurvePoint>,
    /// The median time, by Brookmeyer-Crowley; for interval-censored trials, the right edge of the
    /// interval in which the curve passes 1/2, and of a stretch at 1/2 the middle by the right edges.
    pub median: Estimate,
    /// The times by which other shares of the trials had the event, as the median.
    pub quantiles: Vec<QuantileTime>,
    /// The restricted mean.
    pub rmst: RestrictedMean,
    /// Exponential, Weibull, log-normal.
    pub fits: Vec<Fit>,
    /// Whether the Weibull shape is 1: memoryless or not.
    pub shape_test: TestResult,
    /// The pointwise interval's name.
    pub pointwise: PointwiseMethod,
    /// The interval in which Turnbull's curve passes 1/2, for interval-censored trials.
    #[serde(skip)]
    pub turnbull_median: Option<Quantile>,
    /// Where Turnbull's estimate has its mass, for interval-censored trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turnbull: Option<Vec<Mass>>,
    /// What could not be answered and why.
    pub notes: Vec<Note>,
}

/// The time by which a share of the trials had the event.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QuantileTime {
    /// The share.
    pub p: f64,
    /// By Turnbull's curve, the time lies in (`after`, the estimate] and has no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<f64>,
    /// The time, with its interval by inversion of the curve's.
    #[serde(flatten)]
    pub time: Estimate,
}

/// A point of the curve. What the estimate does not have is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The time.
    pub time: f64,
    /// Trials at risk just before it.
    pub at_risk: Option<u64>,
    /// Events at it.
    pub events: Option<u64>,
    /// Trials censored at it.
    pub censored: Option<u64>,
    /// S(time).
    pub survival: f64,
    /// The lower bound of S(time).
    pub low: Option<f64>,
    /// The upper bound of S(time).
    pub high: Option<f64>,
}

/// A fitted law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// `exponential`, `weibull` or `log-normal`.
    pub law: &'static str,
    /// By the law's own names; `None` where the likelihood has no maximum.
    pub parameters: Parameters,
    /// The maximum.
    pub log_likelihood: Option<f64>,
    /// 2 × parameters − 2 × log-likelihood: the smallest fits best for what it costs. Comparable
    /// between the laws of one group.
    pub aic: Option<f64>,
    /// The exponential rate's interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_interval: Option<Interval>,
}

/// The parameters of a law.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Parameters {
    /// Exponential.
    Exponential {
        /// Events a unit of time.
        rate: Option<f64>,
    },
    /// Weibull.
    Weibull {
        /// In the unit of the times.
        scale: Option<f64>,
        /// 1 is exponential.
        shape: Option<f64>,
    },
    /// Log-normal.
    LogNormal {
        /// The mean of the log time.
        mu: Option<f64>,
        /// The standard deviation of the log time.
        sigma: Option<f64>,
    },
}

/// A later group, as test, against the first, as base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The first group.
    pub base: Option<String>,
    /// The group compared with it.
    pub test: Option<String>,
    /// The ratio of hazards.
    pub hazard_ratio: HazardRatio,
    /// The difference of restricted means.
    pub rmst_difference: RestrictedMeanDifference,
    /// The p-values, adjusted by Holm for all the contrasts of one measure; with one contrast there is
    /// nothing to adjust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holm: Option<Adjusted>,
    /// What could not be answered or is of little worth, and why.
    pub notes: Vec<Note>,
}

/// Adjusted p-values of a contrast; `None` where there is none to adjust.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Adjusted {
    /// That the hazard ratio is 1.
    pub hazard_ratio: Option<f64>,
    /// That the restricted means are equal.
    pub rmst_difference: Option<f64>,
}

/// Estimates, fits and compares.
///
/// # Errors
///
/// [`StatError::TooFew`] without a group or with an empty one; [`StatError::Domain`] for an option
/// outside its domain. A statistic that the data do not define is `None` and has a note.
pub fn summarize(
    groups: &[Group],
    options: &SurvivalOptions,
) -> Result<SurvivalSummary, StatError> {
    if groups.is_empty() || groups.iter().any(|group| group.trials.is_empty()) {
        return Err(StatError::too_few(
            "a survival summary",
            "at least one trial a group",
            if groups.is_empty() { "no group" } else { "a group without a trial" },
        ));
    }
    let exact: Vec<Option<Vec<FollowUp>>> =
        groups.iter().map(|group| follow_ups(&group.trials)).collect();
    let curves: Vec<Option<KaplanMeier>> = exact
        .iter()
        .map(|trials| trials.as_deref().map(KaplanMeier::fit).transpose())
        .collect::<Result<_, _>>()?;
    let last_times = groups.iter().map(|group| last_time(&group.trials));
    let until = options.until.unwrap_or(last_times.fold(f64::INFINITY, f64::min));
    let mut notes = Vec::new();
    // All trials of a group ended at 0: there is no time to take a mean over.
    let area = options.until.is_some() || until > 0.0;

    let mut summaries = Vec::with_capacity(groups.len());
    for ((group, trials), curve) in groups.iter().zip(&exact).zip(&curves) {
        summaries.push(match (trials, curve) {
            (Some(trials), Some(curve)) => {
                let rmst = if area {
                    restricted_mean(curve, until, options.level)?
                } else {
                    no_mean(until)
                };
                by_kaplan_meier(group, trials, curve, rmst, options)?
            }
            _ => by_turnbull(group, until, options)?,
        });
    }

    let mut tests = Vec::new();
    let mut contrasts = Vec::new();
    if groups.len() > 1 {
        let complete: Option<Vec<&KaplanMeier>> = curves.iter().map(Option::as_ref).collect();
        if let Some(curves) = complete {
            let (rho, gamma) = options.fleming_harrington;
            let weights = [
                RankWeight::LogRank,
                RankWeight::GehanWilcoxon,
                RankWeight::FlemingHarrington { rho, gamma },
            ];
            tests = rank_tests::rank_tests_of_curves(&curves, &weights)?;
            if tests.iter().any(|test| test.result.p_value.is_none()) {
                notes.push(Note::NoRankTest);
            }
        } else {
            notes.push(Note::NoRankTestOfIntervals);
        }
        if let Some((Some(base), Some(base_curve))) = exact
            .first()
            .zip(curves.first())
            .map(|(trials, curve)| (trials.as_deref(), curve.as_ref()))
        {
            for ((group, trials), curve) in groups.iter().zip(&exact).zip(&curves).skip(1) {
                if let (Some(trials), Some(curve), true) = (trials, curve, area) {
                    let hazard_ratio = hazard_ratio(base, trials, options.level)?;
                    let rmst_difference =
                        restricted_mean_difference(base_curve, curve, until, options.level)?;
                    let names = [&groups[0].name, &group.name];
                    let notes =
                        contrast_notes(names, [base_curve, curve], &hazard_ratio, &rmst_difference);
                    contrasts.push(Contrast {
                        base: groups[0].name.clone(),
                        test: group.name.clone(),
                        hazard_ratio,
                        rmst_difference,
                        holm: None,
                        notes,
                    });
                }
            }
        }
        adjust(&mut contrasts)?;
        if let ([_, _, ..], Some(first)) = (contrasts.as_slice(), contrasts.first()) {
            notes.push(Note::Pairwise { base: first.base.clone(), comparisons: contrasts.len() });
        }
    }
    if let [Group { name: Some(name), .. }] = groups {
        notes.push(Note::OnlyGroup { group: name.clone() });
    }
    Ok(SurvivalSummary { groups: summaries, tests, contrasts, notes })
}

fn contrast_notes(
    names: [&Option<String>; 2],
    curves: [&KaplanMeier; 2],
    ratio: &HazardRatio,
    difference: &RestrictedMeanDifference,
) -> Vec<Note> {
    let [base, test] = names.map(|name| name.as_deref().unwrap_or("a group"));
    let mut notes: Vec<Note> = notes::ratio_at_the_edge(ratio, base, test).into_iter().collect();
    if difference.estimate.is_some() && difference.low.is_none() {
        let until = difference.until;
        for (name, curve) in [base, test].into_iter().zip(curves) {
            let Some(because) = notes::no_variance(curve, until) else { continue };
            notes.push(Note::NoSpreadOfDifference { group: name.to_owned(), because, until });
        }
    }
    let [of_base, of_test] = curves.map(KaplanMeier::events);
    notes.extend(notes::few_events([(base, of_base), (test, of_test)]));
    notes
}

/// Holm's adjustment over the contrasts, by measure; those without a p-value are not counted.
fn adjust(contrasts: &mut [Contrast]) -> Result<(), StatError> {
    if contrasts.len() < 2 {
        return Ok(());
    }
    let adjusted = |p_values: Vec<Option<f64>>| -> Result<Vec<Option<f64>>, StatError> {
        let known: Vec<f64> = p_values.iter().copied().flatten().collect();
        let mut holm = multiplicity::holm(&known)?.into_iter();
        Ok(p_values.iter().map(|p| p.and_then(|_| holm.next())).collect())
    };
    let ratios = adjusted(contrasts.iter().map(|c| c.hazard_ratio.test.p_value).collect())?;
    let means = adjusted(contrasts.iter().map(|c| c.rmst_difference.test.p_value).collect())?;
    for ((contrast, hazard_ratio), rmst_difference) in contrasts.iter_mut().zip(ratios).zip(means) {
        contrast.holm = Some(Adjusted { hazard_ratio, rmst_difference });
    }
    Ok(())
}

/// The trials as exact and right-censored times, if all are.
fn follow_ups(trials: &[Lifetime]) -> Option<Vec<FollowUp>> {
    trials
        .iter()
        .map(|trial| match *trial {
            Lifetime::Exact(time) => FollowUp::seen(time).ok(),
            Lifetime::RightCensored(time) => FollowUp::censored(time).ok(),
            Lifetime::Between { .. } => None,
        })
        .collect()
}

fn last_time(trials: &[Lifetime]) -> f64 {
    trials.iter().fold(0.0, |last: f64, trial| {
        last.max(match *trial {
            Lifetime::Exact(time) | Lifetime::RightCensored(time) => time,
            Lifetime::Between { right, .. } => right,
        })
    })
}

fn no_mean(until: f64) -> RestrictedMean {
    RestrictedMean { until, estimate: None, low: None, high: None, se: None }
}

fn by_kaplan_meier(
    group: &Group,
    trials: &[FollowUp],
    curve: &KaplanMeier,
    rmst: RestrictedMean,
    options: &SurvivalOptions,
) -> Result<GroupSummary, StatError> {
    let mut notes: Vec<Note> =
        notes::few_trials(curve.trials(), options.pointwise).into_iter().collect();
    let band = options.pointwise.band(curve, options.level);
    let points = curve
        .steps()
        .iter()
        .zip(&band)
        .map(|(step, bounds)| CurvePoint {
            time: step.time,
            at_risk: Some(step.at_risk),
            events: Some(step.events),
            censored: Some(step.censored),
            survival: step.survival,
            low: bounds.low(),
            high: bounds.high(),
        })
        .collect();
    let median = median_by_band(curve, options.pointwise, options.level, &band);
    let quantiles = options
        .quantiles
        .iter()
        .map(|&p| {
            let time = quantile_by_band(curve, p, options.pointwise, options.level, &band)?;
            Ok(QuantileTime { p, after: None, time })
        })
        .collect::<Result<Vec<_>, StatError>>()?;
    let everywhere = band.iter().all(|bounds| bounds.low().is_some() && bounds.high().is_some());
    let shares = quantiles.iter().map(|of: &QuantileTime| (of.p, of.time));
    let times: Vec<(f64, Estimate)> = [(0.5, median)].into_iter().chain(shares).collect();
    notes.extend(notes::of_curve(curve, everywhere, &rmst, &times));
    let exponential = fit_exponential(trials, options.level);
    let (fits, shape_test) = fits(&group.trials, exponential, &mut notes);
    Ok(GroupSummary {
        group: group.name.clone(),
        n: curve.trials(),
        events: curve.events(),
        curve: points,
        median,
        quantiles,
        rmst,
        fits,
        shape_test,
        pointwise: options.pointwise,
        turnbull_median: None,
        turnbull: None,
        notes,
    })
}

fn by_turnbull(
    group: &Group,
    until: f64,
    options: &SurvivalOptions,
) -> Result<GroupSummary, StatError> {
    let mut notes = vec![Note::IntervalCensored];
    let turnbull = match Turnbull::fit(&group.trials) {
        Ok(turnbull) => Some(turnbull),
        // The laws do not need it.
        Err(error @ StatError::NoConvergence { .. }) => {
            notes.push(Note::NoCurve { error: error.to_string() });
            None
        }
        Err(error) => return Err(error),
    };
    let median = turnbull.as_ref().and_then(|turnbull| turnbull.quantile(0.5));
    match median {
        _ if turnbull.is_none() => {}
        Some(Quantile { left, right, shown, flat_from: Some(from) }) => {
            notes.push(Note::FlatAtMedian { from, left, right, shown });
        }
        Some(Quantile { left, right: Some(right), .. }) if left < right => {
            notes.push(Note::MedianBetween { left, right });
        }
        Some(_) | None => {}
    }
    let quantiles = options
        .quantiles
        .iter()
        .map(|&p| {
            let found = turnbull.as_ref().and_then(|turnbull| turnbull.quantile(p));
            let (after, estimate) = (found.map(|at| at.left), found.and_then(|at| at.right));
            QuantileTime { p, after, time: Estimate { estimate, low: None, high: None } }
        })
        .collect::<Vec<_>>();
    let masses = turnbull.as_ref().map(|turnbull| turnbull.masses().to_vec());
    if turnbull.is_some() {
        let shown = Estimate { estimate: median.map(|median| median.shown), ..Estimate::default() };
        let shares = quantiles.iter().map(|of| (of.p, of.time));
        let times: Vec<(f64, Estimate)> = [(0.5, shown)].into_iter().chain(shares).collect();
        notes.extend(notes::not_reached(&times));
    }
    if masses.iter().flatten().any(|mass| mass.right.is_none()) {
        notes.push(Note::MassBeyondLooks);
    }
    let curve = masses
        .iter()
        .flatten()
        .filter_map(|mass| {
            Some(CurvePoint {
                time: mass.right?,
                at_risk: None,
                events: None,
                censored: None,
                survival: mass.survival?,
                low: None,
                high: None,
            })
        })
        .collect();
    let exponential = fit_exponential_interval(&group.trials, options.level);
    let (fits, shape_test) = fits(&group.trials, exponential, &mut notes);
    Ok(GroupSummary {
        group: group.name.clone(),
        n: group.trials.len() as u64,
        events: group.trials.iter().filter(|trial| trial.event()).count() as u64,
        curve,
        median: Estimate { estimate: median.map(|median| median.shown), low: None, high: None },
        quantiles,
        rmst: no_mean(until),
        fits,
        shape_test,
        pointwise: options.pointwise,
        turnbull_median: median,
        turnbull: masses,
        notes,
    })
}

/// The three laws and the test of shape, each absent one with its reason in `notes`.
fn fits(
    trials: &[Lifetime],
    exponential: Result<ExponentialFit, StatError>,
    notes: &mut Vec<Note>,
) -> (Vec<Fit>, TestResult) {
    let mut known = |error: StatError| {
        notes.push(Note::no_fit(&error));
    };
    let exponential = exponential.map_err(&mut known).ok();
    let weibull = fit_weibull(trials).map_err(&mut known).ok();
    let log_normal = fit_log_normal(trials).map_err(&mut known).ok();
    let shape = shape_test(trials).unwrap_or_else(|error| {
        // Without a fit the reason is known; without an event nobody asks.
        if weibull.is_some() {
            notes.push(Note::no_fit(&error));
        }
        TestResult {
            method: "shape-likelihood-ratio",
            alternative: Alternative::TwoSided,
            statistic: None,
            p_value: None,
        }
    });
    let fit = |law, parameters, log_likelihood: Option<f64>, count: f64| Fit {
        law,
        parameters,
        log_likelihood,
        aic: log_likelihood.map(|l| 2.0 * count - 2.0 * l),
        rate_interval: None,
    };
    let fits = vec![
        Fit {
            rate_interval: exponential.as_ref().map(|fit| fit.interval.clone()),
            ..fit(
                "exponential",
                Parameters::Exponential { rate: exponential.as_ref().map(|fit| fit.rate) },
                exponential.as_ref().map(|fit| fit.log_likelihood),
                1.0,
            )
        },
        fit(
            "weibull",
            Parameters::Weibull {
                scale: weibull.map(|fit| fit.scale),
                shape: weibull.map(|fit| fit.shape),
            },
            weibull.map(|fit| fit.log_likelihood),
            2.0,
        ),
        fit(
            "log-normal",
            Parameters::LogNormal {
                mu: log_normal.map(|fit| fit.mu),
                sigma: log_normal.map(|fit| fit.sigma),
            },
            log_normal.map(|fit| fit.log_likelihood),
            2.0,
        ),
    ];
    (fits, shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, trials: &[(f64, Option<f64>)]) -> Group {
        Group {
            name: Some(name.into()),
            trials: trials
                .iter()
                .map(|&(left, right)| Lifetime::between(left, right).unwrap())
                .collect(),
        }
    }

    fn reported() -> Group {
        let mut trials: Vec<_> =
            [14.0, 33.0, 165.0, 169.0, 280.0, 300.0].map(|t| (t, Some(t))).to_vec();
        trials.push((300.0, None));
        group("stock", &trials)
    }

    fn keys(value: &serde_json::Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn the_shape_is_that_of_the_contract() {
        let summary = summarize(&[reported()], &SurvivalOptions::default()).unwrap();
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(keys(&json)[..2], ["groups", "tests"]);
        let group = &json["groups"][0];
        assert_eq!(
            keys(group)[..7],
            ["group", "n", "events", "curve", "median", "quantiles", "rmst"]
        );
        assert_eq!(
            keys(&group["curve"][0]),
            ["time", "at_risk", "events", "censored", "survival", "low", "high"]
        );
        assert_eq!(keys(&group["median"]), ["estimate", "low", "high"]);
        assert_eq!(keys(&group["rmst"])[..4], ["until", "estimate", "low", "high"]);
        let laws: Vec<_> = group["fits"].as_array().unwrap().iter().map(|f| &f["law"]).collect();
        assert_eq!(laws, ["exponential", "weibull", "log-normal"]);
        assert_eq!(keys(&group["fits"][1])[..4], ["law", "parameters", "log_likelihood", "aic"]);
        assert_eq!(keys(&group["fits"][0]["parameters"]), ["rate"]);
        assert_eq!(keys(&group["fits"][1]["parameters"]), ["scale", "shape"]);
        assert_eq!(keys(&group["fits"][2]["parameters"]), ["mu", "sigma"]);
        assert_eq!(group["median"]["estimate"], 169.0);
        assert_eq!(group["curve"][5]["survival"], 1.0 / 7.0);
        assert!((group["fits"][1]["log_likelihood"].as_f64().unwrap() + 38.01).abs() < 0.005);
    }

    #[test]
    fn without_an_event_there_is_a_bound_on_the_rate_and_nothing_else() {
        let none = group("patched", &[(300.0, None), (300.0, None)]);
        let summary = summarize(&[none], &SurvivalOptions::default()).unwrap();
        let one = &summary.groups[0];
        assert_eq!(one.median.estimate, None);
        assert_eq!(one.fits[0].parameters, Parameters::Exponential { rate: Some(0.0) });
        assert!(one.fits[0].rate_interval.as_ref().unwrap().high.is_some());
        assert_eq!(one.fits[1].aic, None);
        assert_eq!(one.shape_test.p_value, None);
        assert_eq!(one.rmst.estimate, Some(300.0));
        assert!(summary.tests.is_empty() && summary.contrasts.is_empty());
    }

    #[test]
    fn two_groups_are_compared_test_against_base() {
        let slow = group("slow", &[(250.0, Some(250.0)), (290.0, Some(290.0)), (300.0, None)]);
        let summary = summarize(&[reported(), slow], &SurvivalOptions::default()).unwrap();
        let methods: Vec<_> = summary.tests.iter().map(|test| test.result.method).collect();
        assert_eq!(methods, ["log-rank", "gehan-wilcoxon", "fleming-harrington"]);
        let contrast = &summary.contrasts[0];
        assert_eq!(contrast.base.as_deref(), Some("stock"));
        assert!(contrast.rmst_difference.estimate.unwrap() > 0.0);
        assert!(contrast.hazard_ratio.estimate.unwrap() < 1.0);
    }

    #[test]
    fn quantiles_are_those_asked_for() {
        let options = SurvivalOptions { quantiles: vec![0.5, 0.1], ..SurvivalOptions::default() };
        let one = &summarize(&[reported()], &options).unwrap().groups[0];
        assert_eq!(one.quantiles[0], QuantileTime { p: 0.5, after: None, time: one.median });
        assert_eq!(one.quantiles[1].time.estimate, Some(14.0));
        let defaults = &summarize(&[reported()], &SurvivalOptions::default()).unwrap().groups[0];
        let json = serde_json::to_value(&defaults.quantiles).unwrap();
        assert_eq!(keys(&json[0]), ["p", "estimate", "low", "high"]);
        assert_eq!(json[1]["estimate"], 300.0);
        // 1 of 7 is censored: the curve ends at 1/7, above 1 − 0.9.
        assert!(json[2]["estimate"].is_null());
        let options = SurvivalOptions { quantiles: vec![1.0], ..SurvivalOptions::default() };
        assert!(summarize(&[reported()], &options).unwrap_err().to_string().contains("quantile"));
    }

    #[test]
    fn three_groups_are_pairwise_and_adjusted() {
        let slow = |name: &str| group(name, &[250.0, 290.0, 295.0, 299.0].map(|t| (t, Some(t))));
        let options = SurvivalOptions::default();
        let three = summarize(&[reported(), slow("b"), slow("c")], &options).unwrap();
        let raw = three.contrasts[0].hazard_ratio.test.p_value.unwrap();
        for contrast in &three.contrasts {
            assert_eq!(contrast.holm.unwrap().hazard_ratio, Some((2.0 * raw).min(1.0)));
        }
        assert!(
            matches!(three.notes[0], Note::Pairwise { comparisons: 2, .. }),
            "{:?}",
            three.notes
        );
        let two = summarize(&[reported(), slow("b")], &options).unwrap();
        assert_eq!((two.contrasts[0].holm, two.notes.len()), (None, 0));
    }

    #[test]
    fn a_group_without_an_event_makes_no_difference_certain() {
        let a = group("a", &[(1.0, Some(1.0)), (2.0, Some(2.0)), (3.0, None)]);
        let c = group("c", &[(4.0, None), (3.0, None)]);
        let summary = summarize(&[a, c], &SurvivalOptions::default()).unwrap();
        let contrast = &summary.contrasts[0];
        assert_eq!(contrast.rmst_difference.estimate, Some(1.0));
        assert_eq!(contrast.rmst_difference.test.p_value, None);
        assert!(matches!(contrast.notes[0], Note::HazardRatioIsZero { .. }), "{contrast:?}");
        let because = notes::NoSpread::NoEvent;
        let spread = Note::NoSpreadOfDifference { group: "c".into(), because, until: 3.0 };
        assert_eq!(contrast.notes[1], spread);
        let sides = vec![("a".into(), 2), ("c".into(), 0)];
        assert_eq!(contrast.notes[2], Note::FewEvents { sides });
    }

    #[test]
    fn looks_go_by_turnbull() {
        let looks = group("looks", &[(10.0, Some(20.0)), (15.0, Some(30.0)), (40.0, None)]);
        let summary = summarize(&[looks, reported()], &SurvivalOptions::default()).unwrap();
        let one = &summary.groups[0];
        assert_eq!((one.n, one.events), (3, 2));
        assert!(one.turnbull.is_some() && one.rmst.estimate.is_none());
        assert!(summary.tests.is_empty() && !summary.notes.is_empty());
    }

    #[test]
    fn times_of_zero_are_answered_as_far_as_they_go() {
        let zero = group("zero", &[(0.0, Some(0.0)), (0.0, None)]);
        let summary = summarize(&[zero.clone(), zero], &SurvivalOptions::default()).unwrap();
        assert_eq!(summary.groups[0].rmst.estimate, None);
        assert_eq!(summary.groups[0].fits[0].parameters, Parameters::Exponential { rate: None });
        assert!(summarize(&[], &SurvivalOptions::default()).is_err());
    }
}
