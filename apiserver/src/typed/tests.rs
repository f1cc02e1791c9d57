//! Tests of sets, walks and owners, without a server.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::compare::Comparison;
use super::element::Element;
use super::{Context, Failure, Managers, Set, Types, apply, compile_custom, record};

/// A schema with a list of each kind.
static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let item = json!({ "type": "object", "properties": {
        "name": { "type": "string" }, "kind": { "type": "string", "default": "k" }, "value": { "type": "string" },
    } });
    let schema = json!({ "type": "object", "properties": { "spec": { "type": "object", "properties": {
        "a": { "type": "string" },
        "b": { "type": "string" },
        "map": { "type": "object", "additionalProperties": { "type": "string" } },
        "atom": { "type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": { "type": "string" } },
        "plain": { "type": "array", "items": { "type": "string" } },
        "set": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" },
        "items": {
            "type": "array", "items": item,
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "kind"],
        },
    } } } });
    compile_custom(Some(&schema), false, &|_| None)
});

fn object(spec: Value) -> Value {
    let mut object =
        json!({ "apiVersion": "example.com/v1", "kind": "Thing", "metadata": { "name": "x" } });
    object["spec"] = spec;
    object
}

/// An object and its managers, changed by applies and updates.
struct Object {
    live: Value,
    managers: Managers,
    second: u32,
}

impl Object {
    fn new() -> Self {
        Self {
            live: json!({}),
            managers: Managers::default(),
            second: 0,
        }
    }

    fn with<R>(&mut self, manager: &str, act: impl FnOnce(&mut Self, &Context<'_>) -> R) -> R {
        self.second += 1;
        let now = format!("2026-01-01T00:00:{:02}Z", self.second % 60);
        let (ignored, served) = (Set::default(), ["example.com/v1".to_owned()]);
        let context = Context {
            types: &TYPES,
            manager,
            subresource: "",
            api_version: "example.com/v1",
            served: &served,
            ignored: &ignored,
            now: &now,
        };
        act(self, &context)
    }

    /// Applies `spec`; the error is the conflict.
    fn apply(&mut self, manager: &str, spec: Value, force: bool) -> Result<(), String> {
        self.with(manager, |object_state, context| {
            let managers = object_state.managers.clone();
            match apply(context, &object_state.live, &object(spec), managers, force) {
                Ok(outcome) => {
                    object_state.live = outcome.document;
                    object_state.managers = outcome.managers;
                    Ok(())
                }
                Err(Failure::Conflicts(conflicts)) => Err(conflicts.message()),
                Err(Failure::Applied(message) | Failure::Live(message)) => Err(message),
            }
        })
    }

    fn update(&mut self, manager: &str, spec: Value) {
        self.with(manager, |object_state, context| {
            let next = object(spec);
            let nothing = serde_json::Map::new();
            let before = object_state.live.as_object().unwrap_or(&nothing);
            let managers = std::mem::take(&mut object_state.managers);
            object_state.managers = record(context, before, next.as_object().unwrap(), managers);
            object_state.live = next;
        });
    }

    fn spec(&self) -> &Value {
        self.live.get("spec").unwrap_or(&Value::Null)
    }

    /// Returns the fields of `manager` below `f:spec`.
    fn owned(&self, manager: &str) -> Value {
        let entries = self.managers.encode();
        let entry = entries
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry.get("manager").and_then(Value::as_str) == Some(manager));
        let fields = entry.and_then(|entry| entry.pointer("/fieldsV1/f:spec"));
        fields.cloned().unwrap_or_default()
    }
}

#[test]
fn a_set_is_written_and_read_as_fields_v1() {
    let text = json!({
        "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
        "f:spec": {
            "f:items": { "k:{\"kind\":\"k\",\"name\":\"x\"}": { ".": {}, "f:value": {} } },
            "f:set": { "v:\"a\"": {}, "v:1": {}, "v:true": {}, "v:\"\\u003c\"": {} },
            "f:plain": {},
            "f:x": { "i:3": {} },
        },
    });
    assert_eq!(Set::from_v1(&text).unwrap().to_v1(), text);
    // Unknown steps are skipped, malformed ones are rejected.
    assert!(Set::from_v1(&json!({ "z:x": {} })).unwrap().is_empty());
    for malformed in [
        json!({ "f": {} }),
        json!({ "fx": {} }),
        json!({ "k:x": {} }),
        json!({ "i:x": {} }),
        json!([]),
    ] {
        assert!(Set::from_v1(&malformed).is_err(), "{malformed}");
    }
}

#[test]
fn a_conflict_names_elements_by_their_keys() {
    let key = Element::key([
        ("name".to_owned(), json!("x")),
        ("kind".to_owned(), json!(1)),
    ]);
    assert_eq!(key.to_string(), r#"[kind=1,name="x"]"#);
    assert_eq!(Element::value(json!("a")).to_string(), r#"[="a"]"#);
    assert_eq!(Element::Index(3).to_string(), "[3]");
    assert_eq!(Element::field("spec").to_string(), ".spec");
}

#[test]
fn a_difference_keeps_paths_below_and_without_removes_them() {
    let all = Set::of_fields(&[&["a"], &["a", "b"], &["c", "d"]]);
    let a = Set::of_fields(&[&["a"]]);
    let expected = Set::of_fields(&[&["a", "b"], &["c", "d"]]);
    assert_eq!(all.clone().difference(&a), expected);
    assert_eq!(all.without(&a), Set::of_fields(&[&["c", "d"]]));
}

#[test]
fn a_comparison_has_each_path_once() {
    let before = object(
        json!({ "a": "1", "b": "1", "set": ["x", "y"], "plain": ["x"], "items": [{ "name": "i", "value": "1" }] }),
    );
    let after = object(
        json!({ "a": "2", "set": ["y", "z"], "plain": ["x", "y"], "items": [{ "name": "i", "kind": "k" }], "map": { "m": "1" } }),
    );
    let found = Comparison::of(
        &TYPES,
        before.as_object().unwrap(),
        after.as_object().unwrap(),
    );
    let item = r#"k:{"kind":"k","name":"i"}"#;
    let of = |set: &Set| set.to_v1().get("f:spec").cloned().unwrap();
    assert_eq!(
        of(&found.removed),
        json!({ "f:b": {}, "f:set": { "v:\"x\"": {} }, "f:items": { item: { "f:value": {} } } })
    );
    assert_eq!(of(&found.modified), json!({ "f:a": {}, "f:plain": {} }));
    assert_eq!(
        of(&found.added),
        json!({ "f:set": { "v:\"z\"": {} }, "f:items": { item: { "f:kind": {} } }, "f:map": { ".": {}, "f:m": {} } })
    );
}

#[test]
fn an_apply_removes_fields_that_it_omits_and_nobody_else_owns() {
    let mut object_state = Object::new();
    object_state
        .apply(
            "one",
            json!({ "a": "1", "b": "1", "set": ["x", "y"] }),
            false,
        )
        .unwrap();
    object_state
        .apply("two", json!({ "b": "1", "set": ["y"] }), false)
        .unwrap();
    object_state
        .apply("one", json!({ "a": "1" }), false)
        .unwrap();
    assert_eq!(
        object_state.spec(),
        &json!({ "a": "1", "b": "1", "set": ["y"] })
    );
    object_state.apply("two", json!({}), false).unwrap();
    assert_eq!(object_state.spec(), &json!({ "a": "1" }));
}

#[test]
fn fields_of_other_managers_conflict_without_force() {
    let mut object_state = Object::new();
    object_state
        .apply(
            "one",
            json!({ "a": "1", "items": [{ "name": "i", "value": "1" }] }),
            false,
        )
        .unwrap();
    let other = json!({ "a": "2", "items": [{ "name": "i", "value": "2" }] });
    assert_eq!(
        object_state.apply("two", other.clone(), false).unwrap_err(),
        "Apply failed with 2 conflicts: conflicts with \"one\":\n- .spec.a\n- .spec.items[kind=\"k\",name=\"i\"].value"
    );
    assert_eq!(object_state.spec().get("a"), Some(&json!("1")));
    object_state.apply("two", other, true).unwrap();
    assert_eq!(object_state.spec().get("a"), Some(&json!("2")));
    assert_eq!(object_state.owned("one").get("f:a"), None);
    assert_eq!(object_state.owned("two").get("f:a"), Some(&json!({})));
}

#[test]
fn an_update_owns_exactly_the_changed_fields() {
    let mut object_state = Object::new();
    object_state
        .apply("one", json!({ "a": "1", "b": "1" }), false)
        .unwrap();
    object_state.update("two", json!({ "a": "1", "b": "2" }));
    assert_eq!(object_state.owned("one"), json!({ "f:a": {} }));
    assert_eq!(object_state.owned("two"), json!({ "f:b": {} }));
    let message = object_state
        .apply("one", json!({ "a": "1", "b": "1" }), false)
        .unwrap_err();
    assert_eq!(
        message,
        "Apply failed with 1 conflict: conflict with \"two\" using example.com/v1: .spec.b"
    );
}

#[test]
fn the_oldest_of_many_updaters_are_merged() {
    let mut object_state = Object::new();
    let mut map = json!({});
    for n in 0..14 {
        map[format!("k{n:02}")] = json!("1");
        object_state.update(&format!("m{n:02}"), json!({ "map": map }));
    }
    assert_eq!(object_state.managers.encode().as_array().unwrap().len(), 10);
    assert_eq!(object_state.owned("m00"), Value::Null);
    assert_eq!(
        object_state.owned("m13"),
        json!({ "f:map": { "f:k13": {} } })
    );
    let ancient = object_state.owned("ancient-changes");
    assert_eq!(
        ancient
            .pointer("/f:map")
            .unwrap()
            .as_object()
            .unwrap()
            .len(),
        6
    );
}

#[test]
fn the_first_apply_conflicts_with_the_manager_of_earlier_fields() {
    let mut object_state = Object::new();
    object_state.live = object(json!({ "a": "1" }));
    let message = object_state
        .apply("one", json!({ "a": "2" }), false)
        .unwrap_err();
    assert_eq!(
        message,
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using example.com/v1: .spec.a"
    );
    object_state
        .apply("one", json!({ "a": "1" }), false)
        .unwrap();
    assert_eq!(object_state.owned("one"), json!({ "f:a": {} }));
}

#[test]
fn a_list_has_the_order_of_the_last_apply() {
    let mut object_state = Object::new();
    let items = |names: &[&str]| {
        let items: Vec<Value> = names
            .iter()
            .map(|name| json!({ "name": name, "kind": "k" }))
            .collect();
        json!({ "items": items })
    };
    object_state
        .apply("one", items(&["a", "b", "c"]), false)
        .unwrap();
    object_state
        .apply("two", items(&["d", "c", "a"]), false)
        .unwrap();
    let names: Vec<&str> = object_state
        .spec()
        .get("items")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .filter_map(|item| item.get("name")?.as_str())
        .collect();
    // `b` keeps its position after its predecessor.
    assert_eq!(names, ["b", "d", "c", "a"]);
}

#[test]
fn violations_of_the_schema_are_rejected() {
    let mut object_state = Object::new();
    for (spec, message) in [
        (
            json!({ "bogus": 1 }),
            ".spec.bogus: field not declared in schema",
        ),
        (json!({ "map": "x" }), ".spec.map: expected map, got string"),
        (
            json!({ "plain": "x" }),
            ".spec.plain: expected list, got string",
        ),
        (
            json!({ "set": ["x", "x"] }),
            ".spec.set: duplicate entries for key [=\"x\"]",
        ),
        (
            json!({ "set": [null] }),
            ".spec.set: element 0: associative list without keys has an element that's an explicit null",
        ),
        (
            json!({ "items": [1] }),
            ".spec.items: element 0: associative list with keys may not have non-map elements",
        ),
    ] {
        assert_eq!(object_state.apply("one", spec, false).unwrap_err(), message);
    }
}

/// Deterministic pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % 1_000_003).unwrap() % end
    }

    fn is(&mut self) -> bool {
        self.below(2) == 0
    }

    fn text(&mut self) -> Value {
        ["1", "2", "3"][self.below(3)].into()
    }

    fn texts(&mut self) -> Vec<Value> {
        ["x", "y", "z"]
            .into_iter()
            .filter(|_| self.is())
            .map(Value::from)
            .collect()
    }

    /// Returns a spec without empty lists and maps. As in the Go library, applying an empty one
    /// removes it, and applying it again adds it.
    fn spec(&mut self) -> Value {
        let mut spec = json!({});
        for field in ["a", "b"] {
            if self.is() {
                spec[field] = self.text();
            }
        }
        for field in ["map", "atom"] {
            if self.is() {
                let members = self
                    .texts()
                    .into_iter()
                    .map(|name| (name.as_str().unwrap().to_owned(), self.text()));
                spec[field] = Value::Object(members.collect());
            }
        }
        for field in ["plain", "set"] {
            if self.is() {
                spec[field] = self.texts().into();
            }
        }
        if self.is() {
            let items = self
                .texts()
                .into_iter()
                .map(|name| json!({ "name": name, "value": self.text() }));
            spec["items"] = items.collect();
        }
        if let Some(members) = spec.as_object_mut() {
            let is_empty = |value: &Value| *value == json!([]) || *value == json!({});
            members.retain(|_, value| !is_empty(value));
        }
        spec
    }
}

#[test]
fn an_apply_takes_effect_and_is_idempotent() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..400 {
        let mut object_state = Object::new();
        for _ in 0..8 {
            let manager = ["one", "two", "three"][random.below(3)];
            let spec = random.spec();
            if random.below(4) == 0 {
                object_state.update(manager, spec);
                continue;
            }
            object_state.apply(manager, spec.clone(), true).unwrap();
            // The applied values are present: merging the same spec again changes nothing.
            assert_eq!(
                TYPES.merge(&object_state.live, &object(spec.clone())),
                object_state.live,
                "round {round}"
            );
            let (live, owners) = (object_state.live.clone(), object_state.managers.clone());
            object_state.apply(manager, spec, false).unwrap();
            assert_eq!(object_state.live, live, "round {round}");
            assert_eq!(object_state.managers, owners, "round {round}");
            // Managers survive a round trip.
            assert_eq!(Managers::decode(&owners.encode()).unwrap(), owners);
        }
    }
}

#[test]
fn sets_obey_the_laws_of_set_algebra() {
    let mut random = Random(7);
    let empty = serde_json::Map::new();
    for _ in 0..300 {
        let [a, b] = [random.spec(), random.spec()].map(|spec| TYPES.fields(&object(spec)));
        assert_eq!(Set::from_v1(&a.to_v1()).unwrap(), a);
        let (both, all) = (a.intersection(&b), a.clone().union(&b));
        assert_eq!(all.clone().difference(&b).union(&both).union(&b), all);
        assert_eq!(a.clone().difference(&b), a.clone().difference(&both));
        assert_eq!(b.intersection(&a), both);
        let document = object(random.spec());
        let found = Comparison::of(&TYPES, &empty, document.as_object().unwrap());
        assert!(found.removed.is_empty() && found.modified.is_empty());
        // Every applied field is added to an empty document.
        let fields = TYPES.fields(&document);
        assert_eq!(fields.intersection(&found.added), fields);
    }
}
