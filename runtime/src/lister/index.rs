//! Indices over objects of a type, in any storage.

use std::sync::Arc;

use crate::indexer::{
    AddIndexError, Decoded, Index, IndexFunctionError, IndexName, IndexValue, Indexer,
};
use crate::object::Object;
use crate::storage::{Entry, Storage};
use crate::wire::FieldPath;

/// Adds an index by a function of the object, which is decoded once per version for all of them.
pub(crate) fn over_objects<K: Object, V: IndexValue, S: Storage<K>>(
    indexer: &Indexer<S::Handle>,
    name: IndexName,
    definition: Option<Arc<str>>,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
) -> Result<Index<S::Handle, V>, AddIndexError> {
    let values = move |entry: &Entry<S::Handle>, decoded: &mut Decoded| {
        of_object::<K, S, V>(entry, decoded, &values)
    };
    indexer.add_defined_index(name, definition, values)
}

/// Adds an index over a path, whose values are read as text if the storage can do that, and by a
/// function of the object if not.
pub(crate) fn over_path<K: Object, V: IndexValue, S: Storage<K>>(
    indexer: &Indexer<S::Handle>,
    name: IndexName,
    definition: Option<Arc<str>>,
    path: FieldPath,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
) -> Result<Index<S::Handle, V>, AddIndexError> {
    let values = move |entry: &Entry<S::Handle>, decoded: &mut Decoded| {
        let Some(texts) = S::texts_at(entry, &path) else {
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

/// The values of an object, which stays decoded for the functions after this one.
fn of_object<K: Object, S: Storage<K>, V>(
    entry: &Entry<S::Handle>,
    decoded: &mut Decoded,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError>,
) -> Result<Vec<V>, IndexFunctionError> {
    let object = S::object(&entry.handle)?;
    // A handle that is the object needs nobody to hold what it decodes to.
    if !S::KEEPS_DECODED {
        decoded.hold(&object);
    }
    values(&object)
}
