//! The definitions that can be found: built in, in `./experiments/`, in `--dir`.

use std::path::{Path, PathBuf};

use model::definition::{Definition, DefinitionError, near_names, parse};

/// The definitions that come with the program, by name.
const BUILT_IN: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// A definition that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name: the file's without `.toml`.
    pub name: String,
    /// `built in` or the file.
    pub from: String,
    /// Its text; empty where it can't be read.
    pub text: String,
    /// Why it can't be read. It is kept: an unreadable file must not make another one answer to
    /// its name.
    pub unreadable: Option<String>,
}

impl Entry {
    /// Reads it.
    pub fn definition(&self) -> Result<Definition, DefinitionError> {
        if let Some(problem) = &self.unreadable {
            return Err(DefinitionError {
                file: self.from.clone(),
                line: None,
                problem: format!("it can't be read: {problem}"),
            });
        }
        let file = match self.from.as_str() {
            "built in" => format!("built in {}", self.name),
            file => file.to_string(),
        };
        parse(&file, &self.name, &self.text)
    }
}

/// A name or a file that leads to no definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotFound(pub String);

/// What was found, the later places before the earlier: a file of the user's goes over what is
/// built in.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// By name, each once.
    pub entries: Vec<Entry>,
}

impl Catalog {
    /// Looks in all places. A folder that was asked for and can't be read is an error; that
    /// `./experiments/` is not there is none.
    pub fn find(dir: Option<&Path>) -> Result<Catalog, NotFound> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut add = |entry: Entry| {
            entries.retain(|known| known.name != entry.name);
            entries.push(entry);
        };
        for (name, text) in BUILT_IN {
            add(Entry {
                name: name.to_string(),
                from: "built in".into(),
                text: text.to_string(),
                unreadable: None,
            });
        }
        if let Ok(found) = folder(Path::new("experiments")) {
            found.into_iter().for_each(&mut add);
        }
        if let Some(dir) = dir {
            folder(dir)?.into_iter().for_each(&mut add);
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Catalog { entries })
    }

    /// A definition by its name, or by its file: whatever holds a `/` or ends in `.toml` is a file.
    pub fn get(&self, wanted: &str) -> Result<Entry, NotFound> {
        if wanted.contains('/') || wanted.ends_with(".toml") {
            let path = PathBuf::from(wanted);
            let text = records::input::text(&path).map_err(|error| {
                NotFound(format!("the definition {wanted} can't be read: {error}"))
            })?;
            let name =
                path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
            return Ok(Entry { name, from: wanted.to_string(), text, unreadable: None });
        }
        if let Some(entry) = self.entries.iter().find(|entry| entry.name == wanted) {
            return Ok(entry.clone());
        }
        let known: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        let near = near_names(wanted, known.iter().copied());
        let near = match near.is_empty() {
            true => String::new(),
            false => format!(" Near names: {}.", near.join(", ")),
        };
        let known = known.join(", ");
        Err(NotFound(format!(
            "there is no experiment {wanted:?}.{near} There are: {known}. A file is given with its path or its .toml"
        )))
    }
}

fn folder(dir: &Path) -> Result<Vec<Entry>, NotFound> {
    let unreadable = |error: std::io::Error| {
        NotFound(format!("the folder {} can't be read: {error}", dir.display()))
    };
    let mut found = Vec::new();
    for file in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let Some(name) = path.file_stem() else { continue };
            let (text, unreadable) = match records::input::text(&path) {
                Ok(text) => (text, None),
                Err(error) => (String::new(), Some(error.to_string())),
            };
            found.push(Entry {
                name: name.to_string_lossy().into_owned(),
                from: path.display().to_string(),
                text,
                unreadable,
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_built_in_is_a_definition() {
        assert!(BUILT_IN.iter().any(|(name, _)| *name == "race-sweep"));
        for (name, text) in BUILT_IN {
            let definition = parse(name, name, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(!definition.title.is_empty() && !definition.question.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_name_with_a_typing_error_gets_its_near_names() {
        let catalog = Catalog::find(None).unwrap();
        let message = catalog.get("race-swep").unwrap_err().to_string();
        assert!(message.contains("Near names: race-sweep"), "{message}");
        assert!(catalog.get("zzz").unwrap_err().to_string().contains("There are: "));
        assert!(catalog.get("no/such.toml").unwrap_err().to_string().contains("can't be read"));
    }

    #[test]
    fn an_unreadable_file_keeps_its_name_and_the_others_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("race-sweep.toml"), [0xff, 0xfe]).unwrap();
        let good = "title = \"t\"\n[factors]\nworkload = \"wake-storm\"\nthreads = 1\n";
        std::fs::write(folder.path().join("good.toml"), good).unwrap();
        let catalog = Catalog::find(Some(folder.path())).unwrap();
        assert!(catalog.get("good").unwrap().definition().is_ok());
        let error = catalog.get("race-sweep").unwrap().definition().unwrap_err().to_string();
        assert!(error.contains("race-sweep.toml: it can't be read"), "{error}");
    }

    #[test]
    fn a_folder_that_was_asked_for_must_be_there() {
        assert!(Catalog::find(Some(Path::new("no-such-folder"))).is_err());
    }
}
