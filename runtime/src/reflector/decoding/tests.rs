use std::sync::Arc;

use serde_json::json;

use tokio_util::task::TaskTracker;

use k8s_openapi::api::core::v1::ConfigMap;

use super::super::entry_maker::{EntryMaker, Made};
use super::{CHUNK, Decoder, Item, turn};
use crate::storage::Typed;
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
