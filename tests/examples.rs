//! The examples terminate, and print the expected output.

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

const SAMPLE_CONTROLLER: &str = "sample_controller";

const STALE_READS: &str = "stale_reads";

const MEMORY_BUDGET: &str = "memory_budget";

/// `examples/NAME.txt` has lines of the output of each example, in order, unless it has a test of its
/// own below.
#[tokio::test]
async fn every_example_begins_with_its_command_and_prints_the_expected_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(root.join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension() != Some(OsStr::new("rs")) {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let command = format!("//! $ cargo run --example {name}");
        let mut header = text.lines().take_while(|line| line.starts_with("//!"));
        assert!(
            header.any(|line| line.replace(" --release", "").starts_with(&command)),
            "{name} does not begin with its command"
        );
        let is_tested_below = [SAMPLE_CONTROLLER, STALE_READS, MEMORY_BUDGET].contains(&name);
        if is_tested_below || (name == "kube_runtime" && !cfg!(feature = "kube-runtime")) {
            continue;
        }
        let lines = root.join("tests/examples").join(name).with_extension("txt");
        let lines = fs::read_to_string(&lines).expect("the expected output of each example");
        let lines: Vec<&str> = lines.lines().collect();
        let output = run(name, &[]).await.unwrap();
        assert_eq!(output.code, Some(0), "{name}: {output:?}");
        assert_eq!(output.stderr, "", "{name} complains");
        let found = has_in_order(&output.stdout, &lines);
        assert_eq!(found, Ok(()), "{name}: {output:?}");
    }
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
async fn the_sample_controller_reaches_every_state() {
    let output = run(SAMPLE_CONTROLLER, &[]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    let last = output.stdout.lines().last().unwrap_or_default();
    let reached = "All 5 states reached: 4 writes, ";
    assert!(last.starts_with(reached), "{output:?}");
    let has_colours = output.stdout.contains('\x1b');
    assert!(!has_colours, "colours without a terminal");
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
async fn the_sample_controller_explains_its_options_and_names_an_unreadable_kubeconfig() {
    let output = run(SAMPLE_CONTROLLER, &["--help"]).await.unwrap();
    assert_eq!(output.code, Some(0), "{output:?}");
    for option in ["kubeconfig <FILE>", "context <NAME>", "namespace <NAME>"] {
        let option = format!("--{option}");
        assert!(output.stdout.contains(&option), "{option}: {output:?}");
    }
    let arguments = ["--kubeconfig", "/nowhere/kubeconfig"];
    let output = run(SAMPLE_CONTROLLER, &arguments).await.unwrap();
    assert_eq!(output.code, Some(2), "{output:?}");
    let message = output.stderr.strip_prefix("error: ").unwrap_or_default();
    for part in ["/nowhere/kubeconfig", "No such file"] {
        assert!(message.contains(part), "{part}: {output:?}");
    }
    assert_eq!(message.lines().count(), 1, "{output:?}");
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
