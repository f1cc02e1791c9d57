//! [`DropFields`]: the fields to cut out of objects on arrival.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use super::actions::Actions;
use super::compiled::Compiled;
use super::field_path::{FieldPath, FieldPathError};
use super::kind::Kind;

/// Set of fields to cut out of the bytes of objects, so that these fields are never decoded, stored
/// or shown.
///
/// [`new`](Self::new) lists the fields to cut, and [`all_but`](Self::all_but) those to keep. The
/// result is that of a transform that removes the fields, at a fraction of the cost: all fields
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
/// let drop = DropFields::all_but(["status.phase"])?;
/// assert_eq!(raw.without(&drop).bytes(), raw.bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DropFields(Arc<Inner>);

struct Inner {
    /// Paths to drop, or to keep. Ascending, without paths inside another path.
    paths: Vec<FieldPath>,
    root: Actions,
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

/// Fields that cannot be dropped.
const IDENTITY: [&[&str]; 4] = [
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
];

/// Other fields that [`DropFields::all_but`] keeps: selectors of listers, look-ups of owners and
/// finalizers read them.
const ALWAYS_KEPT: [&[&str]; 6] = [
    &["apiVersion"],
    &["kind"],
    &["metadata", "labels"],
    &["metadata", "ownerReferences"],
    &["metadata", "deletionTimestamp"],
    &["metadata", "finalizers"],
];

// === impl DropFields ===

impl DropFields {
    /// Creates the set of the fields at these paths.
    ///
    /// # Errors
    ///
    /// Fails if a text is not a path, or if a path contains a field that identifies the object.
    pub fn new<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Result<Self, DropFieldsError> {
        let parsed = paths.into_iter().map(|path| path.as_ref().parse());
        Self::of_paths(parsed.collect::<Result<_, FieldPathError>>()?)
    }

    /// Creates the set of all fields but those at these paths.
    ///
    /// Always kept are `apiVersion`, `kind`, and of the metadata `name`, `namespace`, `uid`,
    /// `resourceVersion`, `labels`, `ownerReferences`, `deletionTimestamp` and `finalizers`. List
    /// `metadata` to keep all of it. Members of an object that is on the way to a listed field are
    /// dropped, so `spec.containers[*].image` keeps the images of the containers alone.
    ///
    /// # Errors
    ///
    /// Fails if a text is not a path.
    pub fn all_but<P: AsRef<str>>(
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, DropFieldsError> {
        let parsed = paths.into_iter().map(|path| path.as_ref().parse());
        let kept = parsed.collect::<Result<_, FieldPathError>>()?;
        Ok(Self::unchecked(kept, true, false))
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
            None => Ok(Self::unchecked(paths, false, false)),
        }
    }

    /// Returns the paths that were given, to drop or to keep, in ascending order, without paths inside
    /// another path.
    #[must_use]
    pub fn paths(&self) -> &[FieldPath] {
        &self.0.paths
    }

    /// Returns `true` if no fields are dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.paths.is_empty() && !self.0.root.drops_others
    }

    /// Returns these fields and `metadata.managedFields`.
    pub(super) fn with_managed_fields(&self) -> Self {
        Self::unchecked(self.0.paths.clone(), self.0.root.drops_others, true)
    }

    pub(super) fn root(&self) -> &Actions {
        &self.0.root
    }

    /// Calls `read` with the fields compiled for objects in protobuf of this kind.
    pub(super) fn compiled<R>(&self, kind: &'static Kind, read: impl FnOnce(&Compiled) -> R) -> R {
        let first = self
            .0
            .compiled
            .get_or_init(|| Compiled::new(kind, self.root()));
        if std::ptr::eq(first.kind, kind) {
            read(first)
        } else {
            read(&Compiled::new(kind, self.root()))
        }
    }

    fn unchecked(mut paths: Vec<FieldPath>, is_all_but: bool, drops_managed: bool) -> Self {
        paths.sort_unstable();
        // A path is followed by the paths inside it.
        paths.dedup_by(|later, kept| kept.contains(later));
        let mut root = Actions::new(is_all_but);
        for path in &paths {
            root.add(path.segments(), !is_all_but);
        }
        if is_all_but {
            for names in IDENTITY.into_iter().chain(ALWAYS_KEPT) {
                root.add(names, false);
            }
        }
        if drops_managed {
            root.add(&["metadata", "managedFields"], true);
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
        Self::unchecked(Vec::new(), false, false)
    }
}

impl PartialEq for DropFields {
    fn eq(&self, other: &Self) -> bool {
        (&self.0.paths, self.0.root.drops_others) == (&other.0.paths, other.0.root.drops_others)
    }
}

impl Eq for DropFields {}

impl Hash for DropFields {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.0.paths.hash(state);
    }
}

impl fmt::Display for DropFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all_but = self.0.root.drops_others.then_some("all but ");
        let paths: Vec<String> = self
            .paths()
            .iter()
            .map(|path| format!("`{path}`"))
            .collect();
        write!(f, "{}{}", all_but.unwrap_or_default(), paths.join(", "))
    }
}

impl fmt::Debug for DropFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DropFields({self})")
    }
}

#[cfg(test)]
mod tests;
