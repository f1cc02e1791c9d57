//! Contents of manifest files.

use std::path::Path;

use informer_manifest::{Node, OddKey, Oddity, Place};

use super::definition::{Definition, Document};
use crate::config::Manifests;
use crate::error::{Error, Errors, Location, OptionName, ShownPath, escaped};
use crate::input::text;

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
        match text::documents(path, text) {
            Ok(documents) => {
                for document in documents {
                    let before = self.definitions.len();
                    self.collect(&document.root, path, None, errors);
                    if self.definitions.len() > before {
                        self.notes.extend(odd_keys(path, &document.oddities));
                    }
                }
            }
            Err(error) => self.refuse(error, errors),
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
    ) -> Result<Vec<Definition>, Error> {
        notes.extend(self.notes);
        if !self.definitions.is_empty() || self.is_faulty {
            return Ok(self.definitions);
        }
        let first = self.ignored.first();
        let found = first.map_or_else(String::new, |first| format!(", but {first}"));
        let reason = format!("has no CustomResourceDefinition{found}");
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
fn odd_keys(path: &Path, oddities: &[Oddity]) -> impl Iterator<Item = String> {
    let remarks = [
        (
            OddKey::Repeated,
            "gives keys of one mapping twice, of which the last is used, as in kubectl",
        ),
        (
            OddKey::NoString,
            "has keys that are numbers or booleans, such as `true` for `y`; quote them",
        ),
    ];
    remarks.into_iter().filter_map(move |(kind, what)| {
        let keys: Vec<&Oddity> = oddities
            .iter()
            .filter(|oddity| oddity.kind == kind)
            .collect();
        let listed = keys.iter().take(MANY).map(|oddity| {
            let Place { line, column } = oddity.at;
            format!("`{}` ({line}:{column})", escaped(&oddity.key))
        });
        let listed = listed.collect::<Vec<_>>().join(", ");
        let rest = match keys.len().saturating_sub(MANY) {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        (!keys.is_empty()).then(|| format!("`{}` {what}: {listed}{rest}", ShownPath(path)))
    })
}
