//! Reads manifests as `kubectl` and the Go tools do.
//!
//! [`decode`] converts the bytes of a file to text. [`read`] returns the documents of a text as
//! trees of [`Node`]s, and [`parse`] as values of a type: one or several YAML documents, or
//! consecutive JSON documents. The generator and the embedded API server share this crate, so both
//! accept the same files.
//!
//! ```text
//! text ─► json (parts) ─► compose (events to nodes) ─► node ─► de (types)
//!                             └─► scalar (go-yaml's rules)
//! ```
//!
//! # Values
//!
//! `kubectl` reads YAML with `sigs.k8s.io/yaml`, which converts a document to JSON. The words of YAML
//! 1.1 (`y`, `no`, `on`, ..) are booleans, a number or a boolean is a key by its text (`8` for
//! `010`), a number without a fraction is an integer (`1` for `1.0`), a merge key `<<` adds members,
//! and the last of several equal keys wins. `tests/kubectl.rs` compares the two readers.
//!
//! # Example
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! let text = informer_manifest::decode(b"\xef\xbb\xbfkind: Foo\n---\nkind: Bar\n".to_vec())?;
//! let documents: Vec<BTreeMap<String, String>> = informer_manifest::parse(&text)?;
//! assert_eq!(documents[1]["kind"], "Bar");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compose;
mod continued;
mod de;
mod decode;
mod error;
mod json;
mod node;
mod scalar;

use std::panic;
use std::thread;

use serde::de::DeserializeOwned;

pub use self::decode::{NotText, decode};
pub use self::error::ParseError;
pub use self::node::{Document, Node, OddKey, Oddity, Place, Value};

/// Maximum nesting of a document; a field of a schema takes two levels.
const MAX_DEPTH: usize = 256;

/// Maximum number of keys and values that all aliases together expand to.
const MAX_REPLAYED: usize = 100_000;

/// Stack size of the conversion to a type, in bytes. Without optimization, as in build scripts,
/// a level of a document takes some KiB. The main thread has 1 MiB on some systems.
const STACK_SIZE: usize = MAX_DEPTH * 64 * 1024;

/// Reads the documents of a text, and skips empty ones.
///
/// Documents deeper than 256 levels, and aliases that expand to more than 100,000 values, are
/// rejected. The length of the text is not limited.
///
/// # Errors
///
/// If the text is not YAML or JSON.
pub fn read(text: &str) -> Result<Vec<Document>, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(parts) = json::documents(text) else {
        return compose::compose(text, Place::START);
    };
    let mut documents = Vec::new();
    for part in parts {
        documents.extend(compose::compose(part.text, part.start)?);
    }
    Ok(documents)
}

/// Reads the documents of a text as values of a type, and skips empty ones. Reads like [`read`].
///
/// Blocks the calling thread while another thread, with a large stack, converts the documents.
///
/// # Errors
///
/// If the text is not YAML or JSON, or if a document is not a `T`.
pub fn parse<T: DeserializeOwned + Send>(text: &str) -> Result<Vec<T>, ParseError> {
    let documents = read(text)?.into_iter();
    let convert = || {
        let values = documents.map(|document| T::deserialize(document.root));
        values.collect()
    };
    let parser = thread::Builder::new().stack_size(STACK_SIZE);
    thread::scope(|scope| match parser.spawn_scoped(scope, convert) {
        Ok(conversion) => conversion
            .join()
            .unwrap_or_else(|cause| panic::resume_unwind(cause)),
        Err(error) => Err(ParseError::new(
            Place::default(),
            format!("no thread for the parser: {error}"),
        )),
    })
}

#[cfg(test)]
mod tests;
