//! [`DropFields`]: what is cut out of objects before anything else is done with them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::compiled::Compiled;
use super::field_path::{FieldPath, FieldPathError};
use super::kind::Kind;

/// Fields that nobody needs, cut out of objects as bytes: they are never decoded, stored or shown.
///
/// Does what a transform that removes them does, for a fraction of its cost: a cut is one pass
/// over the bytes however many fields there are, and copies nothing if an object has none of them.
/// `metadata.managedFields` is cut without being named. What names and versions an object
/// (`metadata.name`, `.namespace`, `.uid`, `.resourceVersion`) is kept. Dropped labels are not
/// seen by label selectors of listers, dropped owner references not by look-ups of owners.
///
/// A field that its type requires makes objects undecodable, and the error says that it was
/// dropped. (Types of `k8s-openapi` take an empty value instead.)
///
/// Of objects in protobuf, a dropped struct that Kubernetes always writes, such as a `status`, is
/// there with its empty values, as it is in Go; in JSON it is not there.
///
/// Clones share the paths. Equal sets of fields are equal, however they were written.
///
/// # Examples
///
/// ```
/// # use informer_runtime::wire::{DropFields, RawObject};
///
/// let drop = DropFields::new(["status", "spec.containers[*].env"])?;
/// let raw = RawObject::json(r#"{"metadata":{"name":"a"},"status":{"phase":"Running"}}"#)?;
/// assert_eq!(&raw.without(&drop).bytes()[..], br#"{"metadata":{"name":"a"}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DropFields(Arc<Inner>);

struct Inner {
    /// Ascending, none inside another one.
    paths: Vec<FieldPath>,
    root: Node,
    /// The same for objects in protobuf, of the first kind that it was asked of: of most fields
    /// there is one kind only.
    compiled: OnceLock<Compiled>,
}

/// Why fields cannot be dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DropFieldsError {
    /// A text is no path.
    #[error(transparent)]
    Path(#[from] FieldPathError),
    /// The field tells which object it is, in which version.
    #[error("`{0}` cannot be dropped: without it objects cannot be told apart")]
    Identity(FieldPath),
}

/// What is to be done with the members of an object.
#[derive(Debug, Default)]
pub(super) struct Node {
    members: Vec<(Box<str>, Step)>,
}

/// What is to be done with one member.
#[derive(Debug)]
pub(super) enum Step {
    Drop,
    Into(Node),
}

/// What has to stay.
const IDENTITY: [&[&str]; 4] = [
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
];

// === impl DropFields ===

impl DropFields {
    /// The fields at these paths.
    ///
    /// # Errors
    ///
    /// One is no path, or of a field that cannot be missed.
    pub fn new<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Result<Self, DropFieldsError> {
        let paths = paths.into_iter().map(|path| path.as_ref().parse());
        Self::of_paths(paths.collect::<Result<_, FieldPathError>>()?)
    }

    /// The fields at these paths.
    ///
    /// # Errors
    ///
    /// One is of a field that cannot be missed.
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

    /// The paths, ascending; those inside of another one are left out.
    #[must_use]
    pub fn paths(&self) -> &[FieldPath] {
        &self.0.paths
    }

    /// Whether there is nothing to drop.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.paths.is_empty()
    }

    /// These fields and `metadata.managedFields`.
    pub(super) fn with_managed_fields(&self) -> Self {
        let managed = FieldPath::of(&["metadata", "managedFields"]);
        let paths = self.0.paths.iter().cloned();
        Self::unchecked(paths.chain([managed]).collect())
    }

    pub(super) fn root(&self) -> &Node {
        &self.0.root
    }

    /// Shows `use_it` the same for objects in protobuf of this kind.
    pub(super) fn compiled<R>(
        &self,
        kind: &'static Kind,
        use_it: impl FnOnce(&Compiled) -> R,
    ) -> R {
        let first = self
            .0
            .compiled
            .get_or_init(|| Compiled::new(kind, self.paths()));
        if std::ptr::eq(first.kind, kind) {
            use_it(first)
        } else {
            use_it(&Compiled::new(kind, self.paths()))
        }
    }

    fn unchecked(mut paths: Vec<FieldPath>) -> Self {
        paths.sort_unstable();
        // What is inside of a path follows it.
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

/// No fields.
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
    /// What is to be done with the member of this name, if anything.
    pub(super) fn step(&self, name: &str) -> Option<&Step> {
        // Few: a search in order beats a map.
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
mod tests {
    use super::*;

    fn drop(paths: &[&str]) -> DropFields {
        DropFields::new(paths).unwrap()
    }

    #[test]
    fn equal_sets_of_fields_are_equal() {
        assert_eq!(
            drop(&["status", "spec.a[*].b", "spec.a.b.c"]),
            drop(&["spec['a'].b", "status", "status.phase"])
        );
        assert_ne!(drop(&["status"]), drop(&["spec"]));
        assert!(drop(&[]).is_empty());
    }

    #[test]
    fn what_names_an_object_cannot_be_dropped() {
        for path in ["metadata", "metadata.name", "metadata['uid']"] {
            let error = DropFields::new([path]).unwrap_err();
            assert!(error.to_string().ends_with("told apart"), "{error}");
        }
        let error = DropFields::new(["metadata.labels[*]"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`metadata.labels[*]`: a path ends with the name of a field: write `metadata.labels`"
        );
    }
}
