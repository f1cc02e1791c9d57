//! Reads manifests as `kubectl` and the Go tools do.
//!
//! [`decode`] converts the bytes of a file to text, and [`parse`] parses the documents of a text:
//! one or several YAML documents, or consecutive JSON documents. The generator and the embedded API
//! server share this crate, so both accept the same files.
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

/// Maximum nesting of a document; a field of a schema takes two levels.
const MAX_DEPTH: usize = 256;

/// Maximum number of values, keys and brackets that all aliases together expand to.
const MAX_REPLAYED: usize = 100_000;

/// Stack size of the parser, in bytes. Without optimization, as in build scripts, a level takes 35
/// KiB. The main thread has 1 MiB on some systems, which is too little for real definitions.
const STACK_SIZE: usize = MAX_DEPTH * 128 * 1024;

/// Error of a text that is neither YAML nor JSON, or of a document that is not of the requested
/// type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Line, from 1; 0 if the parser does not know it.
    pub line: u64,
    /// Column in characters, from 1; 0 if the parser does not know it.
    pub column: u64,
    /// Reason, without the position.
    pub message: String,
}

/// Parses the documents of a text, and skips empty ones.
///
/// A quoted scalar may continue at the indentation of its key or below, as in libyaml and go-yaml.
/// Documents deeper than 256 levels, and aliases that expand to more than 100,000 values, are
/// rejected. The length of the text is not limited. Blocks the calling thread while another thread
/// parses the text.
///
/// # Errors
///
/// If the text is not YAML or JSON, or if a document is not a `T`.
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
        // Parsed one by one: the padding of all documents together would be quadratic in the size
        // of the file.
        documents.extend(yaml(&json::placed(text, part))?);
    }
    Ok(documents)
}

/// Parses YAML. If a quoted scalar is not indented far enough, indents it and parses again.
fn yaml<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ParseError> {
    let rejection = match strict(text) {
        Err(error) if continued::is_cause(&error.message) => error,
        result => return result,
    };
    match continued::indented(text) {
        Some(text) => strict(&text),
        None => Err(rejection),
    }
}

fn strict<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ParseError> {
    let options = serde_saphyr::options! {
        // A bundle of many definitions is large, but not hostile.
        budget: serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_depth: MAX_DEPTH,
            max_total_scalar_bytes: usize::MAX,
        },
        // A few nested aliases can expand to more than the memory of a machine.
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
        // The rest of the message is advice for programmers who use the parser.
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
