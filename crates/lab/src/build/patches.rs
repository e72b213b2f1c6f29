//! Patches over the tree: those of the last build are taken out, those of this one put in.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{Step, tail};
use crate::cache::write_whole;
use crate::error::LabError;
use crate::kernels::sha256;

/// A patch, as the manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The file's name without its folder.
    pub name: String,
    /// SHA-256 of its text.
    pub sha256: String,
    text: String,
}

/// What is in the tree now.
const APPLIED: &str = "applied.json";

/// Reads patches; a file that holds none is refused.
pub(super) fn read(files: &[PathBuf]) -> Result<Vec<Patch>, LabError> {
    files
        .iter()
        .map(|file| {
            let bytes = fs::read(file).map_err(|error| {
                LabError::Shape(format!("the patch {} can't be read: {error}", file.display()))
            })?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if !text.lines().any(|line| line.starts_with("+++ ")) {
                return Err(LabError::Shape(format!(
                    "{} holds no patch: accepted is a unified diff such as git format-patch writes, with paths below the kernel's top folder (-p1)",
                    file.display()
                )));
            }
            let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            Ok(Patch { name, sha256: sha256(&bytes), text })
        })
        .collect()
}

/// Nothing is applied any more: the tree was made anew.
pub(super) fn forget(folder: &Path) -> Result<(), LabError> {
    let file = folder.join(APPLIED);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(LabError::file("removing", &file, &error))
        }
        _ => Ok(()),
    }
}

/// Takes out what the last build put in, and puts in `patches`. One that doesn't apply leaves the
/// tree without any.
pub(super) fn exchange(
    folder: &Path,
    tree: &Path,
    patches: &[Patch],
    say: &mut dyn FnMut(Step),
) -> Result<(), LabError> {
    let file = folder.join(APPLIED);
    let mut applied: Vec<Patch> = fs::read(&file)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    // What both builds have in common stays, and so do its objects.
    let common =
        applied.iter().zip(patches).take_while(|(old, new)| old.sha256 == new.sha256).count();
    while applied.len() > common {
        let Some(old) = applied.last() else { break };
        patch(tree, old, true).map_err(|said| {
            LabError::Shape(format!(
                "the patch {} of the last build can't be taken out of {} again:\n  {said}\nRemove that folder; it is made anew",
                old.name,
                folder.display()
            ))
        })?;
        applied.pop();
        remember(&file, &applied)?;
    }
    for new in &patches[common..] {
        if let Err(said) = patch(tree, new, false) {
            while let Some(put) = applied.pop() {
                let _ = patch(tree, &put, true);
            }
            remember(&file, &applied)?;
            return Err(LabError::Shape(format!(
                "the patch {} does not apply to this source:\n  {said}\nNothing was built",
                new.name
            )));
        }
        applied.push(new.clone());
        remember(&file, &applied)?;
        say(Step::Patched(new.name.clone()));
    }
    Ok(())
}

fn remember(file: &Path, applied: &[Patch]) -> Result<(), LabError> {
    write_whole(file, &serde_json::to_vec(applied).unwrap_or_default())
}

/// Applies a patch whole or not at all: tried first, without fuzz, since a hunk that lands where
/// its context is another would be another patch.
fn patch(tree: &Path, patch: &Patch, reverse: bool) -> Result<(), Said> {
    run(tree, patch, reverse, true)?;
    run(tree, patch, reverse, false)
}

/// What `patch` said that did not apply a patch.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Said(String);

fn run(tree: &Path, patch: &Patch, reverse: bool, dry: bool) -> Result<(), Said> {
    let mut command = Command::new("patch");
    command.args(["-p1", "--batch", "--fuzz=0", "--no-backup-if-mismatch", "--reject-file=-"]);
    command.arg(if reverse { "--reverse" } else { "--forward" });
    if dry {
        command.arg("--dry-run");
    }
    let mut child = command
        .current_dir(tree)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Said(format!("patch can't be started: {error}")))?;
    let text = patch.text.clone();
    let input = child.stdin.take();
    // Beside, so that neither side waits for the other with a full pipe.
    let writer = std::thread::spawn(move || {
        if let Some(mut input) = input {
            let _ = input.write_all(text.as_bytes());
        }
    });
    let output = child.wait_with_output().map_err(|error| Said(error.to_string()))?;
    let _ = writer.join();
    if output.status.success() {
        return Ok(());
    }
    let mut said = output.stdout;
    said.extend_from_slice(&output.stderr);
    Err(Said(tail(&said, 6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    const OTHER: &str = "--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,3 @@\n a\n-b\n+X\n c\n";
    const ADDS: &str = "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+new\n";

    fn patch_of(name: &str, text: &str) -> Patch {
        Patch { name: name.into(), sha256: sha256(text.as_bytes()), text: text.into() }
    }

    #[test]
    fn patches_are_exchanged_and_a_bad_one_leaves_the_source_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("source");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("f.c"), "a\nb\nc\n").unwrap();
        let content = || fs::read_to_string(tree.join("f.c")).unwrap();
        let exchange =
            |patches: &[Patch]| super::exchange(folder.path(), &tree, patches, &mut |_| {});
        exchange(&[patch_of("one", ONE), patch_of("adds", ADDS)]).unwrap();
        assert_eq!(content(), "a\nB\nc\n");
        assert!(tree.join("new.c").exists());
        exchange(&[patch_of("other", OTHER)]).unwrap();
        assert_eq!(content(), "a\nX\nc\n");
        assert!(!tree.join("new.c").exists());
        let error =
            exchange(&[patch_of("adds", ADDS), patch_of("one", ONE), patch_of("other", OTHER)]);
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("other does not apply") && error.contains("Nothing was built"),
            "{error}"
        );
        assert_eq!(content(), "a\nb\nc\n");
        assert!(!tree.join("new.c").exists());
        exchange(&[]).unwrap();
        assert_eq!(content(), "a\nb\nc\n");
    }

    #[test]
    fn a_file_without_a_diff_is_no_patch() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.txt");
        fs::write(&file, "hello\n").unwrap();
        assert!(read(&[file]).unwrap_err().to_string().contains("holds no patch"));
        assert!(read(&[folder.path().join("gone")]).is_err());
    }
}
