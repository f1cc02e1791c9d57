//! Converts a schema into the model of a kind.

use std::collections::BTreeSet;

use informer_codegen::names::kopium::{self, TakenNames};
use proc_macro2::Ident;

use super::model::{Enum, Field, Item, Model, Presence, Struct, Type, Variant};
use super::schema::Schema;
use super::shape::{is_condition, is_object_reference, is_struct};

/// Members of every object, which the root handles itself.
const OF_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Maximum nesting of lists and maps in one type. Deeper values have the type of any JSON, because
/// rustc and its parsers are recursive.
const MAX_NESTING: usize = 16;

/// Maximum depth of the types of a kind, in types that contain each other. Deeper values have the
/// type of any JSON. rustc proves `Send` type by type, up to a depth of 128, and types of the user
/// contain the object.
const MAX_DEPTH: usize = 96;

/// Depth of a struct and the `Option` around it.
const OF_STRUCT: usize = 2;

/// Depth of a `Vec` and its parts.
const OF_LIST: usize = 3;

/// Depth of a `BTreeMap` and its parts.
const OF_MAP: usize = 6;

/// Returns the model of a kind, or the reason why it has none.
pub(super) fn model(kind: &str, schema: Option<&Schema>) -> Result<Model, String> {
    let Some(schema) = schema else {
        return Err("its manifest has no schema".to_owned());
    };
    if schema.kind != "object" {
        return Err("the schema does not describe an object".to_owned());
    }
    let mut type_names = TakenNames::types();
    let root_name = type_names.claim(kopium::root(kind), "X");
    // These two names take precedence over the names of nested types.
    let spec_name = type_names.claim(kopium::nested(&root_name, "spec"), "X");
    let status_name = type_names.claim(kopium::nested(&root_name, "status"), "X");
    let mut build = Build {
        root_name,
        spec_name,
        status_name,
        type_names,
        items: Vec::new(),
        defaults: BTreeSet::new(),
        nesting: 0,
        depth: OF_STRUCT,
    };
    let (root, is_derived) = build.root(schema);
    Ok(Model {
        root,
        is_derived,
        items: build.items,
    })
}

struct Build {
    root_name: Ident,
    spec_name: Ident,
    status_name: Ident,
    type_names: TakenNames,
    items: Vec<Item>,
    /// Names of structs with a default.
    defaults: BTreeSet<Ident>,
    /// Number of lists and maps around the current value.
    nesting: usize,
    /// Depth of the types around the current value.
    depth: usize,
}

// === impl Build ===

impl Build {
    /// Returns the struct of the objects, and whether kube's derive generates it.
    fn root(&mut self, schema: &Schema) -> (Struct, bool) {
        let name = self.root_name.clone();
        let mut fields = Fields::new();
        fields.names.claim("metadata".to_owned(), "_x");
        for (json, member) in &schema.properties {
            if OF_OBJECTS.contains(&json.as_str()) {
                continue;
            }
            let reserved_name = match json.as_str() {
                "spec" => Some(self.spec_name.clone()),
                "status" => Some(self.status_name.clone()),
                _ => None,
            };
            let value = match reserved_name {
                Some(half) if is_struct(member) => {
                    self.structure(half.clone(), member);
                    Type::Struct(half)
                }
                _ => self.value(&name, json, member),
            };
            fields.add(schema, json, member, value);
        }
        if schema.keeps_unknown {
            fields.add_rest();
        }
        let mut root = self.complete(name, &schema.description, fields);
        let spec = schema.properties.get("spec");
        if spec.is_some_and(|spec| spec.is_nullable) {
            return (root, false);
        }
        // A missing `spec` becomes an empty one if possible. kube's derive would reject the object.
        let is_defaulted = match root.part("spec") {
            Some((spec, name)) => spec.presence == Presence::Optional && self.may_be_empty(name),
            None => false,
        };
        if is_defaulted {
            for field in &mut root.fields {
                if field.json == "spec" {
                    field.presence = Presence::Defaulted;
                }
            }
        }
        let is_derived = !is_defaulted && is_derivable(&root);
        (root, is_derived)
    }

    /// Adds the struct of an object, and the items inside of it.
    fn structure(&mut self, name: Ident, schema: &Schema) {
        // The struct precedes its members, so that the text is in the order of the schema.
        let position = self.items.len();
        let outer_nesting = std::mem::take(&mut self.nesting);
        self.depth += OF_STRUCT;
        let mut fields = Fields::new();
        if schema.is_embedded {
            let unspecified = Schema::default();
            for (json, value) in [
                ("apiVersion", Type::Text),
                ("kind", Type::Text),
                ("metadata", Type::ObjectMeta),
            ] {
                fields.add(&unspecified, json, &unspecified, value);
            }
        }
        for (json, member) in &schema.properties {
            if schema.is_embedded && OF_OBJECTS.contains(&json.as_str()) {
                continue;
            }
            let value = self.value(&name, json, member);
            fields.add(schema, json, member, value);
        }
        if schema.keeps_unknown || schema.values.is_some() {
            fields.add_rest();
        }
        let structure = self.complete(name, &schema.description, fields);
        self.items.insert(position, Item::Struct(structure));
        self.nesting = outer_nesting;
        self.depth -= OF_STRUCT;
    }

    fn complete(&mut self, name: Ident, docs: &str, fields: Fields) -> Struct {
        let Fields { all, rest, .. } = fields;
        let has_default = all
            .iter()
            .all(|field| field.presence != Presence::Required || self.has_default(&field.value));
        if has_default {
            self.defaults.insert(name.clone());
        }
        Struct {
            name,
            docs: docs.to_owned(),
            fields: all,
            rest,
            has_default,
        }
    }

    /// Reports whether a struct has no required member.
    fn may_be_empty(&self, name: &Ident) -> bool {
        let is_optional =
            |field: &Field| matches!(field.presence, Presence::Optional | Presence::Settable);
        self.items
            .iter()
            .filter_map(Item::as_struct)
            .any(|found| found.name == *name && found.fields.iter().all(is_optional))
    }

    fn has_default(&self, value: &Type) -> bool {
        if let Type::Struct(name) = value {
            return self.defaults.contains(name);
        }
        !matches!(value, Type::Enum(_))
    }

    /// Returns the type of a member of `owner`, and adds the items that it needs.
    fn value(&mut self, owner: &Ident, member: &str, schema: &Schema) -> Type {
        if schema.is_int_or_string {
            return Type::IntOrString;
        }
        match schema.kind.as_str() {
            "boolean" => Type::Bool,
            "integer" => Type::Number(schema.integer()),
            "number" => Type::Number("f64"),
            "string" if schema.texts.is_empty() => Type::Text,
            "string" => self.texts(owner, member, schema),
            "array" if member == "conditions" && is_condition(schema.items.as_deref()) => {
                Type::List(Box::new(Type::Condition))
            }
            "array" => {
                let elements = schema.items.as_deref();
                Type::List(Box::new(self.below(owner, member, elements, OF_LIST)))
            }
            "object" if is_struct(schema) => {
                if is_object_reference(schema) {
                    return Type::ObjectReference;
                }
                if self.depth + OF_STRUCT > MAX_DEPTH {
                    return Type::Any;
                }
                let name = self.claim(owner, member);
                self.structure(name.clone(), schema);
                Type::Struct(name)
            }
            "object" => {
                let values = schema.values.as_deref();
                Type::Map(Box::new(self.below(owner, member, values, OF_MAP)))
            }
            _ => Type::Any,
        }
    }

    /// Returns the type of the elements of an array, or of the values of a map. It is named like
    /// the member.
    fn below(
        &mut self,
        owner: &Ident,
        member: &str,
        schema: Option<&Schema>,
        depth: usize,
    ) -> Type {
        let Some(schema) = schema else {
            return Type::Any;
        };
        if self.nesting >= MAX_NESTING || self.depth + depth > MAX_DEPTH {
            return Type::Any;
        }
        self.nesting += 1;
        self.depth += depth;
        let value = self.value(owner, member, schema);
        self.depth -= depth;
        self.nesting -= 1;
        nullable(schema, value)
    }

    fn texts(&mut self, owner: &Ident, member: &str, schema: &Schema) -> Type {
        let name = self.claim(owner, member);
        let mut variant_names = TakenNames::variants();
        let mut variants = Vec::new();
        for (position, json) in schema.texts.iter().enumerate() {
            variants.push(Variant {
                ident: variant_names.claim(kopium::variant(json, position), "X"),
                json: json.clone(),
            });
        }
        self.items.push(Item::Enum(Enum {
            name: name.clone(),
            docs: schema.description.clone(),
            variants,
        }));
        Type::Enum(name)
    }

    /// Claims the name of the type of a member. Types in `spec` are named after the root.
    fn claim(&mut self, owner: &Ident, member: &str) -> Ident {
        let prefix = if *owner == self.spec_name {
            &self.root_name
        } else {
            owner
        };
        self.type_names.claim(kopium::nested(prefix, member), "X")
    }
}

/// Fields of a struct.
struct Fields {
    names: TakenNames,
    all: Vec<Field>,
    rest: Option<Ident>,
}

// === impl Fields ===

impl Fields {
    fn new() -> Self {
        Self {
            names: TakenNames::fields(),
            all: Vec::new(),
            rest: None,
        }
    }

    /// Adds the field of the member `json` of `owner`.
    fn add(&mut self, owner: &Schema, json: &str, schema: &Schema, value: Type) {
        let presence = if owner.requires(json) {
            // The type of any JSON includes `null`.
            if schema.is_nullable && value != Type::Any {
                Presence::Nullable
            } else {
                Presence::Required
            }
        } else if schema.is_nullable && schema.has_default {
            Presence::Settable
        } else {
            Presence::Optional
        };
        self.all.push(Field {
            ident: self.names.claim(kopium::field(json), "_x"),
            json: json.to_owned(),
            docs: schema.description.clone(),
            value,
            presence,
        });
    }

    /// Adds the field for members that the schema does not name.
    fn add_rest(&mut self) {
        self.rest = Some(self.names.claim("rest".to_owned(), "_x"));
    }
}

fn nullable(schema: &Schema, value: Type) -> Type {
    if schema.is_nullable && value != Type::Any {
        Type::Nullable(Box::new(value))
    } else {
        value
    }
}

/// Reports whether a root has exactly the fields that kube's derive generates.
fn is_derivable(root: &Struct) -> bool {
    if root.rest.is_some() || root.part("spec").is_none() {
        return false;
    }
    root.fields.iter().all(|field| {
        ["spec", "status"].contains(&field.json.as_str())
            && field.presence != Presence::Settable
            && matches!(field.value, Type::Struct(_))
    })
}
