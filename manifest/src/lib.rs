//! Reads manifests as `kubectl` and the Go tools read them.
//!
//! [`decode`] makes text of the bytes of a file, and [`parse`] makes documents of a text: YAML of one document or
//! several, or JSON documents one after the other. The generator and the API server share it, so that a file that
//! one of them takes is taken by the other.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! let text = informer_manifest::decode(b"\xef\xbb\xbfkind: Foo\n---\nkind: Bar\n".to_vec())?;
//! let documents: Vec<BTreeMap<String, String>> = informer_manifest::parse(&text)?;
//! assert_eq!(documents[1]["kind"], "Bar");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod continued;
mod decode;
mod json;

use std::panic;
use std::thread;

use serde::de::DeserializeOwned;

pub use self::decode::{NotText, decode};

/// The levels that a document may have; a field of a schema takes two.
const MAX_DEPTH: usize = 256;

/// The values, keys and brackets that all aliases together may stand for.
const MAX_REPLAYED: usize = 100_000;

/// The stack of the parser, in bytes. Without optimisation, as in build scripts, a level takes 35 KiB. A main thread
/// has 1 MiB on some systems, less than real definitions need.
const STACK_SIZE: usize = MAX_DEPTH * 128 * 1024;

/// Says that a text is neither YAML nor JSON, or that a document is not of the wanted type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The line, from 1; 0 if the parser does not know it.
    pub line: u64,
    /// The column, from 1 and in characters; 0 if the parser does not know it.
    pub column: u64,
    /// The reason, without the place.
    pub message: String,
}

/// Parses the documents of a text; empty ones are left out.
///
/// Quoted scalars may be continued at the indentation of their key or below, as libyaml and go-yaml allow. Documents
/// that are deeper than 256 levels, and aliases that stand for more than 100,000 values, are refused; the length of
/// the text is not limited. Blocks the calling thread until a thread of its own has parsed the text.
///
/// # Errors
///
/// If the text is not YAML or JSON, or if a document is no `T`.
pub fn parse<T: DeserializeOwned + Send>(text: &str) -> Result<Vec<T>, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parser = thread::Builder::new().stack_size(STACK_SIZE);
    thread::scope(
        |scope| match parser.spawn_scoped(scope, || documents(text)) {
            Ok(parsing) => parsing
                .join()
                .unwrap_or_else(|cause| panic::resume_unwind(cause)),
            Err(error) => Err(ParseError {
                line: 0,
                column: 0,
                message: format!("no thread for the parser: {error}"),
            }),
        },
    )
}

fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ParseError> {
    let Some(parts) = json::documents(text) else {
        return yaml(text);
    };
    let mut documents = Vec::new();
    for part in parts {
        // One at a time: all of them with their places would take the square of the file's size.
        documents.extend(yaml(&json::placed(text, part))?);
    }
    Ok(documents)
}

/// Parses YAML, a second time with its quoted scalars indented if that is what the parser misses.
fn yaml<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ParseError> {
    let refused = match strict(text) {
        Err(error) if continued::is_cause(&error.message) => error,
        result => return result,
    };
    match continued::indented(text) {
        Some(text) => strict(&text),
        None => Err(refused),
    }
}

fn strict<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ParseError> {
    let options = serde_saphyr::options! {
        // A bundle of many definitions is large, and not hostile.
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_depth: MAX_DEPTH,
            max_total_scalar_bytes: usize::MAX,
        },
        // A few aliases of aliases can stand for more than a machine can hold.
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_REPLAYED,
        },
    };
    serde_saphyr::from_multiple_with_options(text, options).map_err(|error| ParseError::new(&error))
}

// === impl ParseError ===

impl ParseError {
    fn new(error: &serde_saphyr::Error) -> Self {
        let error = error.without_snippet();
        let place = error.location();
        let line = place.map_or(0, |place| place.line());
        let column = place.map_or(0, |place| place.column());
        let message = error.to_string();
        let repeated = format!(" at line {line}, column {column}");
        // Advice for those who program with the parser.
        let message = match message.split_once(", set DuplicateKeyPolicy") {
            Some((message, _)) => message,
            None => message.strip_suffix(&repeated).unwrap_or(&message),
        };
        Self {
            line,
            column,
            message: message.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
