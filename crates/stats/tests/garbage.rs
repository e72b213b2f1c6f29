//! Whatever the numbers, an estimator answers or says in a sentence why not: seeded garbage through
//! every public one. What it answers is a number: a p-value within [0, 1], bounds in order and
//! finite, nothing that is NaN.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use stallscope_stats::power::{
    hazard_ratio as power_of_hazards, interval_width, none_of_n, two_proportions,
};
use stallscope_stats::proportion::{self, Proportion};
use stallscope_stats::recovery::{RecoveryRule, Sample, recovery};
use stallscope_stats::samples::mixture::Mixture;
use stallscope_stats::samples::split::split;
use stallscope_stats::samples::{
    MedianRatio, Replicates, Resampling, SampleMedian, bootstrap, brunner_munzel, compare, dip,
    hodges_lehmann, mann_whitney,
};
use stallscope_stats::segmentation::{noise_sigma, segment};
use stallscope_stats::strata::{self, Stratum, mantel_fleiss, mantel_haenszel_ratio};
use stallscope_stats::stream::stream;
use stallscope_stats::survival::*;
use stallscope_stats::threshold::{ThreadsTried, threshold};
use stallscope_stats::two_by_two::{self, TwoByTwo};
use stallscope_stats::{
    Alternative, Estimate, Interval, Level, StatError, TestResult, multiplicity,
};

const ROUNDS: u64 = 400;

/// What a careless caller may pass for a number.
const ODD: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    -1.0,
    1.0,
    0.5,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    1e-300,
    1e300,
    1e15,
    -1e-15,
];

const COUNTS: [u64; 10] =
    [0, 1, 2, 3, 24, 1_000, 1_000_000_000, 1_000_000_001, u64::MAX - 1, u64::MAX];

fn one_of<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

/// A number that may be anything.
fn number(rng: &mut ChaCha8Rng) -> f64 {
    match rng.random_range(0..4) {
        0 => one_of(rng, &ODD),
        1 => f64::from_bits(rng.random()),
        2 => rng.random_range(-3i32..9).into(),
        _ => rng.random::<f64>() * 10.0,
    }
}

/// A finite number that is not negative, of any size.
fn time(rng: &mut ChaCha8Rng) -> f64 {
    match rng.random_range(0..6) {
        0 => one_of(rng, &[0.0, 5e-324, 1e-300, 1e-9, 1e9, 1e300, f64::MAX]),
        1 | 2 => f64::from(rng.random_range(0u32..5)),
        _ => rng.random::<f64>() * 10.0,
    }
}

fn count(rng: &mut ChaCha8Rng) -> u64 {
    if rng.random_range(0..3) == 0 { one_of(rng, &COUNTS) } else { rng.random_range(0..20) }
}

/// A list of up to `most` values.
fn list<T>(rng: &mut ChaCha8Rng, most: usize, mut one: impl FnMut(&mut ChaCha8Rng) -> T) -> Vec<T> {
    let size = rng.random_range(0..=most);
    (0..size).map(|_| one(rng)).collect()
}

/// Mostly a level.
fn level(rng: &mut ChaCha8Rng) -> Level {
    let usual = one_of(rng, &[0.95, 0.5, 0.99, 1e-9, 1.0 - 1e-12, f64::MIN_POSITIVE]);
    Level::new(number(rng)).or_else(|_| Level::new(usual)).unwrap()
}

/// Runs `body` with a stream of garbage a round; the seed is in the message of a failure.
fn rounds(rounds: u64, body: impl Fn(&mut ChaCha8Rng)) {
    for round in 0..rounds {
        let run = std::panic::AssertUnwindSafe(|| body(&mut stream(92, round)));
        if let Err(panic) = std::panic::catch_unwind(run) {
            eprintln!("in round {round}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// An answer, or a sentence.
fn answered<T>(found: Result<T, StatError>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(error) => {
            let sentence = error.to_string();
            assert!(sentence.split(' ').count() > 3, "no sentence: {sentence}");
            None
        }
    }
}

#[track_caller]
fn finite(x: Option<f64>) {
    assert!(x.is_none_or(f64::is_finite), "{x:?}");
}

#[track_caller]
fn in_order(low: Option<f64>, high: Option<f64>) {
    finite(low);
    finite(high);
    if let (Some(low), Some(high)) = (low, high) {
        // At a level of next to nothing both round to the estimate.
        assert!(low <= high + 1e-12 * high.abs(), "{low} {high}");
    }
}

#[track_caller]
fn is_interval(interval: &Interval) {
    in_order(interval.low, interval.high);
}

#[track_caller]
fn is_estimate(of: Estimate) {
    finite(of.estimate);
    in_order(of.low, of.high);
}

#[track_caller]
fn is_test(test: &TestResult) {
    finite(test.statistic);
    assert!(test.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)), "{test:?}");
}

#[track_caller]
fn is_contrast(contrast: &two_by_two::Contrast) {
    finite(contrast.estimate);
    contrast.intervals.iter().for_each(is_interval);
}

fn one(of: &Option<Proportion>, rng: &mut ChaCha8Rng) {
    let Some(of) = *of else { return };
    for interval in proportion::summarize(of, level(rng)).intervals {
        is_interval(&interval);
        let Some((low, high)) = interval.low.zip(interval.high) else {
            panic!("{of:?} {interval:?}")
        };
        assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high), "{interval:?}");
        let p = of.estimate();
        assert!(
            low <= p + 1e-12 && p <= high + 1e-12 || interval.level.get() < 0.3,
            "{interval:?}"
        );
    }
}

#[test]
fn proportions_and_levels() {
    rounds(ROUNDS, |rng| {
        let (k, n) = (count(rng), count(rng));
        let of = answered(Proportion::new(k, n));
        assert_eq!(of.is_some(), n > 0 && k <= n && n <= 1_000_000_000, "{k} of {n}");
        one(&of, rng);
        answered(Level::new(number(rng)));
        let level = level(rng);
        if let Some(p) = answered(proportion::at_most(count(rng), level)) {
            assert!((0.0..=1.0).contains(&p), "{p}");
        }
    });
}

#[test]
fn two_proportions_and_strata() {
    rounds(ROUNDS, |rng| {
        let [k1, n1, k2, n2] = std::array::from_fn(|_| count(rng));
        let level = level(rng);
        if let Some(table) = answered(TwoByTwo::new(k1, n1, k2, n2)) {
            let found = two_by_two::summarize(table, level);
            for contrast in
                [&found.effects.difference, &found.effects.ratio, &found.effects.odds_ratio]
            {
                is_contrast(contrast);
            }
            found.tests.iter().for_each(is_test);
        }
        let strata: Vec<Stratum> = list(rng, 5, |rng| {
            let [a, b, c, d] = std::array::from_fn(|_| count(rng));
            // Half of them right, or few would be.
            let (a, c) = if rng.random() { (a.min(b), c.min(d)) } else { (a, c) };
            answered(Stratum::new("s", a, b, c, d))
        })
        .into_iter()
        .flatten()
        .collect();
        is_contrast(&mantel_haenszel_ratio::contrast(&strata, level));
        let room = mantel_fleiss::room(&strata);
        assert!(room >= 0.0 && room.is_finite(), "{room}");
        if let Some(found) = answered(strata::summarize(&strata, level)) {
            is_contrast(&found.odds_ratio);
            is_contrast(&found.difference);
            found.tests.iter().for_each(is_test);
        }
    });
}

fn follow_ups(rng: &mut ChaCha8Rng, most: usize) -> Vec<FollowUp> {
    let bad = number(rng);
    answered(FollowUp::new(bad, true));
    list(rng, most, |rng| FollowUp::new(time(rng), rng.random()).unwrap())
}

#[test]
fn survival_of_exact_and_right_censored_times() {
    rounds(ROUNDS, |rng| {
        let (a, b, c) = (follow_ups(rng, 8), follow_ups(rng, 8), follow_ups(rng, 2));
        let level = level(rng);
        let curves = (answered(KaplanMeier::fit(&a)), answered(KaplanMeier::fit(&b)));
        let (p, at) = (number(rng), number(rng));
        for curve in [&curves.0, &curves.1].into_iter().flatten() {
            for method in PointwiseMethod::ALL {
                for bounds in method.band(curve, level) {
                    in_order(bounds.low(), bounds.high());
                    in_order(bounds.low_after(), bounds.high());
                }
                in_order(method.at(curve, at, level).low(), method.at(curve, at, level).high());
                answered(quantile(curve, p, method, level)).into_iter().for_each(is_estimate);
                is_estimate(median(curve, method, level));
            }
            if let Some(mean) = answered(restricted_mean(curve, at, level)) {
                is_estimate(Estimate { estimate: mean.estimate, low: mean.low, high: mean.high });
            }
        }
        if let (Some(a), Some(b)) = &curves
            && let Some(found) = answered(restricted_mean_difference(a, b, at, level))
        {
            in_order(found.low, found.high);
            finite(found.estimate);
            is_test(&found.test);
        }
        let weights = [
            RankWeight::LogRank,
            RankWeight::GehanWilcoxon,
            RankWeight::FlemingHarrington { rho: number(rng), gamma: number(rng) },
        ];
        for groups in [&[&a[..], &b, &c][..], &[&a[..], &b], &[&a[..]], &[]] {
            for weights in [&weights[..], &weights[..2]] {
                for test in answered(rank_tests(groups, weights)).into_iter().flatten() {
                    is_test(&test.result);
                }
            }
        }
        let strata = [(&a[..], &b[..]), (&b[..], &c[..]), (&c[..], &a[..])];
        answered(stratified_log_rank(&strata)).iter().for_each(is_test);
        for found in [hazard_ratio(&a, &b, level), stratified_hazard_ratio(&strata, level)] {
            if let Some(found) = answered(found) {
                finite(found.estimate);
                found.intervals.iter().for_each(is_interval);
                is_test(&found.test);
            }
        }
        if let Some(found) = answered(fit_exponential(&a, level)) {
            assert!(found.rate.is_finite(), "{found:?}");
            is_interval(&found.interval);
        }
    });
}

#[test]
fn survival_of_times_between_looks() {
    rounds(ROUNDS, |rng| {
        let (left, right) = (number(rng), number(rng));
        answered(Lifetime::between(left, Some(right)));
        answered(Lifetime::between(left, None));
        let trials: Vec<Lifetime> = list(rng, 9, |rng| {
            let (left, width) = (time(rng), time(rng));
            let right = (left + width).is_finite().then_some(left + width);
            Lifetime::between(left, right.filter(|_| rng.random())).unwrap()
        });
        let level = level(rng);
        if let Some(found) = answered(Turnbull::fit(&trials)) {
            let all: f64 = found.masses().iter().map(|mass| mass.mass).sum();
            assert!((all - 1.0).abs() < 1e-6, "{found:?}");
            let _ = found.quantile(number(rng));
        }
        if let Some(fit) = answered(fit_weibull(&trials)) {
            assert!(
                fit.shape > 0.0 && fit.scale > 0.0 && fit.log_likelihood.is_finite(),
                "{fit:?}"
            );
        }
        if let Some(fit) = answered(fit_log_normal(&trials)) {
            assert!(
                fit.sigma > 0.0 && fit.mu.is_finite() && fit.log_likelihood.is_finite(),
                "{fit:?}"
            );
        }
        answered(shape_test(&trials)).iter().for_each(is_test);
        if let Some(fit) = answered(fit_exponential_interval(&trials, level)) {
            assert!(fit.rate.is_finite(), "{fit:?}");
            is_interval(&fit.interval);
        }
        let groups: Vec<Group> = list(rng, 3, |rng| {
            let exact = rng.random::<bool>();
            let trials = if exact {
                follow_ups(rng, 6).into_iter().map(Lifetime::from).collect()
            } else {
                trials.clone()
            };
            Group { name: None, trials }
        });
        let until = rng.random::<bool>().then(|| number(rng));
        let options = SurvivalOptions { level, until, ..SurvivalOptions::default() };
        if let Some(found) = answered(summarize(&groups, &options)) {
            for group in &found.groups {
                is_estimate(group.median);
                is_test(&group.shape_test);
                let rmst = group.rmst;
                is_estimate(Estimate { estimate: rmst.estimate, low: rmst.low, high: rmst.high });
                for fit in &group.fits {
                    finite(fit.log_likelihood);
                    finite(fit.aic);
                }
            }
        }
    });
}

/// A sample of numbers that are all finite, or of any.
fn sample(rng: &mut ChaCha8Rng) -> Vec<f64> {
    if rng.random_range(0..4) == 0 { list(rng, 6, number) } else { list(rng, 12, time) }
}

#[test]
fn samples() {
    let resampling = Resampling { resamples: 200, seed: 3 };
    rounds(ROUNDS, |rng| {
        let (a, b, level) = (sample(rng), sample(rng), level(rng));
        answered(Resampling::new(rng.random_range(0..200), 1));
        for alternative in Alternative::ALL {
            if let Some((test, _)) = answered(mann_whitney::test(&a, &b, alternative)) {
                is_test(&test);
            }
            answered(brunner_munzel::test(&a, &b, alternative)).iter().for_each(is_test);
        }
        answered(hodges_lehmann::shift(&a, &b, level)).into_iter().for_each(is_estimate);
        if let Some(found) = answered(SampleMedian::of(&a, level)) {
            in_order(found.low, found.high);
            assert!(found.median.is_finite(), "{found:?}");
        }
        if let Some(found) = answered(MedianRatio::of(&a, &b, level, resampling)) {
            finite(found.estimate);
            found.intervals.iter().for_each(|i| {
                finite(i.low);
                finite(i.high);
            });
        }
        let alternative = one_of(rng, &Alternative::ALL);
        if let Some(found) = answered(compare(&a, &b, level, alternative, resampling)) {
            found.tests.iter().for_each(is_test);
            let ratio = &found.median_ratio;
            let missing = |i: &Interval| i.low.is_none() || i.high.is_none();
            let whole = !ratio.intervals.iter().any(missing);
            let said = !ratio.notes.is_empty() || ratio.no_bca.is_some();
            assert!(whole || said, "no reason: {a:?} {b:?} {level:?} {found:?}");
        }
        if let Some(found) = answered(dip::test(&a, resampling)) {
            assert!(found.statistic > 0.0 && found.statistic <= 0.5, "{found:?}");
            assert!(found.p_value > 0.0 && found.p_value <= 1.0, "{found:?}");
        }
        if let Some(found) = answered(Mixture::fit(&a, 1)) {
            assert!(found.one.bic.is_finite(), "{found:?}");
            finite(found.bic_gain());
        }
        if let Some(found) = answered(split(&a, resampling)) {
            finite(found.cut);
            finite(found.bic_gain);
        }
        let replicates = Replicates::new(list(rng, 300, number));
        for interval in [
            replicates.percentile(level),
            replicates.bca(number(rng), number(rng), level),
            replicates.bca(0.5, bootstrap::acceleration(&[a, b]), level),
        ] {
            finite(interval.low);
            finite(interval.high);
        }
    });
}

#[test]
fn thresholds() {
    rounds(ROUNDS / 4, |rng| {
        let rows: Vec<ThreadsTried> = list(rng, 6, |rng| {
            let (threads, n) = (count(rng).min(1 << 23), count(rng));
            let k = if rng.random_range(0..6) == 0 { count(rng) } else { count(rng).min(n) };
            ThreadsTried { threads, n, k }
        });
        if let Some(found) = answered(threshold(&rows, level(rng))) {
            assert!(found.fit.slope.is_finite() && found.fit.intercept.is_finite(), "{found:?}");
            for t in [found.t10, found.t50, found.t90] {
                is_estimate(t);
            }
            is_interval(&found.fit.slope_interval);
            assert!(found.isotonic.windows(2).all(|pair| pair[0].p <= pair[1].p), "{found:?}");
        }
    });
}

#[test]
fn timelines() {
    rounds(ROUNDS, |rng| {
        let values = sample(rng);
        if let Some(found) = answered(segment(&values, number(rng), number(rng))) {
            assert_eq!(found.starts.first(), Some(&0), "{found:?}");
            assert!(found.starts.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
        }
        assert!(noise_sigma(&list(rng, 9, time)) >= 0.0);
        let _ = noise_sigma(&list(rng, 9, number));
        let mut now = 0.0;
        let samples: Vec<Sample> = list(rng, 30, |rng| {
            now += time(rng).min(1e6);
            let odd = rng.random_range(0..60) == 0;
            Sample { t_s: if odd { number(rng) } else { now + 1e-3 }, throughput: time(rng) }
        });
        let rule = RecoveryRule {
            control: if rng.random() { 5.0 } else { number(rng) },
            share: if rng.random() { 0.5 } else { number(rng) },
            hold_s: if rng.random() { 3.0 } else { number(rng) },
            start_s: if rng.random() { 0.0 } else { number(rng) },
            one_operation: rng.random::<bool>().then(|| number(rng)),
            penalty: rng.random::<bool>().then(|| number(rng)),
            least_samples: rng.random_range(0..4),
        };
        if let Some(found) = answered(recovery(&samples, &rule)) {
            let _ = (found.time_to_recovery(), found.stall_duration());
            assert!(!found.phases.is_empty(), "{found:?}");
        }
    });
}

#[test]
fn power_and_multiplicity() {
    rounds(ROUNDS, |rng| {
        let level = level(rng);
        let alternative = one_of(rng, &Alternative::ALL);
        answered(none_of_n::trials(number(rng), level));
        answered(power_of_hazards::events(
            number(rng),
            number(rng),
            number(rng),
            level,
            alternative,
        ));
        let test = one_of(rng, &two_proportions::PowerTest::ALL);
        let design =
            two_proportions::Design::new(number(rng), number(rng), test, level, alternative);
        if let Some(design) = answered(design) {
            let n = count(rng);
            let n = if n > 40 && n < 1_000_000 { 40 } else { n };
            if let Some(found) = answered(two_proportions::at(&design, n)) {
                assert!((0.0..=1.0 + 1e-12).contains(&found.power), "{found:?}");
            }
        }
        let p: Vec<f64> = list(rng, 6, |rng| if rng.random() { rng.random() } else { number(rng) });
        for adjusted in [multiplicity::holm(&p), multiplicity::benjamini_hochberg(&p)] {
            for (raw, adjusted) in p.iter().zip(answered(adjusted).into_iter().flatten()) {
                assert!(adjusted >= *raw - 1e-15 && adjusted <= 1.0, "{raw} {adjusted}");
            }
        }
    });
    // Dear ones: a few.
    rounds(12, |rng| {
        let method = one_of(rng, &interval_width::IntervalMethod::ALL);
        answered(interval_width::trials(number(rng), number(rng), level(rng), method));
        answered(interval_width::trials(number(rng), 0.1, Level::P95, method));
    });
}
