//! What was compared though it was not measured alike.

use analysis::compare::Unlike;
use stats::words::list;

/// Of a forced comparison.
pub fn forced(unlike: &Unlike) -> String {
    match unlike {
        Unlike::Kernels { side, kernels } => {
            format!("Forced: the {} side pools the kernels {}.", side.name(), list(kernels))
        }
        other => format!("Forced: {other}. This may be the difference between the sides."),
    }
}
