//! Functional checks of a side: those of its runs, added up by name.

use std::collections::BTreeMap;
use std::path::Path;

use records::RecordError;

/// Passed and failed, by the check's name.
pub fn read<'a>(
    runs: impl IntoIterator<Item = &'a Path>,
) -> Result<BTreeMap<String, [u64; 2]>, RecordError> {
    let mut checks: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for run in runs {
        for (name, passed, failed) in crate::checks::read(run)? {
            let sum = checks.entry(name).or_default();
            for (sum, count) in sum.iter_mut().zip([passed, failed]) {
                *sum = sum.saturating_add(count);
            }
        }
    }
    Ok(checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_of_several_runs_add_up_and_a_run_without_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let run = |name: &str, text: &str| {
            let run = folder.path().join(name);
            std::fs::create_dir(&run).unwrap();
            if !text.is_empty() {
                std::fs::write(run.join("checks.csv"), format!("check,passed,failed\n{text}"))
                    .unwrap();
            }
            run
        };
        let runs = [run("a", "x,3,0\n"), run("b", "x,1,2\ny,0,1\n"), run("c", "")];
        let found = read(runs.iter().map(|run| run.as_path())).unwrap();
        assert_eq!(found, BTreeMap::from([("x".into(), [4, 2]), ("y".into(), [0, 1])]));
        std::fs::write(runs[2].join("checks.csv"), "check,passed,failed\nx,many,0\n").unwrap();
        assert!(read([runs[2].as_path()]).unwrap_err().to_string().contains("line 2"));
    }
}
