//! Indices over objects of a type, in any storage.

use std::sync::Arc;

use crate::indexer::{
    AddIndexError, Decoded, Index, IndexFunctionError, IndexName, IndexValue, Indexer,
};
use crate::object::Object;
use crate::storage::{Entry, Storage};
use crate::wire::FieldPath;

/// Adds an index by a function of the object. All such indices share one decoding per object
/// version.
///
/// # Errors
///
/// Fails if the store has another index of this name.
pub fn over_objects<K: Object, V: IndexValue, S: Storage<K>>(
    indexer: &Indexer<S::Object>,
    name: IndexName,
    definition: Option<Arc<str>>,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
) -> Result<Index<S::Object, V>, AddIndexError> {
    let values =
        move |entry: &Entry, decoded: &mut Decoded| of_object::<K, S, V>(entry, decoded, &values);
    indexer.add_defined_index(name, definition, values)
}

/// Returns the index with this definition, after adding it by `add` if it is missing.
///
/// Accessors of generated code cannot fail. If another index has the name, this index gets a name
/// that no user chooses.
pub fn defined<T: Send + Sync + 'static, V: IndexValue>(
    indexer: &Indexer<T>,
    name: &str,
    definition: &str,
    add: impl Fn(IndexName) -> Result<Index<T, V>, AddIndexError>,
) -> Index<T, V> {
    let mut name = name.to_owned();
    loop {
        match indexer.index_of_definition::<V>(&name, definition) {
            Ok(Some(index)) => return index,
            // If another thread adds the index first, the next iteration finds it.
            Ok(None) => {
                if let Ok(index) = add(name.as_str().into()) {
                    return index;
                }
            }
            Err(_) => name.push_str(" (generated)"),
        }
    }
}

/// Adds an index over a path. Reads the values as text if the storage supports that, and otherwise
/// calls a function of the object.
pub(crate) fn over_path<K: Object, V: IndexValue, S: Storage<K>>(
    indexer: &Indexer<S::Object>,
    name: IndexName,
    definition: Option<Arc<str>>,
    path: FieldPath,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
) -> Result<Index<S::Object, V>, AddIndexError> {
    let values = move |entry: &Entry, decoded: &mut Decoded| {
        let Some(texts) = S::texts_at(entry.typed(), &path) else {
            return of_object::<K, S, V>(entry, decoded, &values);
        };
        let parse = |text: String| {
            let value = V::parse(&text);
            value.ok_or_else(|| format!("a value at `{path}` is not of the index's type").into())
        };
        texts?.into_iter().map(parse).collect()
    };
    indexer.add_defined_index(name, definition, values)
}

/// Returns the index over a label, after adding it if it is missing.
pub(crate) fn over_label<K: Object, S: Storage<K>>(
    indexer: &Indexer<S::Object>,
    label: &str,
) -> Result<Index<S::Object, String>, AddIndexError> {
    indexer.add_label_index(label, |object, label| {
        S::label(object, label).map(str::to_owned)
    })
}

/// Returns the index values of an object. The decoded object is kept for the index functions that
/// follow.
fn of_object<K: Object, S: Storage<K>, V>(
    entry: &Entry,
    decoded: &mut Decoded,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError>,
) -> Result<Vec<V>, IndexFunctionError> {
    if let Some(object) = entry.object_ref::<K>() {
        return values(object);
    }
    let object = S::decode(&entry.shared())?;
    decoded.hold(&object);
    values(&object)
}
