use super::Path;
use serde_json::{Value, json};

#[test]
fn paths_of_printer_columns_are_followed() {
    let object = json!({ "spec": { "a.b": 1, "c-d": "e", "list": [{ "n": 1 }, { "n": 2 }] }, "status": {
        "conditions": [
            { "type": "Ready", "status": "False" }, { "type": "Synced", "status": "True" },
        ],
    }});
    let members = object.as_object().unwrap();
    for (path, expected) in [
        (".spec.list[1].n", json!([2])),
        (".spec.list[-1].n", json!([2])),
        (".spec.list[*].n", json!([1, 2])),
        (r".spec.a\.b", json!([1])),
        (".spec['a.b']", json!([1])),
        (
            r#".status.conditions[?(@.type=="Synced")].status"#,
            json!(["True"]),
        ),
        (
            ".status.conditions[?(@.type!='Synced')].status",
            json!(["False"]),
        ),
        ("{.spec.list[0].n}", json!([1])),
        ("$['spec'].list[0]['n']", json!([1])),
        (".spec.c-d", json!(["e"])),
    ] {
        let found = Path::from(path.to_owned()).find(members);
        assert_eq!(
            found,
            expected.as_array().unwrap().iter().collect::<Vec<_>>(),
            "{path}"
        );
    }
    for path in [".spec.none", "spec", ".spec.list[7]", ".spec[?(x)]", ""] {
        assert_eq!(
            Path::from(path.to_owned()).find(members),
            [&Value::Null; 0],
            "{path}"
        );
    }
}
