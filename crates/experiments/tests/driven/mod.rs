//! Drives the binary as a user does, in a folder of its own.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// A user's folder, with the binary at hand.
pub struct User {
    folder: tempfile::TempDir,
}

impl User {
    pub fn new() -> User {
        User { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The binary with `args`, which are split at spaces.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
        command.args(args.split_whitespace()).current_dir(self.folder.path());
        command
    }

    /// Runs it to its end.
    pub fn experiments(&self, args: &str) -> Ended {
        Ended::from(self.command(args).stdin(Stdio::null()).output().expect("started"))
    }

    /// Starts it.
    pub fn start(&self, args: &str) -> Child {
        self.command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started")
    }

    /// Rows of a CSV, each by column name.
    pub fn rows(&self, name: &str) -> Vec<Row> {
        let mut reader = csv::Reader::from_path(self.path(name)).expect("a CSV");
        let header = reader.headers().expect("a header").clone();
        reader
            .records()
            .map(|row| {
                let row = row.expect("a row");
                Row(header.iter().map(str::to_string).zip(row.iter().map(str::to_string)).collect())
            })
            .collect()
    }

    /// Waits until a file has `lines` lines.
    pub fn wait_for_lines(&self, name: &str, lines: usize, child: &mut Child) {
        loop {
            let text = fs::read_to_string(self.path(name)).unwrap_or_default();
            if text.lines().count() >= lines {
                return;
            }
            if let Some(status) = child.try_wait().expect("waited") {
                panic!("it ended with {status} before {name} had {lines} lines");
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

/// A row by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<(String, String)>);

impl std::ops::Index<&str> for Row {
    type Output = String;

    fn index(&self, column: &str) -> &String {
        let cell = self.0.iter().find(|(name, _)| name == column);
        &cell.unwrap_or_else(|| panic!("no column {column}")).1
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Ended {
        Ended {
            status: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ended {
    /// That it succeeded; its standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.status, Some(0), "{self:?}");
        self.out
    }

    /// That it ended with 2 and one sentence that holds all of `parts`.
    #[track_caller]
    pub fn refused(&self, parts: &[&str]) {
        assert_eq!(self.status, Some(2), "{self:?}");
        assert_eq!(self.out, "", "nothing on standard output");
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in: {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }
}

/// The private hash of the kernel that the tests run on: whether slots can be set.
pub fn has_private_hash() -> bool {
    matches!(kernel_abi::futex_hash::support(), Ok((kernel_abi::futex_hash::Support::Private, _)))
}
