//! Implements `informer-gen check`, which compares existing files with the generated code.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use informer_gen::Difference;
use similar::{ChangeTag, TextDiff};

use super::{DIFFERS, Target};
use crate::cli::color::Style;

pub(super) fn run(target: &Target) -> Result<ExitCode, Box<dyn Error>> {
    if target.is_stdout() {
        return Err(
            "`check` cannot compare with stdout: pass the path of a generated file with -o".into(),
        );
    }
    let differences = target.config()?.check()?;
    if differences.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let stdout = io::stdout();
    let style = Style::new(stdout.is_terminal());
    let mut stdout = stdout.lock();
    for difference in &differences {
        stdout.write_all(diff(difference, style).as_bytes())?;
    }
    stdout.flush()?;
    eprintln!("the generated code is out of date: run `informer-gen generate` with the same flags");
    Ok(ExitCode::from(DIFFERS))
}

/// Returns a unified diff in the format of `diff -u`.
fn diff(difference: &Difference, style: Style) -> String {
    let path = difference.path.display().to_string();
    let side = |text: &Option<String>| match text {
        Some(_) => path.clone(),
        None => "/dev/null".to_owned(),
    };
    let (from, to) = (side(&difference.found), side(&difference.expected));
    let mut text = format!("--- {from}\n+++ {to}\n");
    let found = difference.found.as_deref().unwrap_or_default();
    let expected = difference.expected.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(found, expected);
    for hunk in diff.unified_diff().iter_hunks() {
        text.push_str(&style.faint(hunk.header()));
        text.push('\n');
        for change in hunk.iter_changes() {
            let line = format!("{}{}", change.tag(), change.value().trim_end_matches('\n'));
            text.push_str(&match change.tag() {
                ChangeTag::Equal => line,
                ChangeTag::Delete => style.removed(line),
                ChangeTag::Insert => style.added(line),
            });
            text.push('\n');
        }
    }
    text
}
