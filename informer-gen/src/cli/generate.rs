//! `informer-gen generate`.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use informer_gen::{Change, Config};

use super::{Target, progress};

/// The lines above which a file is long.
const LONG: usize = 10_000;

pub(super) fn run(target: &Target) -> Result<ExitCode, Box<dyn Error>> {
    if target.is_stdout() {
        return print(target);
    }
    let outputs = progress::shown(target.config()?, Config::write)?;
    for (path, change) in &outputs.files {
        let what = match change {
            Change::Written => "wrote",
            Change::Removed => "removed",
            Change::Unchanged => continue,
        };
        eprintln!("{what} {}", path.display());
        if let Some(advice) = advice(path, *change) {
            eprintln!("{advice}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do about a file that was written and is long: editors and rustfmt read it as a whole.
fn advice(path: &Path, change: Change) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let lines = text.lines().count();
    let is_long = change == Change::Written && lines > LONG;
    is_long.then(|| {
        format!(
            "note: {} has {lines} lines; with --file-per-group, or `file-per-group = true` in the file, each group has a \
             file of its own",
            path.display()
        )
    })
}

fn print(target: &Target) -> Result<ExitCode, Box<dyn Error>> {
    let files = progress::shown(target.config()?, Config::render)?;
    if files.len() > 1 {
        return Err("`-o -` prints a single file: it cannot be used with --file-per-group".into());
    }
    let mut stdout = io::stdout().lock();
    for text in files.values() {
        stdout.write_all(text.as_bytes())?;
    }
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}
