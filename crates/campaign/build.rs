//! Puts the definitions of `experiments/` into the program, so that it runs them anywhere.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let folder = here.join("../../experiments");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{} can't be read: {error}", folder.display()))
        .filter_map(|file| file.ok().map(|file| file.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    let mut list = String::from("[\n");
    for file in files {
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let path = fs::canonicalize(&file).expect("it was just listed");
        list.push_str(&format!(
            "    ({name:?}, include_str!({:?})),\n",
            path.display().to_string()
        ));
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(Path::new(&out).join("built_in.rs"), list).expect("cargo's folder is writable");
}
