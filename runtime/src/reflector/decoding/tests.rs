use std::sync::Arc;

use serde_json::json;

use super::{Item, turn};
use crate::storage::{Entry, Undecodable};
use crate::wire::RawObject;

impl Item for RawObject {
    type Decoded = ();

    fn raw(&self) -> Option<&RawObject> {
        Some(self)
    }

    fn decoded(self, _: Option<Result<Arc<Entry>, Undecodable>>) {}
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
