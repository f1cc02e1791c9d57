//! Ownership types of a schema: associative lists, and atomic values.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use serde_json::{Map as Members, Value};

use super::element::Element;
use crate::document::json_type;

/// A type and all types that it references.
#[derive(Debug)]
pub(crate) struct Types {
    pub(super) atoms: Vec<Atom>,
    pub(super) root: TypeId,
}

/// Index of a type in [`Types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeId(pub(super) usize);

/// Kinds that a value may have; several if the schema permits them.
#[derive(Debug, Clone, Default)]
pub(super) struct Atom {
    pub(super) scalar: Option<ScalarType>,
    pub(super) list: Option<ListType>,
    pub(super) map: Option<MapType>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarType {
    Numeric,
    String,
    Boolean,
    Untyped,
}

#[derive(Debug, Clone)]
pub(super) struct ListType {
    /// `true` if elements have owners of their own: the list is a set, or a map by `keys`.
    pub(super) associative: bool,
    pub(super) keys: Vec<String>,
    pub(super) element: TypeId,
}

#[derive(Debug, Clone, Default)]
pub(super) struct MapType {
    pub(super) fields: HashMap<String, Field>,
    /// Type of additional members; `None` if they are not allowed.
    pub(super) element: Option<TypeId>,
    /// `true` if the whole map has one owner.
    pub(super) atomic: bool,
    /// `true` if the type is a map in Go, not a struct.
    pub(super) keyed: bool,
    /// Fields that are never absent: structs in Go.
    pub(super) structs: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) of: TypeId,
    pub(super) default: Option<Value>,
    pub(super) required: bool,
    /// `true` if the field is never absent when its parent exists.
    pub(super) is_struct: bool,
    /// `true` if the field is a list that Go writes as null while it is empty.
    pub(super) is_null: bool,
}

/// The part of an [`Atom`] that applies to a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'a> {
    Scalar(ScalarType),
    List(&'a ListType),
    Map(&'a MapType),
}

/// The types of a schema, compiled at the first use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typing(Arc<OnceLock<Arc<Types>>>);

/// A type that allows no value, for an index without a type.
static NOTHING: LazyLock<Atom> = LazyLock::new(Atom::default);

// === impl Types ===

impl Types {
    pub(super) fn atom(&self, of: TypeId) -> &Atom {
        self.atoms.get(of.0).unwrap_or(&NOTHING)
    }

    /// Returns the step that identifies `item` in an associative list.
    pub(super) fn element(&self, list: &ListType, item: &Value) -> Result<Element, String> {
        if list.keys.is_empty() {
            return set_element(item);
        }
        let members = match item {
            Value::Object(members) => members,
            Value::Null => {
                return Err("associative list with keys may not have a null element".to_owned());
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err("associative list with keys may not have non-map elements".to_owned());
            }
        };
        let mut keys = Vec::new();
        for name in &list.keys {
            let written = members.get(name);
            if let Some(value) = written.or_else(|| self.default_of(list.element, name)) {
                keys.push((name.clone(), value.clone()));
            }
        }
        if keys.is_empty() {
            let names: Vec<String> = list.keys.iter().map(|key| format!("{key:?}")).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and \
                 doesn't have default values for any key fields)",
                names.join(" ")
            ));
        }
        Ok(Element::key(keys))
    }

    fn default_of(&self, of: TypeId, name: &str) -> Option<&Value> {
        let map = self.atom(of).map.as_ref()?;
        map.fields.get(name)?.default.as_ref()
    }
}

/// Returns the step that identifies an element of a set.
fn set_element(item: &Value) -> Result<Element, String> {
    let problem = match item {
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Ok(Element::value(item.clone()));
        }
        Value::Object(_) => "associative list without keys has an element that's a map type",
        Value::Array(_) => "not supported: associative list with lists as elements",
        Value::Null => "associative list without keys has an element that's an explicit null",
    };
    Err(problem.to_owned())
}

// === impl Atom ===

impl Atom {
    /// Returns the kind of `value`. For a missing value or one of another kind, returns the first
    /// allowed kind.
    pub(super) fn kind(&self, value: Option<&Value>) -> Option<Kind<'_>> {
        let fitting = match value {
            None | Some(Value::Null) => None,
            Some(Value::Object(_)) => self.map.as_ref().map(Kind::Map),
            Some(Value::Array(_)) => self.list.as_ref().map(Kind::List),
            Some(Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                self.scalar.map(Kind::Scalar)
            }
        };
        fitting
            .or_else(|| self.map.as_ref().map(Kind::Map))
            .or_else(|| self.scalar.map(Kind::Scalar))
            .or_else(|| self.list.as_ref().map(Kind::List))
    }
}

// === impl MapType ===

impl MapType {
    pub(super) fn of(&self, name: &str) -> Option<TypeId> {
        self.fields.get(name).map(|field| field.of).or(self.element)
    }

    /// Returns the member `name` of a document of this type. A struct exists even if it is omitted,
    /// as does a list that Go does not omit.
    pub(super) fn member<'a>(
        &self,
        members: Option<&'a Members<String, Value>>,
        name: &str,
    ) -> Option<&'a Value> {
        static EMPTY: LazyLock<Value> = LazyLock::new(|| Value::Object(Members::new()));
        let found = members?.get(name);
        if found.is_some() {
            return found;
        }
        let field = self.fields.get(name)?;
        if field.is_struct {
            Some(&EMPTY)
        } else if field.is_null {
            Some(&Value::Null)
        } else {
            None
        }
    }
}

// === impl ScalarType ===

impl ScalarType {
    /// Returns the error of `value`, if it violates the type.
    pub(super) fn problem(self, value: &Value) -> Option<String> {
        if value.is_null() {
            return None;
        }
        let is_scalar = value.is_number() || value.is_string() || value.is_boolean();
        let expected = match self {
            Self::Numeric if value.is_number() => return None,
            Self::Numeric => "numeric",
            Self::String if value.is_string() => return None,
            Self::String => "string",
            Self::Boolean if value.is_boolean() => return None,
            Self::Boolean => "boolean",
            Self::Untyped if is_scalar => return None,
            Self::Untyped => "any scalar",
        };
        let found = json_type(value);
        Some(format!("expected {expected}, got {found}"))
    }
}

// === impl Typing ===

impl Typing {
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Types) -> Arc<Types> {
        Arc::clone(self.0.get_or_init(|| Arc::new(make())))
    }
}

/// The types are derived from the schema beside them, so they do not count in a comparison.
impl PartialEq for Typing {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Typing {}
