//! [`Coverage`]: the objects of its resource that an informer caches.

use std::collections::BTreeSet;
use std::sync::Arc;

use derive_where::derive_where;

use crate::object::{FieldSelector, ObjectKey, Selector, Uid};

/// Objects of its resource that an informer caches.
///
/// The factory makes it, and the informer holds it once. It is read at two doors. At the source,
/// namespaces and selectors are requested, and objects that are not covered are dropped undecoded. At
/// the store, an object that is not covered is not written: it may have been on its way when the part
/// changed.
#[derive(Clone, Default)]
#[derive_where(Debug)]
pub struct Coverage {
    /// Namespaces, in order; empty for all.
    pub(crate) namespaces: Arc<[Arc<str>]>,
    /// Selectors, which the API server applies.
    pub(crate) selectors: Selectors,
    /// Names of the only objects; `None` for all.
    pub(crate) names: Option<OnlyNames>,
    /// Part of the objects, which can change; `None` for all.
    #[derive_where(skip)]
    part: Option<Arc<Condition>>,
}

/// Condition on an object, by its key and uid.
type Condition = dyn Fn(&ObjectKey, Option<&Uid>) -> bool + Send + Sync;

/// Selectors that the server applies to lists and watches.
///
/// `None` inherits the factory's selector, if it has one. An empty selector matches everything: set
/// on a type, it overrides the factory's selector.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Selectors {
    /// Label selector, such as `app=web,tier in (a,b)`.
    pub label: Option<Selector>,
    /// Field selector, such as `spec.nodeName=n1`.
    pub field: Option<FieldSelector>,
}

/// Names of the only objects that an informer caches. Other objects are dropped undecoded.
///
/// The owner makes the informer private: no other request shares it, so the owner may stop it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct OnlyNames {
    /// Number of the informer, unique in the process.
    pub(crate) number: u64,
    pub(crate) names: Arc<BTreeSet<String>>,
}

// === impl Coverage ===

impl Coverage {
    /// Returns the coverage of a part of the objects, which can change: the condition is asked again
    /// for each object.
    pub fn part(
        condition: impl Fn(&ObjectKey, Option<&Uid>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            part: Some(Arc::new(condition)),
            ..Self::default()
        }
    }

    /// Returns `true` if the informer caches this object now, which the source has sent.
    #[must_use]
    pub fn covers(&self, key: &ObjectKey, uid: Option<&Uid>) -> bool {
        let is_named = self
            .names
            .as_ref()
            .is_none_or(|only| only.names.contains(key.name()));
        is_named && self.has_in_part(key, uid)
    }

    /// Returns `true` if the object is in the part that is cached.
    pub(crate) fn has_in_part(&self, key: &ObjectKey, uid: Option<&Uid>) -> bool {
        self.part.as_ref().is_none_or(|part| part(key, uid))
    }

    /// Returns `true` if the source sends objects that are not covered.
    pub(crate) fn narrows(&self) -> bool {
        self.names.is_some() || self.part.is_some()
    }
}

// === impl Selectors ===

impl Selectors {
    /// Returns these selectors, with those of `defaults` where there is none.
    pub(crate) fn or(self, defaults: Self) -> Self {
        Self {
            label: self.label.or(defaults.label),
            field: self.field.or(defaults.field),
        }
    }

    /// Removes selectors that match everything, so that equal selections share one informer.
    pub(crate) fn canonical(self) -> Self {
        Self {
            label: self.label.filter(|selector| !selector.is_empty()),
            field: self.field.filter(|selector| !selector.is_empty()),
        }
    }
}
