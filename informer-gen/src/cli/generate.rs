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
        match change {
            FileChange::Written => {
                eprintln!("wrote {}", path.display());
                advise(path);
            }
            FileChange::Removed => eprintln!("removed {}", path.display()),
            FileChange::Unchanged => {}
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

/// Prints advice about a file that is long. Editors and rustfmt process the whole file.
fn advise(path: &Path) {
    let Ok(text) = fs::read_to_string(path) else {
        return;
    };
    let lines = text.lines().count();
    if lines > LONG {
        eprintln!(
            "note: {} has {lines} lines; use --file-per-group to write one file for each group",
            path.display()
        );
    }
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
    let mut out = io::stdout().lock();
    for text in files.values() {
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    print_notes(&notes, &hints);
    Ok(ExitCode::SUCCESS)
}
