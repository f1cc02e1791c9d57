use serde_json::json;

use super::turn;
use crate::wire::RawObject;

fn objects(count: usize, bytes: usize) -> Vec<RawObject> {
    let object = json!({ "metadata": { "name": "object" }, "data": "a".repeat(bytes) });
    vec![RawObject::from_value(&object).unwrap(); count]
}

#[expect(clippy::unnecessary_wraps, reason = "an item may have no object")]
fn itself(raw: &RawObject) -> Option<&RawObject> {
    Some(raw)
}

/// A task yields after few objects if they are large. It always decodes one at least.
#[test]
fn a_turn_is_bounded_by_objects_and_by_bytes() {
    let turn = |objects: &[RawObject]| turn(objects, itself);
    assert_eq!(turn(&objects(100, 100)), 32);
    assert_eq!(turn(&objects(5, 100)), 5);
    assert_eq!(turn(&objects(100, 40 << 10)), 4);
    assert_eq!(turn(&objects(100, 1 << 20)), 1);
    assert_eq!(turn(&[]), 0);
}
