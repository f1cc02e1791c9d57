//! Schemas of built-in kinds, and the selection of those that a document needs.
//!
//! `schemas.json.gz` holds `components.schemas` of all documents of kube-apiserver 1.37 with every
//! API enabled, as one map: the texts are those of the Kubernetes authors (Apache-2.0). The test
//! `tests/openapi.rs` compares it with the real server, and updates it on request.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, LazyLock};

use flate2::read::GzDecoder;
use parking_lot::RwLock;
use serde_json::{Map, Value};

use crate::document::{list_of, str_of};
use crate::typed::{Types, compile_built_in};

static PACKED: &[u8] = include_bytes!("schemas.json.gz");

/// Decompressed at the first use.
static BUILT_IN: LazyLock<BuiltIn> = LazyLock::new(BuiltIn::unpack);

#[derive(Debug, Default)]
struct BuiltIn {
    schemas: Map<String, Value>,
    /// Names of the schemas, keyed by a text such as `apps/v1 Deployment`.
    kinds: HashMap<String, String>,
}

/// Schemas of one document.
#[derive(Debug, Default)]
pub(super) struct Schemas(Map<String, Value>);

/// Decompresses the schemas. Called before a lock is taken under which they are read.
pub(crate) fn unpack() {
    LazyLock::force(&BUILT_IN);
}

/// Returns the ownership types of a built-in kind.
pub(crate) fn types(api_version: &str, kind: &str) -> Option<Arc<Types>> {
    static KNOWN: LazyLock<RwLock<HashMap<&'static str, Arc<Types>>>> =
        LazyLock::new(RwLock::default);
    let name = BUILT_IN.kinds.get(&format!("{api_version} {kind}"))?;
    if let Some(types) = KNOWN.read().get(name.as_str()) {
        return Some(Arc::clone(types));
    }
    let types = Arc::new(compile_built_in(name, &built_in));
    KNOWN.write().insert(name, Arc::clone(&types));
    Some(types)
}

/// Returns a built-in schema.
pub(crate) fn built_in(name: &str) -> Option<&'static Value> {
    BUILT_IN.schemas.get(name)
}

// === impl BuiltIn ===

impl BuiltIn {
    fn unpack() -> Self {
        let mut text = Vec::new();
        let mut schemas: Map<String, Value> = Map::new();
        if GzDecoder::new(PACKED).read_to_end(&mut text).is_ok() {
            schemas = serde_json::from_slice(&text).unwrap_or_default();
        }
        let mut kinds = HashMap::new();
        for (name, schema) in &schemas {
            let of = list_of(schema.get("x-kubernetes-group-version-kind"));
            // `DeleteOptions` and similar kinds belong to every group.
            if let [only] = of {
                kinds.insert(kind_key(only), name.clone());
            }
        }
        Self { schemas, kinds }
    }
}

fn kind_key(of: &Value) -> String {
    let version = str_of(of.get("version"));
    let kind = str_of(of.get("kind"));
    match str_of(of.get("group")) {
        "" => format!("{version} {kind}"),
        group => format!("{group}/{version} {kind}"),
    }
}

// === impl Schemas ===

impl Schemas {
    /// Adds the schema of a built-in kind and returns its name; `None` if the kind has no schema.
    pub(super) fn add_kind(&mut self, api_version: &str, kind: &str) -> bool {
        let Some(name) = BUILT_IN.kinds.get(&format!("{api_version} {kind}")) else {
            return false;
        };
        self.add(name);
        true
    }

    /// Adds a built-in schema and all schemas that it references.
    pub(super) fn add(&mut self, name: &str) {
        let mut pending = vec![name];
        while let Some(name) = pending.pop() {
            if self.0.contains_key(name) {
                continue;
            }
            if let Some(schema) = built_in(name) {
                self.0.insert(name.to_owned(), schema.clone());
                references(schema, &mut pending);
            }
        }
    }

    /// Adds a schema of another origin; the caller adds the schemas that it references.
    pub(super) fn insert(&mut self, name: String, schema: Value) {
        self.0.insert(name, schema);
    }

    pub(super) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

pub(super) fn references<'a>(schema: &'a Value, into: &mut Vec<&'a str>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(path)) = members.get("$ref") {
                into.extend(path.rsplit('/').next());
            }
            for member in members.values() {
                references(member, into);
            }
        }
        Value::Array(items) => {
            for item in items {
                references(item, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the schema of a built-in kind.
pub(super) fn of_kind(api_version: &str, kind: &str) -> Option<&'static Value> {
    built_in(BUILT_IN.kinds.get(&format!("{api_version} {kind}"))?)
}

/// Returns the paths in an object of a built-in kind, except in metadata, that its schema lacks.
pub(super) fn unknown_fields(members: &Map<String, Value>, schema: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    for (name, value) in members {
        if !["apiVersion", "kind", "metadata"].contains(&name.as_str()) {
            find_unknown_member(name, value, schema, &mut unknown);
        }
    }
    unknown
}

fn find_unknown_member(name: &str, value: &Value, schema: &Value, unknown: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let property = properties.and_then(|known| known.get(name));
    if let Some(schema) = property.or_else(|| schema.get("additionalProperties")) {
        find_unknown(name, value, schema, unknown);
    } else if properties.is_some() {
        // Without properties, the schema accepts any object.
        unknown.push(name.to_owned());
    }
}

/// Adds the unknown fields of the value at `path`.
fn find_unknown(path: &str, value: &Value, schema: &Value, unknown: &mut Vec<String>) {
    let known = unknown.len();
    let model = resolved(schema);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                find_unknown_member(name, member, model, unknown);
            }
        }
        Value::Array(items) => {
            let Some(element) = model.get("items") else {
                return;
            };
            for (at, item) in items.iter().enumerate() {
                find_unknown(&format!("[{at}]"), item, element, unknown);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    let found = unknown.get_mut(known..).unwrap_or_default();
    prefix(path, found);
}

/// Makes `paths`, which are relative to `path`, absolute. Complete paths are built only for unknown
/// fields, which are rare.
pub(super) fn prefix(path: &str, paths: &mut [String]) {
    for found in paths {
        let dot = if found.starts_with('[') { "" } else { "." };
        *found = format!("{path}{dot}{found}");
    }
}

/// Returns the schema of the member `name`.
pub(crate) fn member<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let model = resolved(schema);
    model
        .get("properties")?
        .get(name)
        .or_else(|| model.get("additionalProperties"))
}

/// Resolves a schema that only references another one, by `$ref` or, beside a description, in
/// `allOf`.
pub(crate) fn resolved(schema: &Value) -> &Value {
    let mut named = Vec::new();
    if let Some(all) = schema.get("allOf") {
        references(all, &mut named);
    } else if schema.get("$ref").is_some() {
        references(schema, &mut named);
    }
    let Some(first) = named.first() else {
        return schema;
    };
    built_in(first).unwrap_or(schema)
}
