//! Tests of sets, walks and owners, without a server.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::compare::Comparison;
use super::element::Element;
use super::{ApplyFailure, Context, Managers, Set, Types, apply, compile_custom, record};

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
                Err(ApplyFailure::Conflicts(conflicts)) => Err(conflicts.message()),
                Err(ApplyFailure::Applied(message) | ApplyFailure::Live(message)) => Err(message),
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
