//! Contents of manifest files.

use std::path::Path;

use informer_manifest::{Node, OddKey, Oddity, Place};

use super::definition::{Definition, Document};
use crate::config::Manifests;
use crate::error::{Error, Errors, Location, OptionName, Result, ShownPath, escaped};
use crate::input::text;
use crate::suggest;

/// Maximum number of keys in a remark.
const MANY: usize = 5;

/// Contents of manifest files.
#[derive(Default)]
pub(super) struct FoundDocuments {
    definitions: Vec<Definition>,
    /// Descriptions of the other documents.
    ignored: Vec<String>,
    /// Remarks on the definitions.
    notes: Vec<String>,
    /// `true` if a document is a malformed definition.
    is_faulty: bool,
}

impl FoundDocuments {
    /// Sorts the documents of a text.
    pub(super) fn parse(&mut self, path: &Path, text: &str, errors: &mut Errors) {
        let documents = match text::documents(path, text) {
            Ok(found) => found,
            Err(error) => return self.refuse(error, errors),
        };
        for document in documents {
            let before = self.definitions.len();
            self.collect(&document.root, path, None, errors);
            if self.definitions.len() > before {
                self.notes.extend(odd_keys(path, &document.oddities));
            }
        }
    }

    pub(super) fn refuse(&mut self, error: Error, errors: &mut Errors) {
        self.is_faulty = true;
        errors.add(error);
    }

    /// Returns the definitions. Returns an error if none exists, unless another error was recorded.
    pub(super) fn finish(
        self,
        source: &Manifests,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Definition>> {
        notes.extend(self.notes);
        if !self.definitions.is_empty() || self.is_faulty {
            return Ok(self.definitions);
        }
        let reason = match self.ignored.first() {
            Some(first) => format!("has no CustomResourceDefinition, but {first}"),
            None => "has no CustomResourceDefinition".to_owned(),
        };
        Err(OptionName::CRD_MANIFESTS.refuse(&source.pattern, reason))
    }

    /// Sorts one document, or the items of a list, into definitions and other documents.
    fn collect(&mut self, node: &Node, path: &Path, listed: Option<&str>, errors: &mut Errors) {
        match Document::new(node, path, listed) {
            Ok(Document::Definition(definition)) => {
                self.notes.extend(odd_parts(path, &definition));
                self.definitions.push(definition);
            }
            Ok(Document::List {
                items,
                of_definitions,
            }) => {
                for item in items {
                    self.collect(item, path, of_definitions, errors);
                }
            }
            Ok(Document::Other(description)) => self.ignored.push(description),
            Err(error) => self.refuse(error, errors),
        }
    }
}

/// Returns a remark on the schemas of a definition.
fn odd_parts(path: &Path, definition: &Definition) -> Option<String> {
    let [(at, what), others @ ..] = definition.oddities.as_slice() else {
        return None;
    };
    let rest = match others.len() {
        0 => String::new(),
        count => format!(" (and {count} more of the definition)"),
    };
    Some(format!("{}: {what}{rest}", Location::new(path, *at)))
}

/// Returns remarks on the keys of a document with definitions.
fn odd_keys(path: &Path, oddities: &[Oddity]) -> Vec<String> {
    let mut repeated = Vec::new();
    let mut no_strings = Vec::new();
    for Oddity { kind, key, at } in oddities {
        let Place { line, column } = at;
        let shown = format!("`{}` ({line}:{column})", escaped(key));
        match kind {
            OddKey::Repeated => repeated.push(shown),
            OddKey::NoString => no_strings.push(shown),
        }
    }
    let mut notes = Vec::new();
    let mut note = |what: &str, keys: Vec<String>| {
        if !keys.is_empty() {
            let list = suggest::some_of(keys.into_iter(), MANY);
            notes.push(format!("`{}` {what}: {list}", ShownPath(path)));
        }
    };
    note(
        "gives keys of one mapping twice, of which the last is used, as in kubectl",
        repeated,
    );
    note(
        "has keys that are numbers or booleans, such as `true` for `y`; quote them",
        no_strings,
    );
    notes
}
