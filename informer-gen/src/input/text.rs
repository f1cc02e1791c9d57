//! Texts of manifests as documents, with errors that name the form of a text.

use std::path::Path;

use informer_manifest::{Document, ParseError};

use crate::error::{Error, Location, Result};

/// Returns the documents of a text, without empty ones.
pub(super) fn documents(path: &Path, text: &str) -> Result<Vec<Document>> {
    informer_manifest::read(text).map_err(|error| refusal(path, text, &error))
}

fn refusal(path: &Path, text: &str, error: &ParseError) -> Error {
    let is_json = text.trim_start().starts_with('{');
    let language = if is_json { "JSON" } else { "YAML" };
    Location::new(path, error.at).error(format!(
        "cannot be parsed as {language}: {}{}",
        error.message,
        form(text, error)
    ))
}

/// Returns a form that the text has instead of YAML or JSON, as the end of a sentence.
fn form(text: &str, error: &ParseError) -> &'static str {
    let start = text.trim_start();
    let before = usize::try_from(error.at.line.saturating_sub(1));
    let line = text
        .lines()
        .nth(before.unwrap_or(usize::MAX))
        .unwrap_or_default();
    if text.contains("{{") || line.contains("${") {
        "; the file looks like a template, pass its rendered form"
    } else if start.starts_with('<') {
        "; the file looks like HTML, pass the raw file"
    } else if start.starts_with("Name:  ") {
        "; the file looks like the output of `kubectl describe`, pass that of `kubectl get -o yaml`"
    } else {
        ""
    }
}

/// Returns advice if a value looks like a variable of a template, as the end of a sentence.
pub(super) fn of_template(value: &str) -> &'static str {
    let is_variable = ["{{", "${", "$(", "<%", "%%"]
        .iter()
        .any(|mark| value.contains(mark));
    if is_variable {
        "; it looks like a variable of a template, pass the rendered file"
    } else {
        ""
    }
}
