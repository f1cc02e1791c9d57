//! The examples terminate, and print the expected output.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time::timeout;

/// Maximum duration of an example. The longest one waits for a lease to expire.
const PATIENCE: Duration = Duration::from_secs(60);

/// Small examples, with lines of their output in order.
const SMALL: [(&str, &str); 7] = [
    ("two_clusters", include_str!("examples/two_clusters.txt")),
    ("quickstart", include_str!("examples/quickstart.txt")),
    ("handlers", include_str!("examples/handlers.txt")),
    ("indexes", include_str!("examples/indexes.txt")),
    ("relations", include_str!("examples/relations.txt")),
    ("dynamic", include_str!("examples/dynamic.txt")),
    (
        "priority_queue",
        include_str!("examples/priority_queue.txt"),
    ),
];

const SAMPLE_CONTROLLER: &str = "sample_controller";

const STALE_READS: &str = "stale_reads";

const MEMORY_BUDGET: &str = "memory_budget";

const SHARDED: &str = "sharded";

/// Requires the feature `kube-runtime`.
const KUBE_RUNTIME: &str = "kube_runtime";

#[tokio::test]
async fn small_examples_print_the_expected_output() {
    for (name, lines) in SMALL {
        let output = run(name, &[]).await.unwrap();
        assert_eq!(output.code, Some(0), "{name}: {output:?}");
        assert_eq!(output.stderr, "", "{name} complains");
        let lines: Vec<&str> = lines.lines().collect();
        if let Err(missing) = has_in_order(&output.stdout, &lines) {
            panic!(
                "{name} does not print `{missing}` at its place:\n{}",
                output.stdout
            );
        }
    }
}

#[test]
fn every_example_is_tested_and_begins_with_its_command() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the folder of the examples is readable") {
        let path = entry.expect("the folder can be read").path();
        if path.extension() != Some(OsStr::new("rs")) {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path).expect("the example can be read");
        let command = format!("//! $ cargo run --example {name}");
        let header = text.lines().take_while(|line| line.starts_with("//!"));
        assert!(
            header
                .into_iter()
                .any(|line| line.replace(" --release", "").starts_with(&command)),
            "{name} does not begin with its command"
        );
        found.insert(name.into_owned());
    }
    let mut run: BTreeSet<String> = SMALL.map(|(name, _)| name.to_owned()).into();
    run.insert(SAMPLE_CONTROLLER.to_owned());
    run.insert(STALE_READS.to_owned());
    run.insert(MEMORY_BUDGET.to_owned());
    run.insert(SHARDED.to_owned());
    run.insert(KUBE_RUNTIME.to_owned());
    assert_eq!(found, run);
}

#[cfg(feature = "kube-runtime")]
#[tokio::test]
async fn two_controllers_of_kube_share_one_watch() {
    let output = run(KUBE_RUNTIME, &[]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(output.stderr, "");
    let lines = [
        "  audit reconciles default/two, one of 2",
        "  backup reconciles default/two, one of 2",
        "  audit reconciles default/three, one of 3",
        "  backup reconciles default/three, one of 3",
        "requests to the API server: lists: 0, watches: 1; open now: 1",
        "both controllers have ended",
    ];
    assert_eq!(has_in_order(&output.stdout, &lines), Ok(()), "{output:?}");
}

#[tokio::test]
async fn a_session_prevents_the_bugs_that_stale_reads_cause() {
    let output = run(STALE_READS, &[]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    let rows: Vec<_> = output.stdout.lines().skip(1).collect();
    assert_eq!(rows.len(), 3, "{output:?}");
    for (row, expected) in rows.iter().zip([5, 0, 0]) {
        let mut numbers = row
            .rsplit(' ')
            .filter_map(|word| word.parse::<usize>().ok());
        let with = numbers.next();
        assert_eq!(with, Some(expected), "{output:?}");
        assert!(numbers.next() > with, "{output:?}");
    }
}

#[tokio::test]
async fn reads_are_right_under_a_memory_budget_that_is_too_small_for_all_bodies() {
    let arguments = ["--budget", "64", "--large", "90", "--small", "300"];
    let output = run(MEMORY_BUDGET, &arguments).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    let last = output.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("budget 64 MiB, peak "), "{output:?}");
    assert!(last.ends_with(" MiB, 390 of 390 reads right"), "{output:?}");
    let evicted_none = output.stdout.contains("390 objects, 0 evicted");
    assert!(!evicted_none, "{output:?}");
}

#[tokio::test]
async fn replicas_share_the_objects_while_one_is_killed_and_one_is_added() {
    let output = run(SHARDED, &[]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    let last = output.stdout.lines().last();
    let expected = Some("owners: 3000 of 3000, overlaps: 0");
    assert_eq!(last, expected, "{output:?}");
}

#[tokio::test]
async fn the_sample_controller_reaches_every_state() {
    let output = run(SAMPLE_CONTROLLER, &[]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    let last = output.stdout.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("All 5 states reached: 4 writes, "),
        "{output:?}"
    );
    assert!(
        !output.stdout.contains('\x1b'),
        "colours without a terminal"
    );
}

#[tokio::test]
async fn the_sample_controller_stays_with_a_page_until_it_is_interrupted() {
    let program = example(SAMPLE_CONTROLLER).unwrap();
    let mut process = Command::new(program)
        .args(["--debug", "127.0.0.1:0", "--hold"])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let playing = async {
        let mut address = String::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            if let Some(found) = line.strip_prefix("debug page: http://") {
                address = found.to_owned();
            }
            // The play repeats.
            if line.starts_with("6. A user creates Foo default/example") {
                return address;
            }
        }
        panic!("the example has ended");
    };
    let address = timeout(PATIENCE, playing).await.unwrap();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let request = "GET /why/foos/default/example HTTP/1.0\r\nHost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).await.unwrap();
    assert!(page.contains("owned Deployment default/web "), "{page}");
    let id = process.id().unwrap().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().await;
    assert!(killed.unwrap().success());
    let status = timeout(PATIENCE, process.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
}

#[tokio::test]
async fn the_sample_controller_names_an_unreadable_kubeconfig() {
    let output = run(SAMPLE_CONTROLLER, &["--kubeconfig", "/nowhere/kubeconfig"])
        .await
        .unwrap();
    assert_eq!(output.code, Some(2), "{output:?}");
    let message = output.stderr.strip_prefix("error: ").unwrap_or_default();
    assert!(message.contains("/nowhere/kubeconfig"), "{output:?}");
    assert!(
        message.contains("No such file"),
        "the cause is missing: {output:?}"
    );
    assert_eq!(message.lines().count(), 1, "{output:?}");
}

#[tokio::test]
async fn the_sample_controller_explains_its_options() {
    let output = run(SAMPLE_CONTROLLER, &["--help"]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    for option in [
        "--kubeconfig <FILE>",
        "--context <NAME>",
        "--namespace <NAME>",
    ] {
        assert!(output.stdout.contains(option), "{option}: {output:?}");
    }
}

#[test]
fn lines_are_found_in_their_order_only() {
    assert_eq!(has_in_order("a\nb\nc\n", &["a", "c"]), Ok(()));
    assert_eq!(has_in_order("c\nb\na\n", &["a", "c"]), Err("c"));
    assert_eq!(has_in_order("a b\n", &["a"]), Err("a"));
}

/// Result of a program.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs an example to its end.
async fn run(name: &str, arguments: &[&str]) -> Result<Ended, String> {
    let program = example(name).ok_or("the test binary is not in cargo's target folder")?;
    let output = Command::new(&program)
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, output).await;
    let ended = output.map_err(|_| format!("{name} does not terminate"))?;
    let ended =
        ended.map_err(|error| format!("{}: {error}; `cargo test` builds it", program.display()))?;
    Ok(Ended {
        code: ended.status.code(),
        stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
    })
}

/// Returns cargo's path of an example. This test is `target/debug/deps/examples-..`, and the
/// example is `target/debug/examples/..`. `cargo test` builds both, but `cargo test --test
/// examples` does not.
fn example(name: &str) -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let profile = this.parent()?.parent()?;
    Some(profile.join("examples").join(file))
}

/// Checks that `text` has all `lines` as whole lines, in this order. Returns the first missing line
/// otherwise.
fn has_in_order<'l>(text: &str, lines: &[&'l str]) -> Result<(), &'l str> {
    let mut rest = text.lines();
    for line in lines {
        if !rest.any(|candidate| candidate == *line) {
            return Err(line);
        }
    }
    Ok(())
}
