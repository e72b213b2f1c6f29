//! The result of a hypothesis test.

use serde::Serialize;

/// Which departure from the null hypothesis a test looks for. For a comparison it is about the
/// test side against the base side: `Less` says that the test side is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alternative {
    /// Either direction.
    TwoSided,
    /// The test side is smaller.
    Less,
    /// The test side is greater.
    Greater,
}

impl Alternative {
    /// All three, in the order in which tables show them.
    pub const ALL: [Alternative; 3] =
        [Alternative::TwoSided, Alternative::Less, Alternative::Greater];
}

/// A test by name. `statistic` is `None` where the test has none of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestResult {
    /// The method by its name in docs/reference/commands.md: `fisher`, `log-rank`, …
    pub method: &'static str,
    /// The alternative hypothesis.
    pub alternative: Alternative,
    /// The test statistic.
    pub statistic: Option<f64>,
    /// The p-value in [0, 1]; `None` where the test is not defined on the data.
    pub p_value: Option<f64>,
}
