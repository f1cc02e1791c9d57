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
    for document in documents {
        control.load(document).map_err(StartError::Create)?;
    }
    Ok(())
}

/// Reads the documents of a file, which holds any number of JSON or of YAML documents.
fn read(path: &Path) -> Result<Vec<Value>, StartError> {
    documents_of(path).map_err(|source| StartError::Load {
        path: path.to_owned(),
        source,
    })
}

fn documents_of(path: &Path) -> Result<Vec<Value>, Box<dyn Error + Send + Sync>> {
    let bytes = std::fs::read(path)?;
    let text = informer_manifest::decode(bytes)?;
    documents(&text)
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
        match cause {
            Some(cause) => cause.into(),
            None => {
                format!("is neither JSON nor YAML: {error} at line {line}, column {column}").into()
            }
        }
    })
}
