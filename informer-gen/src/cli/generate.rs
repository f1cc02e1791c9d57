//! Implements `informer-gen generate`.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use informer_gen::{FileChange, Rendered};

use super::OutputArgs;

/// Number of lines above which a file counts as long.
const LONG: usize = 10_000;

pub(super) fn run(target: &OutputArgs) -> Result<ExitCode, Box<dyn Error>> {
    if target.is_stdout() {
        return print(target);
    }
    let outputs = target.config()?.write()?;
    for (path, change) in &outputs.files {
        let action = match change {
            FileChange::Written => "wrote",
            FileChange::Removed => "removed",
            FileChange::Unchanged => continue,
        };
        eprintln!("{action} {}", path.display());
        if let Some(advice) = advice(path, *change) {
            eprintln!("{advice}");
        }
    }
    print_notes(&outputs.notes, &outputs.hints);
    Ok(ExitCode::SUCCESS)
}

fn print_notes(notes: &[String], hints: &[String]) {
    for note in notes.iter().chain(hints) {
        eprintln!("note: {note}");
    }
}

/// Returns advice about a written file that is long. Editors and rustfmt process the whole file.
fn advice(path: &Path, change: FileChange) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let lines = text.lines().count();
    let is_long = change == FileChange::Written && lines > LONG;
    is_long.then(|| {
        format!(
            "note: {} has {lines} lines; use --file-per-group to write one file for each \
             group",
            path.display()
        )
    })
}

fn print(target: &OutputArgs) -> Result<ExitCode, Box<dyn Error>> {
    let Rendered {
        files,
        notes,
        hints,
        ..
    } = target.config()?.render()?;
    if files.len() > 1 {
        return Err("`-o -` prints a single file: do not combine it with --file-per-group".into());
    }
    let mut stdout = io::stdout().lock();
    for text in files.values() {
        stdout.write_all(text.as_bytes())?;
    }
    stdout.flush()?;
    print_notes(&notes, &hints);
    Ok(ExitCode::SUCCESS)
}
