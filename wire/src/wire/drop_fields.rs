//! [`DropFields`]: the fields to cut out of objects on arrival.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use super::compiled::Compiled;
use super::field_path::{FieldPath, FieldPathError};
use super::kind::Kind;

/// Set of fields to cut out of the bytes of objects, so that these fields are never decoded, stored
/// or shown.
///
/// The result is that of a transform that removes the fields, at a fraction of the cost: all fields
/// are cut in one pass over the bytes, and an object without these fields is not copied.
/// `metadata.managedFields` is always cut. The identity of an object (`metadata.name`,
/// `.namespace`, `.uid`, `.resourceVersion`) cannot be dropped. Label selectors of listers do not
/// see dropped labels, and look-ups of owners do not see dropped owner references.
///
/// If a type requires a dropped field, its objects become undecodable, and the error states that
/// the field was dropped. (Types of `k8s-openapi` take an empty value instead.)
///
/// In protobuf, a dropped struct that Kubernetes always writes, such as `status`, decodes to its
/// empty value, as in Go. In JSON it is missing.
///
/// Clones share the paths. Equality depends on the set of fields, not on the spelling of the paths.
///
/// # Examples
///
/// ```
/// # use informer_wire::wire::{DropFields, RawObject};
///
/// let drop = DropFields::new(["status", "spec.containers[*].env"])?;
/// let raw = RawObject::json(r#"{"metadata":{"name":"a"},"status":{"phase":"Running"}}"#)?;
/// assert_eq!(&raw.without(&drop).bytes()[..], br#"{"metadata":{"name":"a"}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DropFields(Arc<Inner>);

struct Inner {
    /// Ascending, without paths inside another path.
    paths: Vec<FieldPath>,
    root: Node,
    /// The same fields compiled for objects in protobuf, for the first kind that was used. Most
    /// sets of fields serve one kind only.
    compiled: OnceLock<Compiled>,
}

/// Error of a set of fields that cannot be dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DropFieldsError {
    /// A text is not a path.
    #[error(transparent)]
    Path(#[from] FieldPathError),
    /// The field identifies the object or its version.
    #[error("`{0}` cannot be dropped: it identifies the object or its version")]
    Identity(FieldPath),
}

/// Actions for the members of an object.
#[derive(Debug, Default)]
pub(super) struct Node {
    members: Vec<(Box<str>, Step)>,
}

/// Action for one member.
#[derive(Debug)]
pub(super) enum Step {
    Drop,
    Into(Node),
}

/// Fields that cannot be dropped.
const IDENTITY: [&[&str]; 4] = [
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
];

// === impl DropFields ===

impl DropFields {
    /// Creates the set of the fields at these paths.
    ///
    /// # Errors
    ///
    /// Fails if a text is not a path, or if a path contains a field that identifies the object.
    pub fn new<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Result<Self, DropFieldsError> {
        let paths = paths.into_iter().map(|path| path.as_ref().parse());
        Self::of_paths(paths.collect::<Result<_, FieldPathError>>()?)
    }

    /// Creates the set of the fields at these paths.
    ///
    /// # Errors
    ///
    /// Fails if a path contains a field that identifies the object.
    pub fn of_paths(paths: Vec<FieldPath>) -> Result<Self, DropFieldsError> {
        let is_needed = |path: &&FieldPath| {
            let mut needed = IDENTITY.iter().map(|names| FieldPath::of(names));
            needed.any(|needed| path.contains(&needed))
        };
        match paths.iter().find(is_needed) {
            Some(needed) => Err(DropFieldsError::Identity(needed.clone())),
            None => Ok(Self::unchecked(paths)),
        }
    }

    /// Returns the paths in ascending order, without paths inside another path.
    #[must_use]
    pub fn paths(&self) -> &[FieldPath] {
        &self.0.paths
    }

    /// Returns `true` if no fields are dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.paths.is_empty()
    }

    /// Returns these fields and `metadata.managedFields`.
    pub(super) fn with_managed_fields(&self) -> Self {
        let managed = FieldPath::of(&["metadata", "managedFields"]);
        let paths = self.0.paths.iter().cloned();
        Self::unchecked(paths.chain([managed]).collect())
    }

    pub(super) fn root(&self) -> &Node {
        &self.0.root
    }

    /// Calls `read` with the fields compiled for objects in protobuf of this kind.
    pub(super) fn compiled<R>(&self, kind: &'static Kind, read: impl FnOnce(&Compiled) -> R) -> R {
        let first = self
            .0
            .compiled
            .get_or_init(|| Compiled::new(kind, self.paths()));
        if std::ptr::eq(first.kind, kind) {
            read(first)
        } else {
            read(&Compiled::new(kind, self.paths()))
        }
    }

    fn unchecked(mut paths: Vec<FieldPath>) -> Self {
        paths.sort_unstable();
        // A path is followed by the paths inside it.
        paths.dedup_by(|later, kept| kept.contains(later));
        let mut root = Node::default();
        for path in &paths {
            root.add(path.segments());
        }
        Self(Arc::new(Inner {
            paths,
            root,
            compiled: OnceLock::new(),
        }))
    }
}

/// Parses paths with commas between them, such as `status,spec.containers[*].env`. An empty text is
/// the empty set.
impl FromStr for DropFields {
    type Err = DropFieldsError;

    fn from_str(paths: &str) -> Result<Self, DropFieldsError> {
        if paths.trim().is_empty() {
            return Ok(Self::default());
        }
        let mut quote = None;
        let paths = paths.split(|char| {
            if matches!(char, '\'' | '"') && quote.is_none_or(|open| open == char) {
                quote = quote.xor(Some(char));
            }
            char == ',' && quote.is_none()
        });
        Self::new(paths.map(str::trim))
    }
}

/// The empty set of fields.
impl Default for DropFields {
    fn default() -> Self {
        Self::unchecked(Vec::new())
    }
}

impl PartialEq for DropFields {
    fn eq(&self, other: &Self) -> bool {
        self.0.paths == other.0.paths
    }
}

impl Eq for DropFields {}

impl Hash for DropFields {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.0.paths.hash(state);
    }
}

impl fmt::Debug for DropFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DropFields").field(&self.0.paths).finish()
    }
}

// === impl Node ===

impl Node {
    /// Returns the action for the member of this name, if any.
    pub(super) fn step(&self, name: &str) -> Option<&Step> {
        // With few members, a linear search is faster than a map.
        let mut members = self.members.iter();
        members
            .find(|(other, _)| **other == *name)
            .map(|(_, step)| step)
    }

    fn add(&mut self, path: &[Box<str>]) {
        let Some((name, rest)) = path.split_first() else {
            return;
        };
        let known = self.members.iter().position(|(other, _)| other == name);
        if rest.is_empty() {
            self.members.push((name.clone(), Step::Drop));
        } else if let Some((_, Step::Into(node))) =
            known.and_then(|known| self.members.get_mut(known))
        {
            node.add(rest);
        } else {
            let mut node = Self::default();
            node.add(rest);
            self.members.push((name.clone(), Step::Into(node)));
        }
    }
}

#[cfg(test)]
mod tests;
