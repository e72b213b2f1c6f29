//! Builds the programs that the runner starts, optimised whatever the profile of the runner, and
//! hands their bytes to the crate.
//!
//! `cargo run` builds only the binary that it runs, and a `race-trial` that lies beside it may be
//! of another build. So the trial process travels inside the runner: one file to copy to a
//! machine, and no trial is ever done by a stale program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Package, file that it builds, the constant's name, and the crates that its sources are in.
const PROGRAMS: [(&str, &str, &str, &[&str]); 2] = [
    ("stallscope-trial", "race-trial", "RACE_TRIAL", &["trial", "kernel-abi"]),
    ("stallscope-preload", "libstallscope_preload.so", "PRELOAD", &["preload", "kernel-abi"]),
];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let crates = here.join("..");
    let root = crates.join("..");
    // Beside `build/` in the profile's folder: it outlives this script's own folder, whose name
    // changes with every dependency.
    let objects = out.ancestors().nth(3).unwrap_or(&out).join("embedded");
    let mut code = String::new();
    for (package, file, constant, sources) in PROGRAMS {
        for source in sources {
            println!("cargo::rerun-if-changed={}", crates.join(source).join("src").display());
            println!(
                "cargo::rerun-if-changed={}",
                crates.join(source).join("Cargo.toml").display()
            );
        }
        build(&root, &objects, package);
        let built = objects.join("release").join(file);
        let path = out.join(file);
        fs::copy(&built, &path)
            .unwrap_or_else(|error| panic!("{} was not built: {error}", built.display()));
        code.push_str(&format!(
            "/// The file `{file}`.\npub const {constant}: &[u8] = include_bytes!({:?});\n",
            path.display().to_string()
        ));
    }
    println!("cargo::rerun-if-changed={}", root.join("Cargo.toml").display());
    println!("cargo::rerun-if-changed={}", root.join("Cargo.lock").display());
    fs::write(out.join("programs.rs"), code).expect("cargo's folder is writable");
}

fn build(root: &Path, target: &Path, package: &str) {
    let cargo = env::var_os("CARGO").expect("set by cargo");
    let mut command = Command::new(cargo);
    command
        .args(["build", "--release", "--locked", "--package", package])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target);
    // What cargo tells this build script about this crate is not so for the one it builds.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let of_this_crate =
            ["CARGO_PKG_", "CARGO_CFG_", "CARGO_FEATURE_", "CARGO_MANIFEST_", "DEP_"]
                .iter()
                .any(|start| text.starts_with(start));
        let of_this_build = [
            "OUT_DIR",
            "TARGET",
            "HOST",
            "PROFILE",
            "OPT_LEVEL",
            "DEBUG",
            "RUSTC_WORKSPACE_WRAPPER",
            "CARGO_BUILD_TARGET",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET_DIR",
            "CARGO_PRIMARY_PACKAGE",
            "CLIPPY_ARGS",
            "CARGO_INCREMENTAL",
            "CARGO_ENCODED_RUSTFLAGS",
        ]
        .contains(&text.as_ref());
        if of_this_crate || of_this_build {
            command.env_remove(&name);
        }
    }
    let status = command.status().unwrap_or_else(|error| panic!("cargo can't be started: {error}"));
    assert!(status.success(), "building {package} failed");
}
