use serde_json::json;

use super::*;

#[test]
fn values_of_json_are_found_through_lists() {
    let object: DynamicObject = serde_json::from_value(json!({
        "metadata": { "name": "a" },
        "spec": {
            "refs": [{ "name": "x" }, { "name": null }, {}, { "name": "y" }],
            "ports": [80, 443],
            "port": "http",
            "on": true,
            "labels": { "a.b/c": "d" },
        },
    }))
    .unwrap();
    let texts = |path: &[&str]| json_values::<String>(&object, path);
    assert_eq!(texts(&["spec", "refs", "name"]), ["x", "y"]);
    assert_eq!(texts(&["spec", "port"]), ["http"]);
    assert_eq!(texts(&["spec", "labels", "a.b/c"]), ["d"]);
    assert_eq!(texts(&["spec", "on"]), ["true"]);
    for nowhere in [&["spec"][..], &["spec", "port", "x"], &["status"], &[]] {
        assert_eq!(texts(nowhere), [""; 0], "{nowhere:?}");
    }
    assert_eq!(json_values::<i32>(&object, &["spec", "ports"]), [80, 443]);
    assert_eq!(json_values::<i32>(&object, &["spec", "port"]), [0; 0]);
    assert_eq!(json_values::<bool>(&object, &["spec", "on"]), [true]);
}
