//! Programs in Go beside the tests, which say what is right.
//!
//! This file is part of several test crates, including other packages, so it uses only `std`.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

#[path = "require.rs"]
mod require;

/// Runs Go in `folder`, and writes `input` to it. Returns what it prints. Without Go the test is skipped
/// or fails, as [`require`] decides; a Go command that fails is a failure.
pub(crate) fn go(folder: &Path, arguments: &[&str], input: Vec<u8>) -> Option<String> {
    run_go("go", folder, arguments, input)
}

/// Runs `program` like [`go`].
pub(crate) fn run_go(
    program: &str,
    folder: &Path,
    arguments: &[&str],
    input: Vec<u8>,
) -> Option<String> {
    let started = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let started = match started {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("{program} cannot be run: {error}"))
        }
        started => Ok(started.expect("a program that is there can be run")),
    };
    let mut process = require::need("go", started)?;
    let mut stdin = process.stdin.take().expect("the input is a pipe");
    // The program may print while it reads.
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = process.wait_with_output().expect("the program ends");
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let written = writer.join().expect("the writer does not panic");
    written.expect("the program reads its input");
    Some(String::from_utf8(output.stdout).expect("the program prints UTF-8"))
}
