//! How often the verdict's rules err: known truths, drawn data, counted verdicts.
//!
//! A verdict is wrong if it claims what is not true of the setting it was drawn from: fewer stalls where
//! there are not fewer, more where there are not more, at most the bound where it is more, no relevant
//! effect where there is one. `undecided` claims nothing and is never wrong; how often it is said is
//! what more trials are for.

use std::collections::HashMap;
use std::sync::Mutex;

use analysis::compare::units::{Unit, Units};
use analysis::compare::verdict::{Kind, Rules, decide};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use stats::clusters::Cluster;
use stats::{StatError, stream};

use super::percent;

/// What the trials of a boot, or of a stretch of time, have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shared {
    /// Nothing: trials are independent, and are the units.
    Nothing,
    /// So many boots a side, whose log-odds have a normal effect with this standard deviation.
    Boots(u64, f64),
    /// So many boots a side; of the test side's, this share is bad and stalls with this probability.
    BadBoots(u64, f64, f64),
    /// So many stretches a side in turns, while the log-odds drift: after each stretch half of what they are is
    /// kept, and the rest drawn anew, with this standard deviation in all.
    Drift(u64, f64),
}

impl Shared {
    /// In words, for tables.
    pub fn in_words(self) -> String {
        match self {
            Shared::Nothing => "trials".to_string(),
            Shared::Boots(boots, 0.0) => format!("{boots} boots"),
            Shared::Boots(boots, sd) => format!("{boots} boots with sd {sd}"),
            Shared::BadBoots(boots, share, _) => format!("{boots} boots with {share} bad"),
            Shared::Drift(1, sd) => format!("one stretch a side with drift of sd {sd}"),
            Shared::Drift(stretches, sd) => {
                format!("{stretches} stretches in turns with drift of sd {sd}")
            }
        }
    }

    fn count(self) -> u64 {
        match self {
            Shared::Nothing => 1,
            Shared::Boots(n, _) | Shared::BadBoots(n, ..) | Shared::Drift(n, _) => n,
        }
    }
}

/// A truth and a design.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// What it is about.
    pub truth: &'static str,
    /// Stall probabilities of each stratum, base then test.
    pub strata: Vec<[f64; 2]>,
    /// Trials of each stratum, base then test; one for all where they are alike.
    pub n: Vec<[u64; 2]>,
    /// What trials share.
    pub shared: Shared,
    /// How often the data are looked at: 2 is that an undecided verdict is given as many trials again,
    /// added to the first, and decided once more.
    pub looks: u64,
}

/// A permutation test takes thousands of times as long as a look at a known table: fewer data sets are drawn
/// where boots or stretches are the units, by this factor.
const CLUSTERED: usize = 5;

/// How often each verdict was given.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates {
    /// Under which truth.
    pub setting: Setting,
    /// Data sets drawn.
    pub data_sets: usize,
    /// The share of each verdict, in the order of [`Kind::ALL`].
    pub shares: [f64; 5],
    /// The share of wrong verdicts.
    pub wrong: f64,
}

impl Setting {
    /// The mean stall probabilities, base then test.
    fn means(&self) -> Vec<[f64; 2]> {
        let mean = |&[base, test]: &[f64; 2]| match self.shared {
            Shared::BadBoots(_, share, bad) => [base, (1.0 - share) * test + share * bad],
            _ => [base, test],
        };
        self.strata.iter().map(mean).collect()
    }

    fn trials(&self, stratum: usize) -> [u64; 2] {
        self.n.get(stratum).or(self.n.first()).copied().unwrap_or_default()
    }

    /// The trials in words: `24`, or a stratum each, `200; 20 and 3` for base and test.
    pub fn n_in_words(&self) -> String {
        let one = |[base, test]: &[u64; 2]| match base == test {
            true => base.to_string(),
            false => format!("{base} and {test}"),
        };
        self.n.iter().map(one).collect::<Vec<String>>().join("; ")
    }
}

impl Rates {
    /// The stall probabilities, base to test, of each stratum: `0.9 to 0; 0.3 to 0`.
    pub fn strata_in_words(&self) -> String {
        let one = |[base, test]: &[f64; 2]| format!("{base} to {test}");
        self.setting.strata.iter().map(one).collect::<Vec<String>>().join("; ")
    }

    /// The standard error of the share of wrong ones.
    pub fn standard_error(&self) -> f64 {
        (self.wrong * (1.0 - self.wrong) / self.data_sets.max(1) as f64).sqrt()
    }
}

const COLUMNS: [&str; 13] = [
    "truth",
    "strata",
    "n_per_side",
    "units",
    "looks",
    "data_sets",
    "fixed",
    "reduced",
    "large_effect_excluded",
    "worse",
    "undecided",
    "wrong",
    "standard_error",
];

/// docs/appendix/verdict.csv: a row a setting.
pub fn csv(rates: &[Rates]) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for one in rates {
        let setting = &one.setting;
        let mut row = vec![
            setting.truth.to_string(),
            one.strata_in_words(),
            setting.n_in_words(),
            setting.shared.in_words(),
            setting.looks.to_string(),
            one.data_sets.to_string(),
        ];
        // Five digits are more than the data sets give.
        row.extend(one.shares.map(|share| format!("{share:.5}")));
        row.extend([one.wrong, one.standard_error()].map(|share| format!("{share:.5}")));
        // No cell holds a comma or a quote.
        text += &(row.join(",") + "\n");
    }
    text
}

/// A line a setting, its wrong verdicts last: `mended, 0.9 to 0, n = 20: 97.0 % Fixed, …; wrong 0.0 %`.
pub fn table(rates: &[Rates]) -> String {
    let line = |one: &Rates| {
        let shares: Vec<String> = Kind::ALL
            .iter()
            .zip(one.shares)
            .filter(|(_, share)| *share > 0.0)
            .map(|(kind, share)| format!("{} {kind:?}", percent(share)))
            .collect();
        format!(
            "{}, {}, n = {}, {}: {}; wrong {}\n",
            one.setting.truth,
            one.strata_in_words(),
            one.setting.n_in_words(),
            one.setting.shared.in_words(),
            shares.join(", "),
            percent(one.wrong)
        )
    };
    rates.iter().map(line).collect()
}

/// Whether a verdict is false of a truth.
pub fn is_wrong(kind: Kind, strata: &[[f64; 2]], rules: Rules) -> bool {
    // With the same trials everywhere Mantel and Haenszel's weights are equal: sums give the common
    // ratio. With others they tell which way it goes, which is all that is asked of them then.
    let sum = |side: usize| strata.iter().map(|stratum| stratum[side]).sum::<f64>();
    let (base, test) = (sum(0), sum(1));
    match kind {
        Kind::Fixed => {
            let at_risk: Vec<&[f64; 2]> = strata.iter().filter(|s| s[0] > 0.0).collect();
            let left = at_risk.iter().map(|s| s[1]).sum::<f64>() / at_risk.len().max(1) as f64;
            test >= base || left > rules.fixed_below
        }
        Kind::Reduced => test >= base,
        Kind::Worse => strata.iter().all(|[base, test]| test <= base),
        Kind::LargeEffectExcluded => {
            test <= rules.relevant_ratio * base || test * rules.relevant_ratio >= base
        }
        Kind::Undecided => false,
    }
}

/// The settings of docs/appendix/verdict-error-rates.md. The last of a truth's designs are the larger ones.
pub fn settings() -> Vec<Setting> {
    let mut all = Vec::new();
    let mut add = |truth, strata: &[[f64; 2]], sizes: &[u64], looks| {
        for &n in sizes {
            let (n, shared) = (vec![[n, n]], Shared::Nothing);
            all.push(Setting { truth, strata: strata.to_vec(), n, shared, looks });
        }
    };
    let three = |of: [f64; 2]| [of, of, of];
    // Nothing changes.
    for p in [0.02, 0.17, 0.5, 0.9, 1.0] {
        add("no effect", &[[p, p]], &[10, 24, 100], 1);
    }
    add("no effect", &three([0.17, 0.17]), &[10, 24], 1);
    add("no effect", &[[0.02, 0.02], [0.3, 0.3], [0.9, 0.9]], &[10, 24], 1);
    add("no effect", &[[0.0, 0.0]], &[24, 100], 1);
    add("no effect; looked at twice", &[[0.17, 0.17]], &[24], 2);
    add("no effect; looked at twice", &[[0.5, 0.5]], &[10, 24], 2);
    // It is mended, all of it or some.
    add("mended", &[[0.17, 0.0]], &[24, 46, 59], 1);
    add("mended", &[[0.9, 0.0]], &[8, 20, 59], 1);
    add("mended", &three([0.9, 0.0]), &[8, 20], 1);
    add("mended", &[[0.02, 0.0], [0.3, 0.0], [0.9, 0.0]], &[10, 20, 40], 1);
    // At the bound, where `fixed` is wrong most often.
    add("left just above the bound", &[[0.9, 0.0501]], &[59, 100, 200], 1);
    add("left just above the bound", &three([0.9, 0.0501]), &[20, 59], 1);
    add("left in one stratum", &[[0.9, 0.0], [0.9, 0.0], [0.9, 0.16]], &[20, 59], 1);
    // At the edge of relevance, where `large effect excluded` is wrong most often.
    add("halved", &[[0.5, 0.25]], &[24, 100, 200], 1);
    add("halved", &[[0.9, 0.45]], &[10, 24, 100], 1);
    add("halved", &three([0.5, 0.25]), &[24], 1);
    add("doubled", &[[0.25, 0.5]], &[24, 100], 1);
    // A little better: that is then right.
    add("a tenth better", &[[0.9, 0.81]], &[10, 24, 100], 1);
    // Better here, worse there.
    add("better in two; worse in one", &[[0.9, 0.1], [0.9, 0.1], [0.1, 0.5]], &[10, 24], 1);
    add("halved in one; doubled in one", &[[0.6, 0.3], [0.3, 0.6]], &[10, 24, 100], 1);
    // Few trials where it matters most.
    let mut unequal = |truth, strata: &[[f64; 2]], n: &[[u64; 2]]| {
        let (n, shared) = (n.to_vec(), Shared::Nothing);
        all.push(Setting { truth, strata: strata.to_vec(), n, shared, looks: 1 });
    };
    let two = [[0.05, 0.0], [1.0, 0.1002]];
    let (many, truth) = ([200, 200], "left in the smaller stratum");
    unequal(truth, &two, &[many, [20, 3]]);
    unequal(truth, &two, &[many, [20, 20]]);
    unequal(truth, &two, &[many, [59, 59]]);
    unequal("left just above the bound", &[[0.9, 0.0501]; 2], &[[60, 30], [200, 200]]);
    unequal("left just above the bound", &[[0.9, 0.0501]; 2], &[[24, 60], [24, 200]]);
    let small = [[0.3, 0.002], [0.9, 0.0982]];
    unequal("left just above the bound", &small, &[[24, 400], [24, 60]]);
    unequal("left just above the bound", &small, &[[24, 60], [24, 400]]);
    unequal("mended", &[[0.05, 0.0], [1.0, 0.0]], &[many, [20, 30]]);
    // Trials that share what their boot drew, or when they were measured.
    let mut clustered = |truth, strata: &[[f64; 2]], n: u64, shared| {
        let (strata, n) = (strata.to_vec(), vec![[n, n]]);
        all.push(Setting { truth, strata, n, shared, looks: 1 });
    };
    let three = [[0.3, 0.3], [0.5, 0.5], [0.7, 0.7]];
    for sd in [0.0, 0.5, 1.0] {
        for boots in [1, 4, 5, 10] {
            clustered("no effect", &three, 20, Shared::Boots(boots, sd));
        }
    }
    clustered("no effect", &[[0.17, 0.17]], 60, Shared::Boots(12, 1.0));
    clustered("no effect", &[[0.9, 0.9]], 60, Shared::Boots(12, 1.0));
    for boots in [1, 4, 5, 12, 20, 60] {
        clustered("one boot in five is bad", &[[0.9, 0.0]], 60, Shared::BadBoots(boots, 0.2, 0.9));
    }
    for boots in [5, 12, 20, 60] {
        clustered("one boot in ten is bad", &[[0.9, 0.0]], 60, Shared::BadBoots(boots, 0.1, 0.9));
    }
    for stretches in [1, 5, 10] {
        clustered("no effect", &three, 20, Shared::Drift(stretches, 1.0));
    }
    // What it costs.
    for (boots, sd) in [(5, 0.0), (10, 0.0), (10, 0.5), (10, 1.0)] {
        clustered("a fifth is left", &[[0.5, 0.1]], 40, Shared::Boots(boots, sd));
    }
    for boots in [12, 59] {
        clustered("mended", &[[0.9, 0.0]], 59, Shared::Boots(boots, 0.5));
    }
    clustered("halved", &[[0.5, 0.25]], 100, Shared::Boots(10, 0.5));
    clustered("a tenth better", &[[0.9, 0.81]], 100, Shared::Boots(10, 0.5));
    all
}

/// Draws and decides.
///
/// # Errors
/// Fewer than 100 data sets.
pub fn simulate(
    settings: &[Setting],
    data_sets: usize,
    rules: Rules,
    seed: u64,
) -> Result<Vec<Rates>, StatError> {
    if data_sets < 100 {
        return Err(StatError::domain("the number of data sets", data_sets, "100 or more"));
    }
    let sets = |setting: &Setting| match setting.shared {
        Shared::Nothing => data_sets,
        _ => data_sets.div_ceil(CLUSTERED),
    };
    settings.iter().map(|setting| one(setting, sets(setting), rules, seed)).collect()
}

fn one(setting: &Setting, data_sets: usize, rules: Rules, seed: u64) -> Result<Rates, StatError> {
    // The same table comes often where trials are the units.
    let known: Mutex<HashMap<Vec<[[u64; 2]; 2]>, Kind>> = Mutex::new(HashMap::new());
    let decided = |units: &Units, set: usize| -> Result<Kind, StatError> {
        if units.unit != Unit::Trial {
            return Ok(decide(units, rules, set as u64)?.kind);
        }
        let counts = units.strata();
        if let Some(kind) = known.lock().ok().and_then(|known| known.get(&counts).copied()) {
            return Ok(kind);
        }
        let kind = decide(units, rules, seed)?.kind;
        if let Ok(mut known) = known.lock() {
            known.insert(counts, kind);
        }
        Ok(kind)
    };
    let kinds: Vec<Kind> = (0..data_sets)
        .into_par_iter()
        .map(|set| {
            let mut rng = stream::stream(seed, set as u64);
            let mut units = units(setting, &mut rng);
            let mut kind = decided(&units, set)?;
            for _ in 1..setting.looks {
                if kind != Kind::Undecided {
                    break;
                }
                let more = self::units(setting, &mut rng);
                let counts = units.clusters.iter_mut().zip(more.clusters);
                for (sum, more) in counts.flat_map(|(a, b)| a.strata.iter_mut().zip(b.strata)) {
                    *sum = [sum[0] + more[0], sum[1] + more[1]];
                }
                kind = decided(&units, set)?;
            }
            Ok(kind)
        })
        .collect::<Result<_, StatError>>()?;
    let mut shares = [0.0; 5];
    let mut wrong = 0.0;
    let means = setting.means();
    for kind in &kinds {
        if let Some(at) = Kind::ALL.iter().position(|one| one == kind) {
            shares[at] += 1.0;
        }
        if is_wrong(*kind, &means, rules) {
            wrong += 1.0;
        }
    }
    let shares = shares.map(|count| count / data_sets as f64);
    let wrong = wrong / data_sets as f64;
    Ok(Rates { setting: setting.clone(), data_sets, shares, wrong })
}

/// A data set.
fn units(setting: &Setting, rng: &mut impl Rng) -> Units {
    let count = setting.shared.count();
    let normal = |rng: &mut dyn FnMut() -> f64| {
        // Box and Muller.
        (-2.0 * (1.0 - rng()).ln()).sqrt() * (std::f64::consts::TAU * rng()).cos()
    };
    let moved = |p: f64, by: f64| match p {
        0.0 | 1.0 => p,
        p => 1.0 / (1.0 + (-(p / (1.0 - p)).ln() - by).exp()),
    };
    let mut clusters = Vec::new();
    let mut drift: Option<f64> = None;
    // In turns, as they are measured.
    for boot in 0..count {
        for is_test in [false, true] {
            let side = usize::from(is_test);
            let (mut by, mut bad) = (0.0, None);
            match setting.shared {
                Shared::Nothing => {}
                Shared::Boots(_, sd) => by = sd * normal(&mut || rng.random()),
                Shared::BadBoots(_, share, p) => {
                    bad = (is_test && rng.random::<f64>() < share).then_some(p);
                }
                Shared::Drift(_, sd) => {
                    let new = sd * normal(&mut || rng.random());
                    by = drift.map_or(new, |last| 0.5 * last + 0.75_f64.sqrt() * new);
                    drift = Some(by);
                }
            }
            let strata = (0..setting.strata.len())
                .map(|at| {
                    let all = setting.trials(at)[side];
                    let n = all / count + u64::from(boot < all % count);
                    let p = bad.unwrap_or_else(|| moved(setting.strata[at][side], by));
                    [drawn(rng, n, p), n]
                })
                .collect();
            clusters.push(Cluster { is_test, strata });
        }
    }
    let (unit, groups) = match setting.shared {
        Shared::Nothing => (Unit::Trial, vec![0, 0]),
        Shared::Drift(..) => (Unit::Stretch, (0..clusters.len()).collect()),
        Shared::Boots(..) | Shared::BadBoots(..) => (Unit::Boot, (0..clusters.len()).collect()),
    };
    Units { unit, clusters, groups }
}

fn drawn(rng: &mut impl Rng, n: u64, p: f64) -> u64 {
    (0..n).filter(|_| rng.random::<f64>() < p).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small part of docs/appendix/verdict.csv, drawn again: no verdict errs more often than its level, and
    /// the shares are the committed ones within their error.
    #[test]
    fn the_committed_rates_are_drawn_again() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/appendix/verdict.csv");
        let text = std::fs::read_to_string(file).unwrap();
        let mut rows = ::csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<::csv::StringRecord> = rows.records().map(Result::unwrap).collect();
        let all = settings();
        assert_eq!(rows.len(), all.len(), "docs/appendix/verdict.csv has a row a setting");
        const DRAWN: usize = 1_000;
        for (at, (setting, row)) in all.iter().zip(&rows).enumerate() {
            assert_eq!(&row[0], setting.truth);
            assert_eq!([&row[2], &row[3]], [setting.n_in_words(), setting.shared.in_words()]);
            // Every sixth, and of those the quick ones.
            if at % 6 != 0 || setting.n.iter().flatten().any(|n| *n > 60) {
                continue;
            }
            let rates =
                &simulate(std::slice::from_ref(setting), DRAWN, Rules::default(), 2).unwrap()[0];
            for (share, column) in rates.shares.iter().zip(6..) {
                let committed: f64 = row[column].parse().unwrap();
                let drawn = rates.data_sets;
                let error =
                    (committed.max(0.002) * (1.0 - committed).max(0.002) / drawn as f64).sqrt();
                assert!((share - committed).abs() < 5.0 * error, "{setting:?} {share} {committed}");
            }
        }
    }

    #[test]
    fn no_committed_rate_is_above_what_the_rules_promise() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/appendix/verdict.csv");
        let text = std::fs::read_to_string(file).unwrap();
        for row in ::csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap) {
            let (wrong, error): (f64, f64) = (row[11].parse().unwrap(), row[12].parse().unwrap());
            let promised = if &row[4] == "1" { 0.05 } else { 0.075 };
            assert!(wrong <= promised + 3.0 * error, "{row:?}");
        }
    }

    /// The table of verdict-error-rates.md is that of verdict.csv, row by row, but for rounding.
    #[test]
    fn the_table_to_read_is_the_committed_one() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/appendix/");
        let csv = std::fs::read_to_string(format!("{docs}verdict.csv")).unwrap();
        let page = std::fs::read_to_string(format!("{docs}verdict-error-rates.md")).unwrap();
        let rows = ::csv::Reader::from_reader(csv.as_bytes()).into_records().map(Result::unwrap);
        let table = page.lines().skip_while(|line| !line.starts_with("| truth |")).skip(2);
        let table = table.take_while(|line| line.starts_with('|'));
        let table: Vec<Vec<&str>> =
            table.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect();
        assert_eq!(table.len(), settings().len());
        for (row, shown) in rows.zip(table) {
            assert_eq!([&row[0], &row[2], &row[3]], [shown[0], shown[2], shown[3]]);
            for (share, shown) in row.iter().skip(6).take(6).zip(&shown[4..]) {
                let (share, shown): (f64, f64) = (share.parse().unwrap(), shown.parse().unwrap());
                assert!((100.0 * share - shown).abs() < 0.0501, "{row:?} {shown}");
            }
        }
    }

    #[test]
    fn what_is_false_of_a_truth() {
        let wrong = |kind, strata: &[[f64; 2]]| is_wrong(kind, strata, Rules::default());
        assert!(wrong(Kind::Reduced, &[[0.5, 0.5]]) && !wrong(Kind::Reduced, &[[0.5, 0.4]]));
        assert!(wrong(Kind::Fixed, &[[0.9, 0.06]]) && !wrong(Kind::Fixed, &[[0.9, 0.05]]));
        assert!(
            wrong(Kind::Worse, &[[0.5, 0.5]]) && !wrong(Kind::Worse, &[[0.9, 0.1], [0.1, 0.5]])
        );
        assert!(wrong(Kind::LargeEffectExcluded, &[[0.5, 0.25]]));
        assert!(!wrong(Kind::LargeEffectExcluded, &[[0.5, 0.3]]));
        assert!(!wrong(Kind::Undecided, &[[0.5, 0.0]]));
    }

    #[test]
    fn one_seed_gives_one_result() {
        let (strata, n) = (vec![[0.5, 0.1]], vec![[12, 12]]);
        let setting = Setting { truth: "x", strata, n, shared: Shared::Boots(6, 1.0), looks: 2 };
        let draw = || simulate(std::slice::from_ref(&setting), 200, Rules::default(), 3).unwrap();
        assert_eq!(draw(), draw());
        assert!(simulate(std::slice::from_ref(&setting), 10, Rules::default(), 3).is_err());
    }
}
