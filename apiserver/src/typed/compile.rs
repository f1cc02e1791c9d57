//! Compiler from OpenAPI schemas to [`Types`], equivalent to `schemaconv` in `kube-openapi`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::types::{Atom, Field, ListType, MapType, ScalarType, TypeId, Types};
use crate::document::{list_of, str_of, texts};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/// Returns a schema by its name.
type Find<'a> = &'a dyn Fn(&str) -> Option<&'a Value>;

struct Compiler<'a> {
    atoms: Vec<Atom>,
    /// Types by name, and by the atomicity that the reference declares for maps.
    named: HashMap<(String, Option<bool>), TypeId>,
    find: Find<'a>,
    /// `true` if an empty default marks a struct of Go, which is never absent.
    structs: bool,
    deduced: TypeId,
    untyped: TypeId,
}

/// Compiles the types of a built-in kind with the schema `name`.
pub(crate) fn compile_built_in(name: &str, find: Find<'_>) -> Types {
    let mut compiler = Compiler::new(find, true);
    let root = compiler.named(name, None);
    compiler.finish(root)
}

/// Compiles the types of a custom kind with this schema, if it has one. With `preserve`, every
/// object may have unknown fields.
pub(crate) fn compile_custom(schema: Option<&Value>, preserve: bool, find: Find<'_>) -> Types {
    let mut compiler = Compiler::new(find, false);
    let open = Value::Object(Map::new());
    let mut atom = compiler.parse(schema.unwrap_or(&open), preserve || schema.is_none());
    atom.scalar = None;
    atom.list = None;
    let mut map = atom.map.take().unwrap_or_default();
    compiler.add_type(&mut map);
    atom.map = Some(map);
    let root = compiler.push(atom);
    compiler.finish(root)
}

// === impl Compiler ===

impl<'a> Compiler<'a> {
    fn new(find: Find<'a>, structs: bool) -> Self {
        let mut compiler = Self {
            atoms: Vec::new(),
            named: HashMap::new(),
            find,
            structs,
            deduced: TypeId(0),
            untyped: TypeId(1),
        };
        compiler.deduced = compiler.open(false);
        compiler.untyped = compiler.open(true);
        compiler
    }

    fn finish(self, root: TypeId) -> Types {
        Types {
            atoms: self.atoms,
            root,
        }
    }

    fn push(&mut self, atom: Atom) -> TypeId {
        let id = TypeId(self.atoms.len());
        self.atoms.push(atom);
        id
    }

    /// Creates a type for any value. Lists are atomic; maps are atomic if `atomic`.
    fn open(&mut self, atomic: bool) -> TypeId {
        let own = TypeId(self.atoms.len());
        self.push(Atom {
            scalar: Some(ScalarType::Untyped),
            list: Some(ListType {
                associative: false,
                keys: Vec::new(),
                element: TypeId(1),
            }),
            map: Some(MapType {
                element: Some(own),
                atomic,
                ..MapType::default()
            }),
        })
    }

    /// Compiles a schema that may be a reference only.
    fn reference(&mut self, schema: &Value, preserve: bool) -> TypeId {
        if let Some(name) = referenced(schema) {
            return self.named(name, map_is_atomic(schema));
        }
        if let [one] = list_of(schema.get("allOf"))
            && let Some(name) = referenced(one)
        {
            return self.named(name, map_is_atomic(schema));
        }
        let atom = self.parse(schema, preserve);
        self.push(atom)
    }

    fn named(&mut self, name: &str, atomic: Option<bool>) -> TypeId {
        let key = (name.to_owned(), atomic);
        if let Some(known) = self.named.get(&key) {
            return *known;
        }
        // Registered before it is compiled, because types may be recursive.
        let id = self.push(Atom::default());
        self.named.insert(key, id);
        let mut atom = match (name, (self.find)(name)) {
            (QUANTITY, _) => Atom {
                scalar: Some(ScalarType::Untyped),
                ..Atom::default()
            },
            (RAW_EXTENSION, _) | (_, None) => {
                self.atoms.get(self.untyped.0).cloned().unwrap_or_default()
            }
            (_, Some(schema)) => self.parse(schema, false),
        };
        if let (Some(atomic), Some(map)) = (atomic, &mut atom.map) {
            map.atomic = atomic;
        }
        if let Some(place) = self.atoms.get_mut(id.0) {
            *place = atom;
        }
        id
    }

    fn parse(&mut self, schema: &Value, preserve_all: bool) -> Atom {
        let preserve = preserve_all || has(schema, "x-kubernetes-preserve-unknown-fields");
        let mut atom = Atom::default();
        match str_of(schema.get("type")) {
            "object" => atom.map = Some(self.map(schema, preserve)),
            "array" => atom.list = Some(self.list(schema, preserve)),
            "integer" | "number" => atom.scalar = Some(ScalarType::Numeric),
            "boolean" => atom.scalar = Some(ScalarType::Boolean),
            "string" => {
                atom.scalar = Some(match str_of(schema.get("format")) {
                    "" | "byte" => ScalarType::String,
                    _ => ScalarType::Untyped,
                });
            }
            _ => {
                atom.scalar = Some(ScalarType::Untyped);
                atom.list = Some(self.list(schema, preserve));
                atom.map = Some(self.map(schema, preserve));
            }
        }
        if has(schema, "x-kubernetes-embedded-resource")
            && let Some(mut map) = atom.map.take()
        {
            self.add_type(&mut map);
            atom.map = Some(map);
        }
        atom
    }

    fn map(&mut self, schema: &Value, preserve: bool) -> MapType {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required_names = list_of(schema.get("required"));
        let mut map = MapType {
            atomic: map_is_atomic(schema).unwrap_or(false),
            keyed: schema.get("additionalProperties").is_some(),
            ..MapType::default()
        };
        for (name, member) in properties.into_iter().flatten() {
            let of = self.reference(member, preserve);
            let default = member.get("default");
            let is_struct = match default {
                Some(Value::Object(members)) => self.structs && members.is_empty(),
                _ => false,
            };
            if is_struct {
                map.structs.push(name.clone());
            }
            let required = required_names.iter().any(|known| known == name);
            let is_list = str_of(member.get("type")) == "array";
            let field = Field {
                of,
                default: default.cloned(),
                required,
                is_struct,
                is_null: self.structs && required && is_list,
            };
            map.fields.insert(name.clone(), field);
        }
        map.element = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(Value::Bool(true)) => Some(self.deduced),
            Some(schema) => Some(self.reference(schema, preserve)),
            None if preserve || map.fields.is_empty() => Some(self.deduced),
            None => None,
        };
        map
    }

    fn list(&mut self, schema: &Value, preserve: bool) -> ListType {
        let (associative, keys) = list_relationship(schema);
        let element = match schema.get("items") {
            Some(items) => self.reference(items, preserve),
            None => self.untyped,
        };
        ListType {
            associative,
            keys,
            element,
        }
    }

    /// Adds the members of every resource, independent of its schema.
    fn add_type(&mut self, map: &mut MapType) {
        let text = self.push(Atom {
            scalar: Some(ScalarType::String),
            ..Atom::default()
        });
        let meta = self.named(META, None);
        let optional = |of| Field {
            of,
            default: None,
            required: false,
            is_struct: false,
            is_null: false,
        };
        map.fields.insert("apiVersion".to_owned(), optional(text));
        map.fields.insert("kind".to_owned(), optional(text));
        map.fields.insert("metadata".to_owned(), optional(meta));
    }
}

/// Returns the name of the schema that this one references.
fn referenced(schema: &Value) -> Option<&str> {
    let path = schema.get("$ref")?.as_str()?;
    path.rsplit('/').next()
}

fn has(schema: &Value, flag: &str) -> bool {
    schema.get(flag) == Some(&Value::Bool(true))
}

fn text<'a>(schema: &'a Value, field: &str) -> Option<&'a str> {
    schema.get(field)?.as_str()
}

fn map_is_atomic(schema: &Value) -> Option<bool> {
    match text(schema, "x-kubernetes-map-type")? {
        "atomic" => Some(true),
        _ => Some(false),
    }
}

/// Returns `true` if the elements of a list have owners of their own, and the keys that identify
/// them.
fn list_relationship(schema: &Value) -> (bool, Vec<String>) {
    match text(schema, "x-kubernetes-list-type") {
        Some("set") => (true, Vec::new()),
        Some("map") => (true, texts(schema, "x-kubernetes-list-map-keys")),
        Some(_) => (false, Vec::new()),
        None => match text(schema, "x-kubernetes-patch-strategy") {
            Some("merge" | "merge,retainKeys") => {
                let key = text(schema, "x-kubernetes-patch-merge-key");
                (true, key.map(str::to_owned).into_iter().collect())
            }
            _ => (false, Vec::new()),
        },
    }
}
