//! What the lab and its guest say to one another: a line of JSON, and behind it what is passed on
//! as it is.

use serde::{Deserialize, Serialize};
use serde_json::Error;

use model::spec::TrialSpec;

/// The protocol's number; a guest of another build is told apart by it.
pub const PROTOCOL: u32 = 1;

/// What the lab asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Do a trial.
    Trial {
        /// The trial to do.
        spec: Box<TrialSpec>,
        /// After how many seconds it is killed.
        limit_s: f64,
    },
    /// Say the last reply again: it came damaged.
    Again,
    /// Switch off.
    PowerOff,
}

/// What the guest answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// It has booted and waits for trials.
    Ready(Ready),
    /// A trial's process has ended. What it wrote to standard output follows the line.
    Ended {
        /// Its number in the run.
        trial: u64,
        /// How.
        how: Ended,
        /// What it wrote to standard error.
        said: String,
    },
    /// The request can't be followed; a sentence.
    Refused(String),
    /// The request came damaged: say it again.
    Damaged,
}

/// What a guest is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// [`PROTOCOL`] of its build.
    pub protocol: u32,
    /// `uname -r`.
    pub release: String,
    /// `uname -v`.
    pub version: String,
    /// CPUs online.
    pub cpus: u32,
    /// NUMA nodes that have CPUs.
    pub nodes: u32,
    /// What its clock is read from: `tsc`.
    pub clocksource: Option<String>,
    /// Seconds since its kernel started, by its own clock.
    pub uptime_s: f64,
}

/// How a trial's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal, by name.
    Signalled(String),
    /// It still ran at its time limit and was killed.
    Limit,
    /// It could not be started; a sentence.
    NotStarted(String),
}

/// A message as the payload of a frame.
pub fn encode(message: &impl Serialize, behind: &[u8]) -> Result<Vec<u8>, Error> {
    let mut payload = serde_json::to_vec(message)?;
    payload.push(b'\n');
    payload.extend_from_slice(behind);
    Ok(payload)
}

/// A message from the payload of a frame, and what stands behind it.
pub fn decode<'a, M: Deserialize<'a>>(payload: &'a [u8]) -> Result<(M, &'a [u8]), Error> {
    let end = payload.iter().position(|byte| *byte == b'\n').unwrap_or(payload.len());
    let (line, rest) = payload.split_at(end);
    Ok((serde_json::from_slice(line)?, rest.get(1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_and_what_is_behind_it_come_back() {
        let reply = Reply::Ended {
            trial: 7,
            how: Ended::Signalled("SIGSEGV".into()),
            said: "two\nlines".into(),
        };
        let payload = encode(&reply, b"{\"status\":\"ok\"}\n").expect("JSON");
        let (found, behind) = decode::<Reply>(&payload).expect("JSON");
        assert_eq!((found, behind), (reply, &b"{\"status\":\"ok\"}\n"[..]));
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert!(decode::<Reply>(b"").is_err());
        assert!(decode::<Reply>(b"{\"ready\":{}}\n").is_err());
        assert!(decode::<Request>(b"\xff\xfe\n").is_err());
        assert_eq!(decode::<Request>(b"\"again\"").expect("JSON"), (Request::Again, &b""[..]));
    }
}
