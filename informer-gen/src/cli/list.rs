//! Implements `informer-gen list`.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::Style;
use informer_gen::{ListedKind, Outcome};

use super::{FAINT, Format, Inputs};

/// Cell of an unknown property.
const UNKNOWN: &str = "-";

const HEADER: [&str; 5] = ["KIND", "RESOURCE", "SCOPE", "FROM", "GENERATED"];

pub(super) fn run(inputs: &Inputs, format: Format) -> Result<ExitCode, Box<dyn Error>> {
    let entries = inputs.config()?.list()?;
    let mut out = anstream::stdout().lock();
    match format {
        Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(&entries)?)?,
        Format::Table => write_table(&mut out, &entries)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write_table(out: &mut impl Write, entries: &[ListedKind]) -> io::Result<()> {
    let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
    let mut widths = HEADER.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.len());
        }
    }
    let header = line(&HEADER.map(str::to_owned), &widths);
    writeln!(out, "{FAINT}{header}{FAINT:#}")?;
    for (entry, row) in entries.iter().zip(&rows) {
        let style = match entry.outcome {
            Outcome::Emitted { .. } => Style::new(),
            Outcome::Skipped { .. } => FAINT,
        };
        writeln!(out, "{style}{}{style:#}", line(row, &widths))?;
    }
    Ok(())
}

fn row(entry: &ListedKind) -> [String; 5] {
    let scope = entry.scope.map(|scope| scope.to_string());
    [
        entry.name(),
        entry.resource.clone().unwrap_or(UNKNOWN.to_owned()),
        scope.unwrap_or(UNKNOWN.to_owned()),
        entry.origin.clone(),
        result(&entry.outcome),
    ]
}

/// Formats the last cell: the accessor with its conditions, or the reason why none exists.
fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Skipped { reason } => format!("no: {reason}"),
        Outcome::Emitted {
            rust_type,
            accessor,
            kubernetes,
            feature,
            untyped,
        } => {
            let mut notes = Vec::new();
            if let Some(versions) = kubernetes {
                notes.push(format!("Kubernetes {versions}"));
            }
            if let Some(name) = feature {
                notes.push(format!("feature `{name}`"));
            }
            if let Some(why) = untyped {
                notes.push(format!("no type: {why}"));
            }
            if notes.is_empty() {
                return format!("{accessor} of {rust_type}");
            }
            format!("{accessor} of {rust_type} ({})", notes.join(", "))
        }
    }
}

fn line(cells: &[String; 5], widths: &[usize; 5]) -> String {
    let mut line = String::new();
    for (cell, &width) in cells.iter().zip(widths) {
        line.push_str(cell);
        let padding = width.saturating_sub(cell.len()) + 2;
        line.push_str(&" ".repeat(padding));
    }
    line.trim_end().to_owned()
}
