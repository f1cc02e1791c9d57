//! Fields of a document, with errors that name the field.

use std::fmt::Display;
use std::path::Path;

use informer_codegen::names::api;
use informer_manifest::Node;

use crate::error::{Error, Location, Result};
use crate::input::text;

/// Value in a document.
pub(super) struct Field<'n> {
    file: &'n Path,
    pub(super) node: &'n Node,
    /// Path to the value, such as `spec.names.kind`. Empty for the whole document.
    path: String,
}

// === impl Field ===

impl<'n> Field<'n> {
    /// Returns the whole document.
    pub(super) fn root(file: &'n Path, node: &'n Node) -> Self {
        Self {
            file,
            node,
            path: String::new(),
        }
    }

    /// Returns a member, which must exist.
    pub(super) fn get(&self, key: &str) -> Result<Self> {
        let path = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        match self.node.get(key) {
            Some(node) => Ok(Self {
                node,
                path,
                ..*self
            }),
            None => Err(self.at().error(format!("`{path}` is missing"))),
        }
    }

    /// Returns the elements of a list, or `None` if the value is not a list.
    pub(super) fn items(&self) -> Option<impl Iterator<Item = Self>> {
        let nodes = self.node.as_sequence()?;
        Some(nodes.iter().map(|node| Self {
            node,
            path: format!("{}[]", self.path),
            ..*self
        }))
    }

    pub(super) fn text(&self) -> Result<&'n str> {
        if let Some(text) = self.node.as_str() {
            return Ok(text);
        }
        let hint = match self.node.as_bool() {
            Some(_) => "; quote words such as `Y` and `on`",
            None => "",
        };
        Err(self.error(format!("must be a string{hint}")))
    }

    /// Returns a text that is a name by a rule.
    pub(super) fn name(&self, is_valid: fn(&str) -> bool, rule: &str) -> Result<String> {
        let text = self.text()?;
        if !is_valid(text) {
            return Err(self.violates(rule, text));
        }
        Ok(text.to_owned())
    }

    /// Returns the position of the value.
    pub(super) fn at(&self) -> Location {
        Location::new(self.file, self.node.at)
    }

    pub(super) fn error(&self, problem: impl Display) -> Error {
        self.at().error(format!("`{}` {problem}", self.path))
    }

    /// Returns the error that the value violates a rule.
    pub(super) fn violates(&self, rule: &str, value: &str) -> Error {
        self.error(api::found(rule, value) + text::of_template(value))
    }
}
