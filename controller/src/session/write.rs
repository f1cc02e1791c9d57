//! [`OwnWrite`]: the description of a write of a session.

use std::fmt;
use std::sync::Arc;

use informer_runtime::{ObjectKey, ResourceVersion, Uid};

use crate::base::names::non_empty;

/// Write of a session. Cheap to clone.
#[derive(Clone)]
#[non_exhaustive]
pub struct OwnWrite {
    /// Request: `create`, `replace`, `patch`, `delete` or `deletecollection`. `writes` stands for several
    /// that no cache could show.
    pub verb: &'static str,
    /// Plural name and group of the resource, such as `deployments.apps`.
    pub resource: Arc<str>,
    /// Namespace of the request; empty for cluster-scoped resources, and for all namespaces.
    pub namespace: Arc<str>,
    /// Name of the object. `None` if it is not known: the request deleted a collection, or it was a
    /// create with `generateName` without an answer.
    pub name: Option<Arc<str>>,
    /// uid of the object, as far as it is known.
    pub uid: Option<Uid>,
    /// resourceVersion that contains the write; for a deletion, one at which the object existed.
    /// [`UNSET`](ResourceVersion::UNSET) if neither is known.
    pub resource_version: ResourceVersion,
}

/// Object that a write concerns: by the resource of the written object, or by the kind of an owner.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Concern {
    /// `plural.group` or `Kind.group`: plural names are in lower case, kinds are not.
    pub(super) of: Arc<str>,
    pub(super) key: ObjectKey,
}

tokio::task_local! {
    /// Object that the current task reconciles: what it writes concerns this object.
    pub(super) static CAUSE: Concern;
}

// === impl OwnWrite ===

impl OwnWrite {
    /// Returns the key of the object.
    pub(super) fn key(&self) -> Option<ObjectKey> {
        let name = self.name.as_deref()?;
        Some(ObjectKey::new(non_empty(&self.namespace), name))
    }

    /// Returns the object as one that the write concerns.
    pub(super) fn concern(&self) -> Option<Concern> {
        Some(Concern {
            of: Arc::clone(&self.resource),
            key: self.key()?,
        })
    }
}

impl fmt::Display for OwnWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, resource, .. } = self;
        write!(f, "{verb} of {resource}")?;
        match self.key() {
            Some(key) => write!(f, " \"{key}\"")?,
            None if self.namespace.is_empty() => {}
            None => write!(f, " in namespace \"{}\"", self.namespace)?,
        }
        if !self.resource_version.is_unset() {
            write!(f, " at resourceVersion \"{}\"", self.resource_version)?;
        }
        Ok(())
    }
}

impl fmt::Debug for OwnWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnWrite")
            .field(&format_args!("{self}"))
            .finish()
    }
}
