//! `informer-gen generate`.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use informer_gen::{Change, Config};

use super::{Target, progress};

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
    }
    Ok(ExitCode::SUCCESS)
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
