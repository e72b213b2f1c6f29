//! Definitions.

use campaign::plan::{Plan, Site};
use model::definition::parse;

use crate::refused;

/// A definition is read, or refused with a line that the text has.
pub fn definition(text: &str) {
    match parse("any.toml", "any", text) {
        Ok(read) => {
            assert!(!read.name.is_empty(), "a definition without a name");
            read.control();
            let site = Site { cpus: 8, kernels: vec!["7.3".to_string()] };
            match Plan::new(&read, &site) {
                Ok(plan) => assert_eq!(plan.rows().len(), plan.trials.len()),
                Err(error) => refused(&error),
            }
        }
        Err(error) => {
            let lines = text.matches('\n').count() + 1;
            assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error}");
            refused(&error);
        }
    }
}
