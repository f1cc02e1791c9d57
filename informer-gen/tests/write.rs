//! Output files: which files are written, when, and which are left alone.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use informer_gen::{BuiltIns, Config, FileChange, Outputs, Types};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn two_groups() -> Config {
    Config::new()
        .built_in("v1", "Pod")
        .built_in("apps/v1", "Deployment")
}

/// Returns file names with their changes.
fn changes(outputs: &Outputs) -> BTreeMap<String, FileChange> {
    let files = outputs.files.iter();
    files
        .map(|(path, change)| {
            let name = path.file_name().unwrap_or_default();
            (name.to_string_lossy().into_owned(), *change)
        })
        .collect()
}

fn modified(path: &Path) -> Result<SystemTime> {
    Ok(fs::metadata(path)?.modified()?)
}

#[test]
fn the_order_of_options_and_files_does_not_matter() {
    let foos = "tests/manifests/foos.yaml";
    let lists = "tests/manifests/*.json";
    let beta = ("example.com/v1beta1/Foo", "crate::api::FooV1Beta1");
    let one = Config::new()
        .built_in("v1", "Pod")
        .built_in("apps/v1", "Deployment")
        .crd_manifests(foos, Types::In("crate::api"))
        .crd_manifests(lists, Types::In("crate::api"))
        .kind(beta.0, &format!("of = {}", beta.1))
        .kind("v1/Pod", r#"index = "spec.nodeName""#)
        .kind("v1/Pod", r#"index = "metadata.labels['app']""#);
    let other = Config::new()
        .kind("v1/Pod", r#"index = "metadata.labels['app']""#)
        .kind("core/v1/Pod", r#"index = "spec.nodeName""#)
        .kind(beta.0, &format!("of = {}", beta.1))
        .crd_manifests(lists, Types::In("crate::api"))
        .crd_manifests(foos, Types::In("crate::api"))
        .crd_manifests(foos, Types::In("crate::api"))
        .built_in("apps/v1", "Deployment")
        .built_in("core/v1", "Pod")
        .built_in("v1", "Pod");
    assert_eq!(one.render().unwrap().files, other.render().unwrap().files);
}

#[test]
fn a_second_run_touches_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let config = two_groups().out_dir(directory.path());
    let path = directory.path().join("informers.rs");
    let only = |change| BTreeMap::from([("informers.rs".to_owned(), change)]);
    assert_eq!(changes(&config.write().unwrap()), only(FileChange::Written));
    let past = SystemTime::UNIX_EPOCH;
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(past).unwrap();
    assert_eq!(
        changes(&config.write().unwrap()),
        only(FileChange::Unchanged)
    );
    assert_eq!(modified(&path).unwrap(), past);
    let third = config.built_ins(BuiltIns::Stable).write().unwrap();
    assert_eq!(changes(&third), only(FileChange::Written));
    assert!(modified(&path).unwrap() > past);
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "no temporary file remains: {left:?}");
}

#[test]
fn files_of_removed_groups_are_deleted_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let config = two_groups().out_dir(directory.path()).file_per_group(true);
    config.write().unwrap();
    let folder = directory.path().join("informers");
    fs::write(folder.join("mine.rs"), "// by hand\n").unwrap();
    let less = Config::new()
        .built_in("v1", "Pod")
        .out_dir(directory.path())
        .file_per_group(true);
    let paths: Vec<_> = less.check().unwrap().into_iter().map(|d| d.path).collect();
    let expected = ["informers.rs", "informers/apps.rs"];
    assert_eq!(paths, expected.map(|path| directory.path().join(path)));
    let outputs = less.write().unwrap();
    let expected = [
        ("apps.rs".to_owned(), FileChange::Removed),
        ("core.rs".to_owned(), FileChange::Unchanged),
        ("informers.rs".to_owned(), FileChange::Written),
    ];
    assert_eq!(changes(&outputs), expected.into());
    assert!(folder.join("mine.rs").exists());
    assert!(!folder.join("apps.rs").exists());
    assert_eq!(less.check().unwrap(), []);
}

#[test]
fn a_file_by_hand_is_never_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let config = two_groups().out_dir(directory.path()).file_per_group(true);
    let folder = directory.path().join("informers");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("core.rs"), "// by hand\n").unwrap();
    let error = config.write().unwrap_err().to_string();
    let expected = format!(
        "`{}` was not written by informer-gen and is not overwritten; \
         remove the file, or choose another output",
        folder.join("core.rs").display()
    );
    assert_eq!(error, expected);
    assert!(
        !directory.path().join("informers.rs").exists() && !folder.join("apps.rs").exists(),
        "all checks precede the first write"
    );
}

#[test]
fn an_unwritable_path_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = two_groups().out_dir(&file).write().unwrap_err().to_string();
    let expected = format!("`{}`: ", file.join("informers.rs").display());
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn windows_line_endings_are_not_a_difference() {
    let directory = tempfile::tempdir().unwrap();
    let config = two_groups().out_dir(directory.path());
    config.write().unwrap();
    let path = directory.path().join("informers.rs");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    assert_eq!(config.check().unwrap(), []);
    let changes = config.write().unwrap().files;
    assert_eq!(changes.values().next(), Some(&FileChange::Unchanged));
    fs::write(&path, text.replace("Pod", "Dop")).unwrap();
    assert_eq!(config.check().unwrap().len(), 1);
}

#[test]
fn the_inputs_are_the_read_files_and_the_directory_of_a_glob() {
    let directory = tempfile::tempdir().unwrap();
    let outputs = Config::new()
        .crd_manifests("tests/manifests/foos.yaml", Types::In("crate::api"))
        .crd_manifests("tests/manifests/*.json", Types::In("crate::api"))
        .kind("example.com/v1beta1/Foo", "of = crate::api::FooV1Beta1")
        .out_dir(directory.path())
        .write()
        .unwrap();
    let expected = [
        "tests/manifests",
        "tests/manifests/foos.yaml",
        "tests/manifests/list.json",
    ];
    assert_eq!(outputs.inputs, expected.map(std::path::PathBuf::from));
}

/// Runs twice: as an ordinary test, and as the build script of the next test.
#[test]
fn out_dir_is_the_only_default() {
    let result = two_groups()
        .crd_manifests("tests/manifests/*.json", Types::In("crate::api"))
        .generate();
    if env::var_os("OUT_DIR").is_some() {
        assert_eq!(result.unwrap().files.len(), 1);
    } else {
        assert_eq!(
            result.unwrap_err().to_string(),
            "OUT_DIR is not set: outside of a build script, call .out_dir(..)"
        );
    }
}

#[test]
fn a_build_script_writes_to_out_dir_and_tells_cargo_what_it_read() {
    let directory = tempfile::tempdir().unwrap();
    let script = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "out_dir_is_the_only_default"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
        .env("OUT_DIR", directory.path())
        .output()
        .unwrap();
    let stdout = String::from_utf8(script.stdout).unwrap();
    let lines: Vec<_> = stdout
        .lines()
        .filter_map(|line| line.split_once("cargo::"))
        .map(|(_, instruction)| instruction)
        .collect();
    let expected = [
        "rerun-if-changed=tests/manifests",
        "rerun-if-changed=tests/manifests/list.json",
    ];
    assert_eq!(lines, expected, "{stdout}");
    assert!(directory.path().join("informers.rs").exists());
}

#[test]
fn generated_text_is_independent_of_the_machine() {
    for (path, text) in two_groups().file_per_group(true).render().unwrap().files {
        assert!(path.is_relative());
        assert!(text.starts_with("// @generated by informer-gen. Do not edit.\n\n"));
        assert!(!text.contains(env!("CARGO_MANIFEST_DIR")) && !text.contains('\r'));
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    }
}

/// Awkward input 86: each configuration has its own file names, and removes no file of the other.
#[test]
fn two_configurations_share_a_directory_by_their_file_names() {
    let directory = tempfile::tempdir().unwrap();
    let config = |kind: &str, file: &str| {
        Config::new()
            .built_in("v1", kind)
            .file_per_group(true)
            .out_dir(directory.path())
            .file_name(file)
    };
    for _ in 0..2 {
        config("Pod", "pods.rs").write().unwrap();
        config("Node", "nodes.rs").write().unwrap();
    }
    let both = [
        ("pods/core.rs", "PodInformer"),
        ("nodes/core.rs", "NodeInformer"),
    ];
    for (file, informer) in both {
        let text = fs::read_to_string(directory.path().join(file)).unwrap();
        assert!(text.contains(informer), "{file}");
    }
    let again = config("Pod", "pods.rs").write().unwrap();
    let mut changes = again.files.values();
    let is_unchanged = changes.all(|change| *change == FileChange::Unchanged);
    assert!(
        is_unchanged,
        "the other configuration did not touch the file"
    );
}

/// Awkward input 92: the file of the last writer is complete, and no temporary file remains.
#[test]
fn two_processes_may_write_at_the_same_time() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || {
                // As two builds of one package with other features do.
                let kind = if number % 2 == 0 { "Pod" } else { "Node" };
                Config::new().built_in("v1", kind).out_dir(place).write()
            });
        }
    });
    let names: Vec<_> = fs::read_dir(place)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["informers.rs"]);
    let text = fs::read_to_string(place.join("informers.rs")).unwrap();
    assert!(syn::parse_file(&text).is_ok());
}

#[test]
fn every_source_that_was_read_is_an_input() {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["api/a.rs", "api.rs"].map(|path| directory.path().join(path));
    fs::create_dir(directory.path().join("api")).unwrap();
    let kind = "#[derive(CustomResource)]\n#[kube(group = \"example.com\", version = \"v1\", \
                kind = \"Foo\")]\npub struct FooSpec {}\n";
    fs::write(&paths[0], kind).unwrap();
    fs::write(&paths[1], "mod a;").unwrap();
    let config = Config::new().rust_source(&paths[1].display().to_string(), "crate::api");
    let outputs = config.out_dir(directory.path()).write().unwrap();
    assert_eq!(outputs.inputs, paths);
}

/// J-03. cargo takes each line of a build script for a directive, and Git and tar carry such names.
#[cfg(unix)]
#[test]
fn the_name_of_a_file_is_no_directive_of_cargo() {
    const EVIL: &str = "x\ncargo::rustc-link-arg=--evil\ny";
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().display();
    let definition = fs::read_to_string("tests/manifests/foos.yaml").unwrap();
    let folder = directory.path().join(EVIL);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("foos.yaml"), &definition).unwrap();
    fs::write(directory.path().join(format!("{EVIL}.yaml")), definition).unwrap();
    fs::write(folder.join("api.rs"), "#[derive(CustomResource)] struct X;").unwrap();
    for config in [
        Config::new().crd_manifests(&format!("{place}/*.yaml"), Types::Generated),
        Config::new().crd_manifests(&format!("{place}/**/foos.yaml"), Types::Generated),
        Config::new().crd_manifests(&format!("{}", folder.display()), Types::Generated),
        Config::new().rust_source(&format!("{}/api.rs", folder.display()), "crate::api"),
    ] {
        let config = config.out_dir(directory.path());
        for error in [config.write().unwrap_err(), config.list().unwrap_err()] {
            let error = error.to_string();
            assert!(error.contains("has a control character"), "{error}");
            assert!(
                error.lines().all(|line| !line.starts_with("cargo::")),
                "{error}"
            );
        }
    }
}

/// J-03.
#[test]
fn a_note_is_no_directive_of_cargo() {
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                      metadata: {name: foos.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  \
                      names: {kind: Foo, plural: foos, \"\\ncargo::x=\": 1, \"\\ncargo::x=\": 2}\n  \
                      versions: [{name: v1, served: true}]\n";
    let rendered = Config::new()
        .crd_text("a\nb", definition, Types::Generated)
        .render();
    let notes = rendered.unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes.iter().all(|note| !note.contains('\n')), "{notes:?}");
}
