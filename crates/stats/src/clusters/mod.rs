//! Trials that come in clusters: boots of a guest, machines, stretches of time. Trials of one cluster
//! share what it drew, so the clusters are what is independent, and what is counted.
//!
//! | question | file |
//! | --- | --- |
//! | do the sides differ? | [`permutation`] |
//! | do the sides' times differ? | [`log_rank`] |
//! | how wide must an interval be? | [`design_effect`] |
//! | what is the mean at most, whatever the clusters are like? | [`bounded_mean`] |

pub mod bounded_mean;
pub mod design_effect;
pub mod log_rank;
pub mod permutation;

/// One cluster of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Whether it is of the test side, and not of the base side.
    pub is_test: bool,
    /// Stalls and trials of each stratum, in the order of all clusters' strata; `[0, 0]` where it has
    /// no trial.
    pub strata: Vec<[u64; 2]>,
}

impl Cluster {
    /// Stalls and trials of a stratum.
    fn at(&self, stratum: usize) -> [f64; 2] {
        self.strata.get(stratum).copied().unwrap_or_default().map(|count| count as f64)
    }

    /// The mean of its strata's shares, each stratum counting the same; `None` without a trial.
    pub fn mean_share(&self) -> Option<f64> {
        let shares: Vec<f64> = self
            .strata
            .iter()
            .filter(|[_, n]| *n > 0)
            .map(|[k, n]| *k as f64 / *n as f64)
            .collect();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    }
}

/// How many strata there are.
fn strata(clusters: &[Cluster]) -> usize {
    clusters.iter().map(|cluster| cluster.strata.len()).max().unwrap_or(0)
}
