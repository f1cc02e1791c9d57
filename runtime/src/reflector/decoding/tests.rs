use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::task::TaskTracker;

use super::super::entry_maker::{EntryMaker, Made};
use super::{CHUNK, Decoder, Item, turn};
use crate::indexer::{Indexer, Store};
use crate::object::{ObjectKey, Scope};
use crate::storage::{Entry, Transform, Typed};
use crate::wire::RawObject;

impl Item for RawObject {
    type Decoded = ();

    fn raw(&self) -> Option<&RawObject> {
        Some(self)
    }

    fn decoded(self, _: Option<Made>) {}
}

fn objects(count: usize, bytes: usize) -> Vec<RawObject> {
    let object = json!({ "metadata": { "name": "object" }, "data": "a".repeat(bytes) });
    vec![RawObject::from_value(&object).unwrap(); count]
}

/// A task yields after few objects if they are large. It always decodes one at least.
#[test]
fn a_turn_is_bounded_by_objects_and_by_bytes() {
    assert_eq!(turn(&objects(100, 100)), 32);
    assert_eq!(turn(&objects(5, 100)), 5);
    assert_eq!(turn(&objects(100, 40 << 10)), 4);
    assert_eq!(turn(&objects(100, 1 << 20)), 1);
    assert_eq!(turn::<RawObject>(&[]), 0);
}

/// A chunk is complete with its last object, or before with its last byte. The next one begins empty.
#[test]
fn a_chunk_is_bounded_by_objects_and_by_bytes() {
    let maker = EntryMaker::new::<ConfigMap, Typed>(&Arc::default(), None, None);
    let mut decoder = Decoder::new(Arc::new(maker), TaskTracker::new());
    let mut chunk = |bytes| {
        let mut objects = objects(CHUNK + 1, bytes).into_iter();
        let size = 1 + objects.position(|object| decoder.push(object)).unwrap();
        assert_eq!(decoder.decode_in_place().len(), size);
        size
    };
    assert_eq!([1 << 20, 100, 400 << 10].map(&mut chunk), [1, CHUNK, 3]);
}

/// I-10: With a reader, each write would copy what it changes, and the reader would free what was
/// replaced.
#[test]
fn i10_the_state_of_the_store_is_not_held_while_an_object_is_decoded() {
    let store = Store::of::<ConfigMap>(Scope::Namespaced);
    let indexer: Indexer<ConfigMap> = Indexer::of(store.clone());
    let entry = |version: &str| {
        let key = ObjectKey::namespaced("a", "other");
        Entry::new(key, version.into(), Arc::new(ConfigMap::default()))
    };
    let first = entry("1");
    let replaced = Arc::downgrade(&first.object);
    indexer.add(first);
    let seen = Arc::new(Mutex::new(None));
    let result = Arc::clone(&seen);
    let replace = Transform::new("replace", move |_: &mut ConfigMap| {
        indexer.add(entry("2"));
        *result.lock() = Some(replaced.strong_count());
        Ok(())
    });
    let maker = EntryMaker::new::<ConfigMap, Typed>(&Arc::default(), Some(replace), None);
    let maker = maker.for_store(&store);
    let mut decoder = Decoder::new(Arc::new(maker), TaskTracker::new());
    let object =
        json!({ "metadata": { "name": "object", "namespace": "a", "resourceVersion": "3" } });
    let is_complete = decoder.push(RawObject::from_value(&object).unwrap());
    assert!(!is_complete);
    decoder.decode_in_place();
    assert_eq!(
        *seen.lock(),
        Some(0),
        "the replaced object is freed at once"
    );
}
