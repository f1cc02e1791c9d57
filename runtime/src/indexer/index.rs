//! Index: the values that its function returned for each stored object, in both directions.
//!
//! # Invariants
//!
//! 1. `postings` has `(value, key)` exactly if `by_slot` has `value` in the slot of the key.
//! 2. `by_slot` has no object without values, and none that `failures` has.
//! 3. Equal values share one allocation.

use std::any::Any;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::slice;
use std::sync::Arc;

use derive_where::derive_where;
use equivalent::{Comparable, Equivalent};
use imbl::OrdSet;

use super::table::{Slot, Table};
use super::{IndexError, IndexErrorCause, IndexFailures, IndexName, IndexValue};
use crate::base::panic::{Panicked, catch};
use crate::object::ObjectKey;
use crate::storage::{Entry, IndexFunctionError, IndexValues};

type IndexFunction<V> =
    dyn Fn(&Entry, &mut Decoded) -> Result<Vec<V>, IndexFunctionError> + Send + Sync;

/// Values of an object, ascending.
type Computed<V> = Result<Vec<V>, IndexErrorCause>;

/// Index with an erased type of values.
pub(super) trait AnyIndex: Any + Send + Sync {
    fn name(&self) -> &IndexName;
    /// Returns the path or function of the index, if it was added with one.
    fn definition(&self) -> Option<&Arc<str>>;
    /// Copies the index in O(1).
    fn fork(&self) -> Box<dyn AnyIndex>;
    /// Calls the function, which is user code. `decoded` caches the decoded object for the next
    /// index.
    fn compute(&self, entry: &Entry, decoded: &mut Decoded) -> IndexValues;
    /// Replaces the values of the object in this slot by those that were computed for `entry`.
    fn file(&mut self, slot: Slot, entry: &Entry, values: IndexValues);
    fn remove(&mut self, slot: Slot, key: &ObjectKey);
    /// Returns the objects with the value that `text` parses to, ordered by key.
    fn of_text(&self, text: &str) -> Vec<Posted<'_>>;
    /// Reports whether `entry`, which need not be stored, has the value that `text` parses to. An
    /// entry for which the function fails has no values.
    fn has_text(&self, entry: &Entry, text: &str) -> bool;
    /// Returns the objects that share a value with `entry`, ordered by key.
    fn like(&self, entry: &Entry) -> Result<Vec<Posted<'_>>, IndexError>;
    /// Returns the values as text, in the order of the values.
    fn value_texts(&self) -> Vec<String>;
    fn failures(&self) -> &IndexFailures;
    /// Returns the estimated memory of the index, in bytes.
    fn bytes(&self) -> usize;
}

/// Index with values of type `V`.
#[derive_where(Clone)]
pub(super) struct TypedIndex<V> {
    name: IndexName,
    /// Path or function of the index as data, because functions cannot be compared.
    definition: Option<Arc<str>>,
    function: Arc<IndexFunction<V>>,
    /// One ordered set of pairs. A set per value would cost a tree node per value.
    postings: OrdSet<Posting<V>>,
    /// Values of each object. Removing an object does not call the function again.
    by_slot: Table<Values<V>>,
    failures: IndexFailures,
}

/// Decoded object that the index functions of one entry share, for handles that are not decoded
/// objects. Storages share a decoded object only while it is held.
#[derive(Default)]
pub(crate) struct Decoded(Option<Box<dyn Any>>);

#[derive_where(Clone)]
struct Posting<V> {
    value: Arc<V>,
    key: ObjectKey,
    slot: Slot,
}

/// Object that an index refers to.
#[derive(Clone, Copy)]
pub(super) struct Posted<'a> {
    pub(super) key: &'a ObjectKey,
    pub(super) slot: Slot,
}

/// Values of an object, at least one, ascending.
#[derive_where(Clone)]
enum Values<V> {
    One(Arc<V>),
    Many(Arc<[Arc<V>]>),
}

/// Boundary of the postings of a value, or of a value within a namespace; equal to no posting.
enum Edge<'a, Q: ?Sized> {
    Before(&'a Q, Option<&'a str>),
    After(&'a Q, Option<&'a str>),
}

impl Clone for Box<dyn AnyIndex> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

// === impl TypedIndex ===

impl<V: IndexValue> TypedIndex<V> {
    pub(super) fn new<F>(name: IndexName, definition: Option<Arc<str>>, function: F) -> Self
    where
        F: Fn(&Entry, &mut Decoded) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
    {
        Self {
            name,
            definition,
            function: Arc::new(function),
            postings: OrdSet::new(),
            by_slot: Table::default(),
            failures: IndexFailures::default(),
        }
    }

    /// Returns the objects with this value, ordered by key.
    pub(super) fn of<'a, Q>(
        &'a self,
        value: &Q,
    ) -> impl DoubleEndedIterator<Item = Posted<'a>> + use<'a, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.of_in(value, None)
    }

    /// Returns the objects with this value, ordered by key, and of one namespace if one is given.
    pub(super) fn of_in<'a, Q>(
        &'a self,
        value: &Q,
        namespace: Option<&str>,
    ) -> impl DoubleEndedIterator<Item = Posted<'a>> + use<'a, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.postings
            .range(Edge::Before(value, namespace)..Edge::After(value, namespace))
            .map(|posting| Posted {
                key: &posting.key,
                slot: posting.slot,
            })
    }

    /// Returns the distinct values, ascending, with one search for each.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        let first = self.postings.get_min();
        std::iter::successors(first, |posting| {
            self.postings
                .range(Edge::After(&*posting.value, None)..)
                .next()
        })
        .map(|posting| &*posting.value)
    }

    /// Calls the function. Returns the values ascending, each once.
    fn values_of(&self, entry: &Entry, decoded: &mut Decoded) -> Computed<V> {
        let computed = catch(|| {
            let mut values = (self.function)(entry, decoded)?;
            values.sort_unstable();
            values.dedup();
            // Detects here a value whose comparison panics, before it affects other values.
            for value in &values {
                let _equal = value.cmp(value);
            }
            Ok(values)
        });
        computed?.map_err(IndexErrorCause::Failed)
    }

    /// Replaces the values of an object by `values`, which are ascending.
    ///
    /// # Errors
    ///
    /// Fails if a comparison of values, which is user code, panicked. The object then has no values.
    fn set(&mut self, posted: Posted<'_>, values: Vec<V>) -> Result<(), Panicked> {
        let old = self.by_slot.get(posted.slot).cloned();
        let old = old.as_ref().map(Values::as_slice).unwrap_or_default();
        let mut new = Vec::new();
        let changed = catch(|| {
            if old.iter().map(|value| &**value).eq(&values) {
                return false;
            }
            new.extend(values.into_iter().map(|value| self.share(value)));
            for value in old.iter().filter(|value| new.binary_search(value).is_err()) {
                self.postings.remove(&Posting::new(value, posted));
            }
            for value in new.iter().filter(|value| old.binary_search(value).is_err()) {
                self.postings.insert(Posting::new(value, posted));
            }
            true
        });
        match changed {
            Ok(false) => {}
            Ok(true) => drop(self.by_slot.replace(posted.slot, Values::new(new))),
            Err(Panicked) => self.withdraw(posted, old.iter().chain(&new)),
        }
        changed.map(drop)
    }

    /// Removes the remaining postings of an object after a panic.
    ///
    /// An ordered set compares before it changes anything. So the operation that panicked left the
    /// set unchanged, and the operations before it can be undone. A posting whose comparison panics
    /// again stays.
    fn withdraw<'v>(&mut self, posted: Posted<'_>, values: impl Iterator<Item = &'v Arc<V>>) {
        self.by_slot.replace(posted.slot, None);
        for value in values {
            let _found = catch(|| self.postings.remove(&Posting::new(value, posted)));
        }
    }

    /// Returns the existing allocation of an equal value, or a new one.
    fn share(&self, value: V) -> Arc<V> {
        match self.postings.range(Edge::Before(&value, None)..).next() {
            Some(posting) if *posting.value == value => Arc::clone(&posting.value),
            _ => Arc::new(value),
        }
    }
}

impl<V: IndexValue> AnyIndex for TypedIndex<V> {
    fn name(&self) -> &IndexName {
        &self.name
    }

    fn definition(&self) -> Option<&Arc<str>> {
        self.definition.as_ref()
    }

    fn fork(&self) -> Box<dyn AnyIndex> {
        Box::new(self.clone())
    }

    fn compute(&self, entry: &Entry, decoded: &mut Decoded) -> IndexValues {
        Box::new(self.values_of(entry, decoded))
    }

    fn file(&mut self, slot: Slot, entry: &Entry, values: IndexValues) {
        let Ok(values) = values.downcast::<Computed<V>>() else {
            return;
        };
        let key = &entry.key;
        let posted = Posted { key, slot };
        match (*values).and_then(|values| Ok(self.set(posted, values)?)) {
            Ok(()) => self.failures.clear(key),
            // The values of the previous version do not apply to this version.
            Err(cause) => {
                let _cleared = self.set(posted, Vec::new());
                self.failures
                    .record(IndexError::new(&self.name, entry, cause));
            }
        }
    }

    fn remove(&mut self, slot: Slot, key: &ObjectKey) {
        let _cleared = self.set(Posted { key, slot }, Vec::new());
        self.failures.clear(key);
    }

    fn of_text(&self, text: &str) -> Vec<Posted<'_>> {
        match V::parse(text) {
            Some(value) => self.of::<V>(&value).collect(),
            None => Vec::new(),
        }
    }

    fn has_text(&self, entry: &Entry, text: &str) -> bool {
        let Some(value) = V::parse(text) else {
            return false;
        };
        let values = self.values_of(entry, &mut Decoded::default());
        values.is_ok_and(|values| catch(|| values.contains(&value)).unwrap_or(false))
    }

    fn like(&self, entry: &Entry) -> Result<Vec<Posted<'_>>, IndexError> {
        let values = self
            .values_of(entry, &mut Decoded::default())
            .map_err(|cause| IndexError::new(&self.name, entry, cause))?;
        let mut found: Vec<_> = values
            .iter()
            .flat_map(|value| self.of::<V>(value))
            .collect();
        if values.len() > 1 {
            found.sort_unstable_by_key(|posted| posted.key);
            found.dedup_by_key(|posted| posted.key);
        }
        Ok(found)
    }

    fn value_texts(&self) -> Vec<String> {
        self.values().map(ToString::to_string).collect()
    }

    fn failures(&self) -> &IndexFailures {
        &self.failures
    }

    fn bytes(&self) -> usize {
        // The nodes of both trees are about two thirds full.
        let places = (size_of::<Posting<V>>() + size_of::<Values<V>>()) * 3 / 2;
        // As if each posting had a value of its own, without the texts of values.
        let value = size_of::<V>() + 2 * size_of::<usize>();
        self.postings.len() * (places + value)
    }
}

// === impl Decoded ===

impl Decoded {
    /// Keeps the decoded object alive until the last function has processed the entry.
    pub(crate) fn hold<K: 'static>(&mut self, object: &Arc<K>) {
        self.0.get_or_insert_with(|| Box::new(Arc::clone(object)));
    }
}

// === impl Posting ===

impl<V> Posting<V> {
    fn new(value: &Arc<V>, posted: Posted<'_>) -> Self {
        Self {
            value: Arc::clone(value),
            key: posted.key.clone(),
            slot: posted.slot,
        }
    }
}

impl<V: Ord> Ord for Posting<V> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_value = if Arc::ptr_eq(&self.value, &other.value) {
            Ordering::Equal
        } else {
            self.value.cmp(&other.value)
        };
        by_value.then_with(|| self.key.cmp(&other.key))
    }
}

impl<V: Ord> PartialOrd for Posting<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Ord> PartialEq for Posting<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<V: Ord> Eq for Posting<V> {}

// === impl Values ===

impl<V> Values<V> {
    fn new(mut values: Vec<Arc<V>>) -> Option<Self> {
        if values.len() > 1 {
            return Some(Self::Many(values.into()));
        }
        values.pop().map(Self::One)
    }

    fn as_slice(&self) -> &[Arc<V>] {
        match self {
            Self::One(value) => slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

// === impl Edge ===

impl<V: Borrow<Q>, Q: Ord + ?Sized> Equivalent<Posting<V>> for Edge<'_, Q> {
    fn equivalent(&self, _posting: &Posting<V>) -> bool {
        false
    }
}

impl<V: Borrow<Q>, Q: Ord + ?Sized> Comparable<Posting<V>> for Edge<'_, Q> {
    fn compare(&self, posting: &Posting<V>) -> Ordering {
        let (Self::Before(value, namespace) | Self::After(value, namespace)) = self;
        let by_value = (*value).cmp((*posting.value).borrow());
        let by_namespace = || match namespace {
            Some(_) => namespace.cmp(&posting.key.namespace()),
            None => Ordering::Equal,
        };
        by_value.then_with(by_namespace).then(match self {
            Self::Before(..) => Ordering::Less,
            Self::After(..) => Ordering::Greater,
        })
    }
}

#[cfg(test)]
mod tests;
