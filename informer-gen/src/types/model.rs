//! Model of the generated types of a kind: structs and enums, as data.

use proc_macro2::Ident;

/// Types of one kind.
#[derive(Debug)]
pub(crate) struct Model {
    /// Type of the objects. Its fields do not include `metadata`.
    pub(super) root: Struct,
    /// `true` if kube's derive on the type of `spec` generates the root, as with kopium. The derive
    /// requires a `spec`, and supports only `metadata` and `status` next to it.
    pub(super) is_derived: bool,
    /// All other items, in the order of the text.
    pub(super) items: Vec<Item>,
}

#[derive(Debug)]
pub(super) enum Item {
    Struct(Struct),
    Enum(Enum),
}

#[derive(Debug)]
pub(super) struct Struct {
    pub(super) name: Ident,
    pub(super) docs: String,
    /// Sorted by their names in JSON.
    pub(super) fields: Vec<Field>,
    /// Name of the field for all other members, if the API server keeps them.
    pub(super) rest: Option<Ident>,
    /// `true` if every member may be missing or has a type with a default.
    pub(super) has_default: bool,
}

#[derive(Debug)]
pub(super) struct Field {
    /// Name in Rust.
    pub(super) ident: Ident,
    /// Name in JSON.
    pub(super) json: String,
    pub(super) docs: String,
    pub(super) value: Type,
    pub(super) presence: Presence,
}

/// Presence of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    /// Required, but may be `null`.
    Nullable,
    Optional,
    /// Optional, and may be `null`, which differs from a missing member: the API server sets a
    /// default for the latter only.
    Settable,
    /// Optional, and empty if missing.
    Defaulted,
}

/// Set of strings.
#[derive(Debug)]
pub(super) struct Enum {
    pub(super) name: Ident,
    pub(super) docs: String,
    pub(super) variants: Vec<Variant>,
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) ident: Ident,
    pub(super) json: String,
}

/// Type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    /// `i32`, `f64`, ..
    Number(&'static str),
    Text,
    IntOrString,
    /// Any JSON.
    Any,
    Condition,
    ObjectMeta,
    ObjectReference,
    /// Struct of the model.
    Struct(Ident),
    Enum(Ident),
    List(Box<Type>),
    Map(Box<Type>),
    /// Element of a list, or value of a map, that may be `null`.
    Nullable(Box<Type>),
}

// === impl Model ===

impl Model {
    /// Returns all structs.
    pub(super) fn structures(&self) -> impl Iterator<Item = &Struct> {
        self.items
            .iter()
            .filter_map(Item::as_struct)
            .chain([&self.root])
    }

    /// Returns the struct of this name.
    pub(super) fn structure(&self, name: &Ident) -> Option<&Struct> {
        self.structures().find(|found| found.name == *name)
    }
}

// === impl Item ===

impl Item {
    pub(super) fn as_struct(&self) -> Option<&Struct> {
        match self {
            Self::Struct(found) => Some(found),
            Self::Enum(_) => None,
        }
    }
}

// === impl Struct ===

impl Struct {
    /// Returns the field of a member.
    pub(super) fn field(&self, member: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.json == member)
    }

    /// Returns the field of a member that is a struct, and the name of that struct.
    pub(super) fn part(&self, member: &str) -> Option<(&Field, &Ident)> {
        let field = self.field(member)?;
        if let Type::Struct(name) = &field.value {
            return Some((field, name));
        }
        None
    }
}

// === impl Presence ===

impl Presence {
    /// Returns the number of `Option`s around the value of a member.
    pub(super) const fn wrappers(self) -> usize {
        match self {
            Self::Required | Self::Defaulted => 0,
            Self::Nullable | Self::Optional => 1,
            Self::Settable => 2,
        }
    }
}

// === impl Type ===

impl Type {
    /// Returns the number of lists and nullable values around the element type.
    pub(super) fn wrappers(&self) -> usize {
        match self {
            Self::List(inner) | Self::Nullable(inner) => 1 + inner.wrappers(),
            Self::Bool
            | Self::Number(_)
            | Self::Text
            | Self::IntOrString
            | Self::Any
            | Self::Condition
            | Self::ObjectMeta
            | Self::ObjectReference
            | Self::Struct(_)
            | Self::Enum(_)
            | Self::Map(_) => 0,
        }
    }

    /// Returns the element type of lists, at any depth.
    pub(super) fn inner(&self) -> &Self {
        if let Self::List(inner) | Self::Nullable(inner) = self {
            return inner.inner();
        }
        self
    }
}
