//! Objects that exist from the start: given ones, and those of files.

use std::path::{Path, PathBuf};

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
    let mut documents = documents.into_iter();
    documents.try_for_each(|document| control.load(document).map_err(StartError::Create))
}

/// Reads consecutive JSON documents.
fn read(path: &Path) -> Result<Vec<Value>, StartError> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| StartError::Load {
        path: path.to_owned(),
        source,
    };
    let text = std::fs::read(path).map_err(|error| failed(error.into()))?;
    let documents = serde_json::Deserializer::from_slice(&text).into_iter();
    let documents: Result<_, serde_json::Error> = documents.collect();
    documents.map_err(|error| failed(error.into()))
}
