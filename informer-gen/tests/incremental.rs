//! A real package with a `build.rs`, built by cargo: the script runs when an input has changed and
//! at no other time, and what it would not change keeps its time of modification.
//!
//! Needs no network: the package has the dependencies of this one, in the versions of this
//! workspace's `Cargo.lock`.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A package that generates from each sort of input.
struct Package {
    folder: tempfile::TempDir,
}

const BUILD: &str = r#"
use std::io::Write as _;

fn main() -> Result<(), informer_gen::Error> {
    let config = informer_gen::Config::from_file("informers.toml")?;
    let outputs = config
        .crd_manifests("crds/*.yaml", "dynamic")
        .rust_source("src/api.rs", "crate::api")
        .discovery("discovery.json")
        .generate()?;
    let changes: Vec<_> = outputs.files.values().map(|change| format!("{change:?}")).collect();
    let mut log = std::fs::OpenOptions::new().create(true).append(true).open("runs.log").unwrap();
    writeln!(log, "{}", changes.join(" ")).unwrap();
    Ok(())
}
"#;

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
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

const DISCOVERY: &str = "{\"kind\": \"APIResourceList\", \"groupVersion\": \"example.com/v1\", \
    \"resources\": [\
    {\"name\": \"foos\", \"kind\": \"Foo\", \"namespaced\": true, \"verbs\": [\"list\", \"watch\"]},\
    {\"name\": \"bars\", \"kind\": \"Bar\", \"namespaced\": true, \"verbs\": [\"list\", \"watch\"]},\
    {\"name\": \"zones\", \"kind\": \"Zone\", \"namespaced\": false, \"verbs\": [\"list\", \"watch\"]}\
    ]}";

// === impl Package ===

impl Package {
    fn new() -> Self {
        let this = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let generator = Path::new(env!("CARGO_MANIFEST_DIR"));
        let lock = fs::read_to_string(generator.join("../Cargo.lock")).unwrap();
        this.write("Cargo.lock", &lock);
        this.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"incremental\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                 [build-dependencies]\n\
                 informer-gen = {{ path = '{}', default-features = false, features = \
                 [\"config-file\"] }}\n[workspace]\n",
                generator.display()
            ),
        );
        this.write("build.rs", BUILD);
        this.write("informers.toml", "built-in = [\"v1/Pod\"]\n");
        this.write("crds/foos.yaml", CRD);
        this.write("discovery.json", DISCOVERY);
        this.write("README.md", "not an input\n");
        this.write("src/unrelated.rs", "//! Not an input.\n");
        // Not part of the crate, which has no dependencies of its own to compile.
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

    /// Builds; what the script said it did to its file, if it ran.
    fn build(&self) -> Option<String> {
        let log = self.path("runs.log");
        let _ = fs::remove_file(&log);
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("incremental");
        let ran = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet"])
            .current_dir(self.folder.path())
            .env("CARGO_TARGET_DIR", target)
            .env_remove("OUT_DIR")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{errors}");
        let log = fs::read_to_string(log).ok()?;
        Some(log.trim_end().to_owned())
    }
}

/// All in one, as each step begins with what the one before has left.
#[test]
fn the_script_runs_when_an_input_has_changed_and_only_then() {
    let package = Package::new();
    let written = Some("Written".to_owned());
    let unchanged = Some("Unchanged".to_owned());
    assert_eq!(package.build(), written, "the first time");
    assert_eq!(package.build(), None, "nothing has changed");

    for unrelated in ["README.md", "src/unrelated.rs", "src/lib.rs", "Cargo.lock"] {
        package.touch(unrelated);
        assert_eq!(package.build(), None, "{unrelated} is no input");
    }
    for input in [
        "crds/foos.yaml",
        "src/api.rs",
        "src/api/more.rs",
        "discovery.json",
        "informers.toml",
        "build.rs",
    ] {
        package.touch(input);
        assert_eq!(
            package.build(),
            unchanged,
            "{input} is one, and says the same"
        );
        assert_eq!(package.build(), None, "once is enough after {input}");
    }

    package.write(
        "crds/foos.yaml",
        &CRD.replace("served: true", "served: true, deprecated: true"),
    );
    assert_eq!(package.build(), written, "a manifest says something else");
    let zones = CRD.replace("Foo", "Zone").replace("foos", "zones");
    package.write("crds/zones.yaml", &zones.replace("Namespaced", "Cluster"));
    assert_eq!(package.build(), written, "a new file that the glob matches");
    fs::remove_file(package.path("crds/zones.yaml")).unwrap();
    assert_eq!(package.build(), written, "it is gone");
    assert_eq!(package.build(), None, "and that is all");
}

/// What cargo shows of a mistake is what a person reads.
#[test]
fn a_mistake_is_shown_as_it_is_written() {
    let package = Package::new();
    package.write(
        "crds/foos.yaml",
        &CRD.replace("scope: Namespaced", "scope: Global"),
    );
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("incremental");
    let ran = Command::new(env!("CARGO"))
        .args(["build", "--offline"])
        .current_dir(package.folder.path())
        .env("CARGO_TARGET_DIR", target)
        .env_remove("OUT_DIR")
        .output()
        .unwrap();
    assert!(!ran.status.success());
    let text = String::from_utf8_lossy(&ran.stderr);
    let expected = "Error: crds/foos.yaml:6:10: `spec.scope` must be `Cluster` or `Namespaced`, \
                    found `Global`\n";
    assert!(text.contains(expected), "{text}");
}
