//! cargo builds a real package with a `build.rs`. The script runs exactly when an input has
//! changed, and an unchanged output keeps its modification time.
//!
//! Compiling the library again as a dependency of that package would take too long. Therefore its
//! `build.rs` starts this test program, which contains the library, with the test [`build_script`]
//! and with the folder, environment and output of a build script.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, exit};
use std::time::SystemTime;

use informer_gen::{Config, Types};

/// Package that generates from each kind of input.
struct Package {
    folder: tempfile::TempDir,
}

/// Environment variable that the package's `build.rs` sets.
const IS_BUILD_SCRIPT: &str = "INFORMER_GEN_TEST_IS_BUILD_SCRIPT";

/// Body of a build script's `main`. Does nothing unless the variable is set.
#[test]
fn build_script() {
    if env::var_os(IS_BUILD_SCRIPT).is_none() {
        return;
    }
    // cargo reads lines, and the test harness prints the test's name on the first line.
    println!();
    let generate = || {
        Config::new()
            .built_in("v1", "Pod")
            .crd_manifests("crds/*.yaml", Types::Dynamic)
            .rust_source("src/api.rs", "crate::api")
            .generate()
    };
    let outputs = generate().unwrap_or_else(|error| {
        // Prints the error as a `main` that returns it does.
        eprintln!("Error: {error:?}");
        exit(1);
    });
    let changes = outputs.files.values().map(|change| format!("{change:?}\n"));
    let mut log = fs::File::options();
    let mut log = log.create(true).append(true).open("runs.log").unwrap();
    log.write_all(changes.collect::<String>().as_bytes())
        .unwrap();
}

/// Returns the package's `build.rs`.
fn build_rs() -> String {
    let program = env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    format!(
        "fn main() {{\n    let status = std::process::Command::new({program:?})\n        \
         .args([\"--exact\", \"build_script\", \"--nocapture\"])\n        \
         .env({IS_BUILD_SCRIPT:?}, \"1\")\n        .status()\n        .unwrap();\n    \
         std::process::exit(status.code().unwrap());\n}}\n"
    )
}

/// Manifest of the kind Foo.
const FOO: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions: [{name: v1, served: true}]
";

const API: &str = "mod more;
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Bar\", namespaced)]
pub struct BarSpec {}
";

// === impl Package ===

impl Package {
    fn new() -> Self {
        let this = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        this.write(
            "Cargo.toml",
            "[package]\nname = \"incremental\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        );
        this.write("build.rs", &build_rs());
        this.write("crds/foos.yaml", FOO);
        this.write("README.md", "not an input\n");
        this.write("src/unrelated.rs", "//! Not an input.\n");
        // The file is not part of the crate, which has no dependencies to compile.
        this.write("src/api.rs", API);
        this.write("src/api/more.rs", "");
        this.write(
            "src/lib.rs",
            "//! Has what was generated, as text.\npub mod unrelated;\n\
             pub const INFORMERS: &str = include_str!(concat!(env!(\"OUT_DIR\"), \
             \"/informers.rs\"));\n",
        );
        this
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes a file look edited.
    fn touch(&self, name: &str) {
        let file = fs::File::options()
            .append(true)
            .open(self.path(name))
            .unwrap();
        file.set_modified(SystemTime::now()).unwrap();
    }

    fn cargo_build(&self) -> Output {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--offline"])
            .current_dir(self.folder.path());
        // Removes the variables of the cargo that runs this test.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text == "OUT_DIR" || text == "CARGO_TARGET_DIR" {
                cargo.env_remove(&name);
            }
        }
        cargo.output().unwrap()
    }

    /// Builds the package. Returns the change of the output file that the script reported, if the
    /// script ran.
    fn build(&self) -> Option<String> {
        let log = self.path("runs.log");
        let _ = fs::remove_file(&log);
        let ran = self.cargo_build();
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{errors}");
        let log = fs::read_to_string(log).ok()?;
        Some(log.trim_end().to_owned())
    }
}

/// One test for all steps, because each step depends on the previous one.
#[test]
fn the_script_runs_when_an_input_has_changed_and_only_then() {
    let package = Package::new();
    let written = Some("Written".to_owned());
    let unchanged = Some("Unchanged".to_owned());
    assert_eq!(package.build(), written, "the first build runs the script");
    assert_eq!(package.build(), None, "no input has changed");

    for unrelated in ["README.md", "src/unrelated.rs", "src/lib.rs", "Cargo.lock"] {
        package.touch(unrelated);
        assert_eq!(package.build(), None, "{unrelated} is not an input");
    }
    for input in [
        "crds/foos.yaml",
        "src/api.rs",
        "src/api/more.rs",
        "build.rs",
    ] {
        package.touch(input);
        assert_eq!(
            package.build(),
            unchanged,
            "{input} is an input, but its content is equivalent"
        );
        assert_eq!(
            package.build(),
            None,
            "the script runs once after a change of {input}"
        );
    }

    package.write(
        "crds/foos.yaml",
        &FOO.replace("served: true", "served: true, deprecated: true"),
    );
    assert_eq!(package.build(), written, "a manifest has changed");
    let zones = FOO.replace("Foo", "Zone").replace("foos", "zones");
    package.write("crds/zones.yaml", &zones.replace("Namespaced", "Cluster"));
    assert_eq!(package.build(), written, "the glob matches a new file");
    fs::remove_file(package.path("crds/zones.yaml")).unwrap();
    assert_eq!(package.build(), written, "the new file was removed");
    assert_eq!(package.build(), None, "no further run is needed");
}

/// cargo shows the readable message of an error.
#[test]
fn a_mistake_is_shown_as_a_readable_message() {
    let package = Package::new();
    package.write(
        "crds/foos.yaml",
        &FOO.replace("scope: Namespaced", "scope: Global"),
    );
    let ran = package.cargo_build();
    assert!(!ran.status.success());
    let text = String::from_utf8_lossy(&ran.stderr);
    let expected = "Error: crds/foos.yaml:6:10: `spec.scope` must be `Cluster` or `Namespaced`, \
                    found `Global`\n";
    assert!(text.contains(expected), "{text}");
}
