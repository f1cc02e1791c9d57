//! Objects that exist from the start: given ones, and those of files.

use std::error::Error;
use std::path::{Path, PathBuf};

use informer_manifest::Place;
use serde_json::Value;

use super::error::StartError;
use crate::control::Control;

/// Objects to create at start.
#[derive(Debug)]
pub(crate) enum Preload {
    Document(Value),
    /// Error of serde for a given object.
    Unserializable(String),
    File(PathBuf),
}

/// Creates the objects, in their order.
pub(super) async fn load(control: &Control, preload: Preload) -> Result<(), StartError> {
    let documents = match preload {
        Preload::Document(document) => vec![document],
        Preload::Unserializable(reason) => return Err(StartError::Serialize(reason)),
        Preload::File(path) => {
            let reading = tokio::task::spawn_blocking(move || read(&path));
            reading.await.unwrap_or_else(|error| {
                let reason = format!("the task that reads the file failed: {error}");
                Err(StartError::Serialize(reason))
            })?
        }
    };
    documents
        .into_iter()
        .try_for_each(|document| control.load(document).map_err(StartError::Create))
}

/// Reads the documents of a file, which holds any number of JSON or of YAML documents.
fn read(path: &Path) -> Result<Vec<Value>, StartError> {
    let text = std::fs::read(path).map_err(Into::into);
    let text = text.and_then(|bytes| informer_manifest::decode(bytes).map_err(Into::into));
    text.and_then(|text| documents(&text))
        .map_err(|source| StartError::Load {
            path: path.to_owned(),
            source,
        })
}

fn documents(text: &str) -> Result<Vec<Value>, Box<dyn Error + Send + Sync>> {
    // Long lists are JSON, of which the parser of YAML is slow. Like kubectl, reads a text as YAML if
    // it is not JSON.
    let mut cause = None;
    if text.trim_start().starts_with('{') {
        let documents = serde_json::Deserializer::from_str(text).into_iter();
        match documents.collect() {
            Ok(documents) => return Ok(documents),
            Err(error) => cause = Some(format!("is not JSON: {error}")),
        }
    }
    informer_manifest::parse(text).map_err(|error| {
        let Place { line, column } = error.at;
        let as_yaml =
            || format!("is neither JSON nor YAML: {error} at line {line}, column {column}");
        cause.unwrap_or_else(as_yaml).into()
    })
}
