//! Stands in for the cargo that trybuild calls.
//!
//! trybuild builds a package of the cases with a target folder of its own, and therefore all
//! dependencies once more. This program compiles the cases against the libraries that cargo has
//! built for this program itself: [`stub::rustc_arguments`] returns how rustc was told of them.

use std::error::Error;
use std::process::{Command, ExitCode, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use parking_lot::Mutex;
use serde_json::{Value, json};

/// Variable with the path of the real cargo.
const CARGO: &str = "UI_TESTS_CARGO";

/// Arguments of the rustc that has compiled this program.
const RUSTC: &[&str] = stub::rustc_arguments!();

/// Crates of the cases in `cases/derive`, which show that no other crate is needed.
const DERIVE: [&str; 2] = ["informer_derive", "stub"];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is = |name: &str| arguments.iter().any(|argument| argument == name);
    if is("metadata") {
        let status = Command::new(env::var(CARGO)?).args(&arguments).status()?;
        return Ok(if status.success() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    // There is nothing to clean, and the dependencies are built.
    if is("check") && is("--bins") {
        check_cases(&flags(&arguments)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the flags that trybuild wants rustc to have.
fn flags(arguments: &[String]) -> Result<Vec<String>, Box<dyn Error>> {
    let config = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("--config=build.rustflags="));
    // A list of texts has the same form in TOML and JSON.
    Ok(serde_json::from_str(
        config.ok_or("trybuild sets no flags")?,
    )?)
}

/// Compiles the binaries of the package in the current folder, and prints their messages as cargo
/// does.
#[expect(clippy::disallowed_methods, reason = "this process asks once")]
fn check_cases(flags: &[String]) -> Result<(), Box<dyn Error>> {
    let metadata = Command::new(env::var(CARGO)?)
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .output()?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout)?;
    let targets = metadata
        .pointer("/packages/0/targets")
        .and_then(Value::as_array)
        .ok_or("the package has no targets")?;
    let cases: Vec<(&str, &str)> = targets
        .iter()
        .filter_map(|target| Some((target["name"].as_str()?, target["src_path"].as_str()?)))
        .collect();
    let next = AtomicUsize::new(0);
    let outputs = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((name, path)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let output = compile(name, path, flags);
                    outputs.lock().push((*path, output));
                }
            });
        }
    });
    for (path, output) in outputs.into_inner() {
        let target = json!({ "src_path": path });
        for line in String::from_utf8(output?.stderr)?.lines() {
            let mut message: Value = serde_json::from_str(line)?;
            if let Some(Value::String(rendered)) = message.get_mut("rendered") {
                *rendered = with_absolute_paths(rendered);
            }
            println!(r#"{{"reason":"compiler-message","target":{target},"message":{message}}}"#);
        }
    }
    Ok(())
}

/// Returns the root of the workspace.
fn root() -> &'static str {
    let folder = env!("CARGO_MANIFEST_DIR");
    folder.strip_suffix("/tests/ui").unwrap_or(folder)
}

/// Returns the message with absolute paths: libraries of the workspace
/// name their sources relative to its root.
fn with_absolute_paths(rendered: &str) -> String {
    let root = root();
    let rendered = rendered.replace("--> ", &format!("--> {root}/"));
    let rendered = rendered.replace("::: ", &format!("::: {root}/"));
    rendered.replace(&format!("{root}//"), "/")
}

fn compile(name: &str, path: &str, flags: &[String]) -> std::io::Result<Output> {
    let is_derive = path.contains("/cases/derive/");
    let (program, arguments) = RUSTC.split_first().unwrap_or((&"rustc", &[]));
    let mut rustc = Command::new(program);
    for pair in arguments.windows(2) {
        let [option, value] = pair else { continue };
        let of = value.split('=').next().unwrap_or_default();
        let is_used = !is_derive || DERIVE.contains(&of);
        if *option == "-L" || *option == "--extern" && is_used {
            rustc.args([option, value]);
        }
    }
    rustc.args([
        "--edition=2024",
        "--crate-type=bin",
        "--emit=metadata",
        "--error-format=json",
    ]);
    rustc
        .args(["--crate-name", &name.replace('-', "_"), path])
        .args(flags);
    rustc.arg("--out-dir").arg(env::current_dir()?);
    rustc.current_dir(root());
    rustc.output()
}
