use serde_json::{Value, json};

use super::{Failure, NO_PATH, apply, merge};

#[test]
fn names_are_unescaped_once() {
    let mut document = json!({ "a/b": 1, "~1": 2 });
    let patch = json!([
        { "op": "test", "path": "/a~1b", "value": 1 },
        { "op": "remove", "path": "/~01" },
    ]);
    apply(&mut document, patch.as_array().unwrap(), 10).unwrap();
    assert_eq!(document, json!({ "a/b": 1 }));
}

#[test]
fn operations_respect_the_maximum_depth() {
    let add = |path: &str| json!([{ "op": "add", "path": path, "value": { "b": [] } }]);
    let mut document = json!({ "a": {} });
    let into = |document: &mut _, path| apply(document, add(path).as_array().unwrap(), 3);
    assert_eq!(into(&mut document, "/a/c"), Err(Failure::TooDeep));
    assert_eq!(into(&mut document, "/c"), Ok(()));
    assert_eq!(into(&mut document, "/none/c"), Err(NO_PATH));
}

#[test]
fn a_merge_leaves_no_null_behind() {
    let mut document = json!({ "a": 1, "b": { "c": 1, "d": 2 } });
    merge(
        &mut document,
        &json!({ "a": null, "b": { "c": null }, "e": { "f": null } }),
    );
    assert_eq!(document, json!({ "b": { "d": 2 }, "e": {} }));
}

#[test]
fn operations_move_a_bounded_number_of_elements() {
    let mut document = json!({ "a": vec![0; 10_000] });
    let remove = |path: &str, times: usize| vec![json!({ "op": "remove", "path": path }); times];
    let mut apply = |operations: &[Value]| apply(&mut document, operations, 10);
    let failure = Failure::Rejected("the operations move too many elements");
    assert_eq!(apply(&remove("/a/0", 2000)), Err(failure));
    assert_eq!(apply(&remove("/a/-1", 5000)), Ok(()));
}
