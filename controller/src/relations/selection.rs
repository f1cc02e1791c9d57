//! [`LabelSelection`], and the index that finds the selectors that match an object.
//!
//! Each selector is indexed under one of its requirements, the one that the fewest objects are
//! expected to meet: the pairs `key=value` of a requirement for certain values, the key of a
//! requirement that a label exists, or nothing for selectors that only exclude labels. An object
//! can only be selected by the selectors under its own labels and under nothing. A look-up
//! therefore takes time in proportion to these candidates, not to the number of selectors.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use informer_runtime::engine::{defined, over_objects};
use informer_runtime::indexer::{IndexName, Indexer};
use informer_runtime::{
    Entry, Index, Object, ObjectKey, Operator, Requirement, ResourceScope, Scope, Selector,
    Snapshot, Storage,
};

use super::relation::Relation;

/// Selection of `T`s by the labels that `K`s require.
pub type LabelSelection<K, T> = Relation<K, T, Selector>;

/// Selectors of the objects of one store.
pub(super) struct SelectorIndex<K: Object, T, S: Storage<K>> {
    selection: LabelSelection<K, T>,
    index: Index<S::Object, String>,
    indexer: Indexer<S::Object>,
    /// `true` if an object selects in its own namespace only.
    by_namespace: bool,
}

/// Returns the cached objects of `indexer` whose selectors match `object`, ordered by key.
///
/// Takes time in proportion to the candidates: the objects whose selector requires one of the
/// object's labels, and those whose selector only excludes labels. The first call for a selection
/// adds its index, which reads all stored objects.
#[must_use]
pub fn selecting<K: Object, T: Object<DynamicType = ()>, S: Storage<K>>(
    indexer: &Indexer<S::Object>,
    scope: Scope,
    selection: &LabelSelection<K, T>,
    object: &T,
) -> Vec<Arc<S::Object>> {
    let metadata = object.meta();
    let labels: Vec<(&str, &str)> = metadata
        .labels
        .iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let index = SelectorIndex::<K, T, S>::new(indexer, scope, *selection);
    index.selecting(metadata.namespace.as_deref(), &labels)
}

// === impl LabelSelection ===

impl<K, T> LabelSelection<K, T> {
    /// Returns the selectors of an object.
    #[must_use]
    pub fn selectors(&self, object: &K) -> Vec<Selector> {
        self.values(object)
    }
}

// === impl SelectorIndex ===

impl<K: Object, T: Object<DynamicType = ()>, S: Storage<K>> SelectorIndex<K, T, S> {
    /// Returns the index of the selectors of objects with this scope, after adding it if it is
    /// missing.
    pub(super) fn new(
        indexer: &Indexer<S::Object>,
        scope: Scope,
        selection: LabelSelection<K, T>,
    ) -> Self {
        let target = <T::Scope as ResourceScope>::SCOPE;
        let by_namespace = scope == Scope::Namespaced && target == Some(Scope::Namespaced);
        let definition = selection.definition();
        let index = defined(indexer, selection.name(), &definition, |name: IndexName| {
            let terms_of = move |object: &K| {
                let namespace = match &object.meta().namespace {
                    Some(namespace) if by_namespace => namespace,
                    Some(_) | None => "",
                };
                let mut all = Vec::new();
                for selector in selection.selectors(object) {
                    all.extend(terms(namespace, &selector));
                }
                Ok(all)
            };
            over_objects::<K, String, S>(indexer, name, Some(definition.as_str().into()), terms_of)
        });
        Self {
            selection,
            index,
            indexer: indexer.clone(),
            by_namespace,
        }
    }

    /// Returns the objects that select an object with these labels, ordered by key.
    pub(super) fn selecting(
        &self,
        namespace: Option<&str>,
        labels: &[(&str, &str)],
    ) -> Vec<Arc<S::Object>> {
        let snapshot = self.indexer.snapshot();
        let selecting = self.select(&snapshot, namespace, labels);
        selecting.map(Entry::shared).collect()
    }

    /// Returns the keys of the objects that select an object with these labels, in order.
    pub(super) fn keys(&self, namespace: Option<&str>, labels: &[(&str, &str)]) -> Vec<ObjectKey> {
        let snapshot = self.indexer.snapshot();
        let selecting = self.select(&snapshot, namespace, labels);
        selecting.map(|entry| entry.key.clone()).collect()
    }

    fn select<'s>(
        &self,
        snapshot: &'s Snapshot<S::Object>,
        namespace: Option<&str>,
        labels: &[(&str, &str)],
    ) -> impl Iterator<Item = &'s Entry> {
        let candidates = self.candidates(snapshot, namespace, labels).into_values();
        candidates.filter(|entry| match S::decode(&entry.shared()) {
            Ok(object) => self.is_selected(&object, labels),
            // The store reports objects that do not decode.
            Err(_) => false,
        })
    }

    /// Returns all objects that may select an object with these labels, by key.
    pub(super) fn candidates<'s>(
        &self,
        snapshot: &'s Snapshot<S::Object>,
        namespace: Option<&str>,
        labels: &[(&str, &str)],
    ) -> BTreeMap<&'s ObjectKey, &'s Entry> {
        let Some(view) = self.index.in_snapshot(snapshot) else {
            return BTreeMap::new();
        };
        let prefix = match namespace {
            Some(namespace) if self.by_namespace => namespace,
            Some(_) | None => "",
        };
        labels
            .iter()
            .flat_map(|(key, value)| [of_pair(prefix, key, value), of_key(prefix, key)])
            .chain([of_rest(prefix)])
            .flat_map(|term| view.entries(term.as_str()))
            .map(|entry| (&entry.key, entry))
            .collect()
    }

    fn is_selected(&self, object: &Arc<K>, labels: &[(&str, &str)]) -> bool {
        let label = |wanted: &str| {
            for (key, value) in labels {
                if *key == wanted {
                    return Some(*value);
                }
            }
            None
        };
        let selectors = self.selection.selectors(object);
        selectors.iter().any(|selector| selector.matches_by(label))
    }
}

/// Returns the terms under which a selector is found.
fn terms(namespace: &str, selector: &Selector) -> Vec<String> {
    let Some(requirements) = selector.requirements() else {
        return Vec::new();
    };
    let Some(best) = requirements
        .iter()
        .min_by_key(|requirement| rank(requirement))
    else {
        return vec![of_rest(namespace)];
    };
    match best.operator() {
        Operator::Equals | Operator::In => best
            .values()
            .iter()
            .map(|value| of_pair(namespace, best.key(), value))
            .collect(),
        Operator::Exists | Operator::GreaterThan | Operator::LessThan => {
            vec![of_key(namespace, best.key())]
        }
        Operator::NotEquals | Operator::NotIn | Operator::DoesNotExist => {
            vec![of_rest(namespace)]
        }
    }
}

/// Rank of a requirement; the lowest is expected to be met by the fewest objects.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: u8,
    values: usize,
    /// Of two pairs, the one with the longer value is likely the more specific.
    length: Reverse<usize>,
}

fn rank(requirement: &Requirement) -> Rank {
    let values = requirement.values();
    let shortest = values.iter().map(String::len).min();
    let class = match requirement.operator() {
        Operator::Equals | Operator::In => 0,
        Operator::Exists | Operator::GreaterThan | Operator::LessThan => 1,
        Operator::NotEquals | Operator::NotIn | Operator::DoesNotExist => 2,
    };
    Rank {
        class,
        values: values.len(),
        length: Reverse(shortest.unwrap_or_default()),
    }
}

// No namespace and no label key contains a space or `=`.

fn of_pair(namespace: &str, key: &str, value: &str) -> String {
    format!("{namespace} {key}={value}")
}

fn of_key(namespace: &str, key: &str) -> String {
    format!("{namespace} {key}")
}

fn of_rest(namespace: &str) -> String {
    format!("{namespace} ")
}
