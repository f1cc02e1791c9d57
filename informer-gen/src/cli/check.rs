//! Implements `informer-gen check`, which compares existing files with the generated code.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use informer_gen::FileDifference;
use similar::{ChangeTag, TextDiff};

use super::{DIFFERS, FAINT, OutputArgs};

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();

pub(super) fn run(target: &OutputArgs) -> Result<ExitCode, Box<dyn Error>> {
    if target.is_stdout() {
        return Err(
            "`check` cannot compare with stdout: pass the path of a generated file with -o".into(),
        );
    }
    let differences = target.config()?.check()?;
    if differences.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = anstream::stdout().lock();
    for difference in &differences {
        write_diff(&mut out, difference)?;
    }
    out.flush()?;
    eprintln!("the generated code is out of date: run `informer-gen generate` with the same flags");
    Ok(ExitCode::from(DIFFERS))
}

/// Writes a unified diff in the format of `diff -u`.
fn write_diff(out: &mut impl Write, difference: &FileDifference) -> io::Result<()> {
    let path = difference.path.display().to_string();
    let side = |text: &Option<String>| match text {
        Some(_) => path.clone(),
        None => "/dev/null".to_owned(),
    };
    writeln!(out, "--- {}", side(&difference.found))?;
    writeln!(out, "+++ {}", side(&difference.expected))?;
    let found = difference.found.as_deref().unwrap_or_default();
    let expected = difference.expected.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(found, expected);
    for hunk in diff.unified_diff().iter_hunks() {
        writeln!(out, "{FAINT}{}{FAINT:#}", hunk.header())?;
        for change in hunk.iter_changes() {
            let tag = change.tag();
            let style = match tag {
                ChangeTag::Equal => Style::new(),
                ChangeTag::Delete => REMOVED,
                ChangeTag::Insert => ADDED,
            };
            let line = change.value().trim_end_matches('\n');
            writeln!(out, "{style}{tag}{line}{style:#}")?;
        }
    }
    Ok(())
}
