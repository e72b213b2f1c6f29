//! A trial as a process: reads one spec as a line of JSON on standard input, does it, writes one
//! record as a line of JSON on standard output, and ends.
//!
//! Exit status: 0 with a record of whatever became of the trial; 2 when the spec can't be read,
//! with a record that says so; 1 when the record can't be written.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use kernel_abi::signal;
use model::record::{Status, TrialRecord};
use model::spec::TrialSpec;
use stallscope_trial::guest_init;

fn main() -> ExitCode {
    // The kernel starts it so in a guest of the lab, as the first process. What that kernel does not
    // know of its command line comes first: `nowatchdog` where it was built without one.
    let mut arguments = std::env::args().skip(1).skip_while(|word| word != guest_init::ARGUMENT);
    if arguments.next().is_some() {
        guest_init::run(&arguments.next().unwrap_or_default());
    }
    // A record beyond a limit of file sizes is told and not this process's silent end.
    signal::outlive_file_limit();
    // Where memory runs out, the trial is to go and not the runner. More than that it is not.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    let spec = match read {
        Err(error) => Err(format!("the spec can't be read from standard input: {error}")),
        Ok(0) => Err("no spec on standard input; race-trial reads one line of JSON".into()),
        Ok(_) => serde_json::from_str::<TrialSpec>(&line)
            .map_err(|error| format!("the spec on standard input is not one: {error}")),
    };
    let (record, mut status) = match spec {
        Ok(spec) => (stallscope_trial::run(&spec), ExitCode::SUCCESS),
        Err(error) => (TrialRecord::failed(Status::Refused, error), ExitCode::from(2)),
    };
    let written = serde_json::to_string(&record)
        .map_err(io::Error::from)
        .and_then(|line| writeln!(io::stdout().lock(), "{line}"));
    if let Err(error) = written {
        let _ = writeln!(io::stderr(), "race-trial: the record can't be written: {error}");
        status = ExitCode::FAILURE;
    }
    status
}
