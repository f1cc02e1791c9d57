//! `cases.yaml` has schemas of a `spec`, and specs with their results.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Schema;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    completed: Vec<Completed>,
    violations: Vec<Violations>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Completed {
    name: String,
    schema: Value,
    given: Value,
    expected: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Violations {
    name: String,
    schema: Value,
    /// Specs, each with its violations.
    rows: Vec<Vec<Value>>,
}

fn cases() -> Cases {
    let mut cases = informer_manifest::parse(include_str!("cases.yaml")).unwrap();
    cases.remove(0)
}

fn schema(spec: Value) -> Schema {
    let mut root = json!({ "type": "object", "properties": {} });
    root["properties"]["spec"] = spec;
    Schema::new(root, true)
}

#[test]
fn specs_are_pruned_and_defaulted() {
    for case in cases().completed {
        let mut object = json!({ "metadata": { "name": "a" }, "unknown": 1 });
        object["spec"] = case.given;
        schema(case.schema).complete(object.as_object_mut().unwrap(), false);
        let expected = json!({ "metadata": { "name": "a" }, "spec": case.expected });
        assert_eq!(object, expected, "{}", case.name);
    }
}

#[test]
fn violations_are_in_the_words_of_the_real_server() {
    for case in cases().violations {
        let schema = schema(case.schema);
        for row in case.rows {
            let object = json!({ "metadata": {}, "spec": row[0] });
            let found = schema.violations(object.as_object().unwrap());
            let found: Vec<Value> = found.iter().map(|one| one.to_string().into()).collect();
            assert_eq!(found, row[1..], "{}: {}", case.name, row[0]);
        }
    }
}
