//! What is written of a kind: structs and enums, as data.

/// The types of one kind.
#[derive(Debug)]
pub(crate) struct Model {
    /// The type of the objects, whose `metadata` is no field here.
    pub(super) root: Struct,
    /// Kube's derive on the type of `spec` makes the root, as kopium has it: it asks for a `spec`, and has nothing
    /// beside it but `metadata` and a `status`.
    pub(super) is_derived: bool,
    /// All others, in the order of the text.
    pub(super) items: Vec<Item>,
}

#[derive(Debug)]
pub(super) enum Item {
    Struct(Struct),
    Enum(Enum),
}

#[derive(Debug, Default)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) docs: String,
    /// By their names in JSON.
    pub(super) fields: Vec<Field>,
    /// The field that takes all other members, if they are kept.
    pub(super) rest: Option<String>,
    /// Every member may be missing or has a type with a default.
    pub(super) has_default: bool,
}

#[derive(Debug)]
pub(super) struct Field {
    /// In Rust.
    pub(super) ident: String,
    /// In JSON.
    pub(super) json: String,
    pub(super) docs: String,
    pub(super) value: Type,
    pub(super) presence: Presence,
}

/// When a member is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    /// Required, but may be `null`.
    Nullable,
    Optional,
    /// Optional, and read as empty if it is missing.
    Defaulted,
}

/// A set of texts.
#[derive(Debug)]
pub(super) struct Enum {
    pub(super) name: String,
    pub(super) docs: String,
    pub(super) variants: Vec<Variant>,
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) ident: String,
    pub(super) json: String,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    /// `i32`, `f64`, ..
    Number(&'static str),
    Text,
    IntOrString,
    /// Whatever JSON there is.
    Any,
    Condition,
    ObjectMeta,
    ObjectReference,
    /// An item of the model.
    Struct(String),
    Enum(String),
    List(Box<Type>),
    Map(Box<Type>),
    /// An element or a value of a map that may be `null`.
    Nullable(Box<Type>),
}

// === impl Model ===

impl Model {
    /// The struct of this name.
    pub(super) fn structure(&self, name: &str) -> Option<&Struct> {
        let structs = self.items.iter().filter_map(|item| match item {
            Item::Struct(found) => Some(found),
            Item::Enum(_) => None,
        });
        let mut all = structs.chain([&self.root]);
        all.find(|found| found.name == name)
    }
}

// === impl Struct ===

impl Struct {
    /// The field of a member, and the struct that it is.
    pub(super) fn part(&self, member: &str) -> Option<(&Field, &str)> {
        let field = self.fields.iter().find(|field| field.json == member)?;
        if let Type::Struct(name) = &field.value {
            return Some((field, name));
        }
        None
    }
}

// === impl Type ===

impl Type {
    /// What is in lists, however deep.
    pub(super) fn inner(&self) -> &Self {
        if let Self::List(inner) | Self::Nullable(inner) = self {
            return inner.inner();
        }
        self
    }
}
