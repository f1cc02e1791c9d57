//! The text that is generated, compared with what is checked in. `tests/compile.rs` compiles it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p informer-gen --test golden` accepts what is generated now.

#[path = "support/cases.rs"]
mod cases;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use informer_gen::{BuiltIns, Config, Error};

/// Whoever changes the generator sees in the diff what becomes of its output.
#[test]
fn output_is_what_is_checked_in() {
    for (name, config) in cases::all() {
        assert_eq!(
            stale(&config.out_dir("tests/golden").file_name(name)).unwrap(),
            NONE
        );
    }
}

/// The facade's module of built-in kinds is what the generator writes today. It is made by
/// `cargo run -p informer-gen -- generate` with the flags that `.ci/run` gives to `check`.
#[test]
fn the_facade_is_current() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/k8s");
    let config = Config::new()
        .built_ins(BuiltIns::All)
        .beta_feature("k8s-beta")
        .alpha_feature("k8s-alpha")
        .file_per_group(true);
    assert_eq!(
        stale(&config.out_dir(source).file_name("generated.rs")).unwrap(),
        NONE
    );
}

/// Whoever formats a crate formats what is checked in with it. Each file by itself, as editors do.
#[test]
fn rustfmt_leaves_what_is_generated_as_it_is() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = cases::all()
        .into_iter()
        .map(|(name, _)| here.join("tests/golden").join(name))
        .collect();
    let source = here.join("../src/k8s");
    let groups = fs::read_dir(source.join("generated")).unwrap();
    files.push(source.join("generated.rs"));
    files.extend(groups.map(|file| file.unwrap().path()));
    assert!(files.len() > 20, "{files:?}");
    let ran = Command::new("rustfmt")
        .args(["--check", "--edition", "2024"])
        .args(&files)
        .output();
    let Ok(output) = ran else {
        return println!("SKIPPED, there is no rustfmt");
    };
    let differences = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{differences}");
}

const NONE: [PathBuf; 0] = [];

/// The files that are not current.
fn stale(config: &Config) -> Result<Vec<PathBuf>, Error> {
    if env::var_os("UPDATE_GOLDEN").is_some() {
        config.write()?;
    }
    let differences = config.check()?;
    Ok(differences
        .into_iter()
        .map(|difference| difference.path)
        .collect())
}
