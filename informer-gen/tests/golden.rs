//! Compares the generated text with the checked-in text. `tests/compile.rs` and
//! `tests/vendors/src/forms.rs` compile it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p informer-gen --test golden` accepts the current output.

#[path = "support/cases.rs"]
mod cases;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use informer_gen::{BuiltIns, Config, Error};

/// A change of the generator shows in the diff of its output.
#[test]
fn output_matches_the_golden_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, config) in cases::all("tests/manifests") {
        config
            .out_dir(folder.path())
            .file_name(name)
            .write()
            .unwrap();
        let found = fs::read_to_string(folder.path().join(name)).unwrap();
        let golden = Path::new("tests/golden").join(name).with_extension("txt");
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap();
        assert!(found == expected, "{} is not current", golden.display());
    }
}

/// The facade's module of built-in kinds is current. `cargo run -p informer-gen -- generate` with
/// the flags of the `check` in `.ci/run` writes it.
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

/// Formatting a crate does not change checked-in generated code. Each file is formatted separately,
/// as in editors.
#[test]
fn rustfmt_leaves_what_is_generated_as_it_is() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = cases::all("tests/manifests")
        .into_iter()
        .map(|(name, _)| here.join("tests/golden").join(name).with_extension("txt"))
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
        return println!("SKIPPED: rustfmt is not installed");
    };
    let differences = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{differences}");
}

const NONE: [PathBuf; 0] = [];

/// Returns the files that are not current.
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
