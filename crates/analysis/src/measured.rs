//! What `metrics.csv` holds of each trial: results of its work, and the facts that rules look at.

use std::collections::HashMap;

use model::columns::METRICS;
use model::outcome::{fact, reported};
use records::RecordError;
use records::table::Table;

use crate::data::Trial;
use crate::run::Run;

const FILE: &str = "metrics.csv";

/// The metrics of a data set by their names and units; a trial has the places in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names(Vec<(String, String)>);

impl Names {
    /// The name and the unit of a metric.
    pub fn get(&self, at: u32) -> (&str, &str) {
        let name = self.0.get(at as usize);
        name.map_or(("", ""), |(name, unit)| (name.as_str(), unit.as_str()))
    }

    /// All that are results of trials' work, by name.
    pub fn results(&self) -> Vec<&(String, String)> {
        let mut all: Vec<_> = self.0.iter().filter(|(name, _)| !fact::is_one(name)).collect();
        all.sort();
        all
    }

    fn place(&mut self, known: &mut HashMap<(String, String), u32>, name: (String, String)) -> u32 {
        *known.entry(name).or_insert_with_key(|name| {
            self.0.push(name.clone());
            self.0.len() as u32 - 1
        })
    }
}

/// Gives each trial its metrics. Rows of a trial that has none in `trials.csv` are passed over: it was
/// still at work when the file was read.
pub(crate) fn read(runs: &[Run], trials: &mut [Trial]) -> Result<Names, RecordError> {
    let mut names = Names::default();
    let mut known = HashMap::new();
    for (at, run) in runs.iter().enumerate() {
        let file = run.folder.join(FILE);
        let Some(table) = Table::read_begun(&file, &METRICS)? else { continue };
        let mut of: HashMap<u64, &mut Vec<(u32, f64)>> = trials
            .iter_mut()
            .filter(|trial| trial.run == at)
            .map(|trial| (trial.trial, &mut trial.metrics))
            .collect();
        let column = |name| table.column(name).into_iter();
        let rows = column("trial").zip(column("metric")).zip(column("value").zip(column("unit")));
        for (((line, trial), (_, metric)), ((_, value), (_, unit))) in rows {
            // The table's reader has checked that they are numbers.
            let (Ok(trial), Ok(value)) = (trial.parse::<u64>(), value.parse::<f64>()) else {
                continue;
            };
            let bad = |problem: String| RecordError::Row { file: file.clone(), line, problem };
            if metric == reported::METRIC && value != 0.0 && value != 1.0 {
                return Err(bad(format!("{metric} is \"{value}\": accepted is 1 or 0")));
            }
            let Some(metrics) = of.get_mut(&trial) else { continue };
            let is_fact = fact::is_one(&metric);
            let place = names.place(&mut known, (metric, unit));
            if is_fact && metrics.iter().any(|(known, _)| *known == place) {
                let (metric, _) = names.get(place);
                return Err(bad(format!("trial {trial} has the metric {metric} twice")));
            }
            metrics.push((place, value));
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use crate::data::Data;
    use crate::synthetic::Synthetic;

    fn read(rows: &str) -> Result<Vec<Vec<(String, f64)>>, String> {
        let mut made = Synthetic::new(2);
        made.trial(2, "auto");
        made.trial(2, "auto");
        let (_folder, run) = made.written();
        std::fs::write(run.join("metrics.csv"), format!("trial,metric,value,unit\n{rows}"))
            .unwrap();
        let data = Data::read(&[run]).map_err(|error| error.to_string())?;
        let name = |at: u32| data.names.get(at).0.to_string();
        let of = |metrics: &Vec<(u32, f64)>| {
            metrics.iter().map(|(at, value)| (name(*at), *value)).collect()
        };
        Ok(data.trials.iter().map(|trial| of(&trial.metrics)).collect())
    }

    #[test]
    fn each_trial_has_its_own() {
        let read = read("1,stalled,1,1\n1,seconds,7,s\n2,stalled,0,1\n3,seconds,9,s\n").unwrap();
        let stalled = |value| ("stalled".to_string(), value);
        assert_eq!(read, [vec![stalled(1.0), ("seconds".into(), 7.0)], vec![stalled(0.0)]]);
    }

    #[test]
    fn a_fact_that_is_none_or_stands_twice_is_named() {
        assert!(read("1,stalled,0.5,1\n").unwrap_err().contains("line 2: stalled is \"0.5\""));
        assert!(read("1,stalled,1,1\n1,stalled,1,1\n").unwrap_err().contains("line 3: trial 1"));
    }
}
