//! What is generated of one kind, wherever that was read.

#![expect(
    missing_debug_implementations,
    reason = "syn's types print with a feature only, which every user of the derive would compile"
)]

use proc_macro2::{Ident, Span};
use syn::{Path, Type, Visibility};

/// The wrappers of one kind.
pub struct Wrappers {
    /// The visibility of all of it.
    pub vis: Visibility,
    /// What the names of the wrappers start with.
    pub prefix: String,
    /// The crate that emitted code names: `::informer`.
    pub runtime: Path,
    /// What the documentation of the informer says, line by line.
    pub docs: Vec<String>,
    /// The objects.
    pub objects: Objects,
    /// The trait and its method by which makers of informers get the accessor, if it is no step of a
    /// generated module.
    pub accessor: Option<Accessor>,
    /// Whether nothing is known of the types: then they are checked once, and relied on elsewhere.
    pub is_checked: bool,
    /// The indices, each of a name of its own.
    pub indices: Vec<Index>,
    /// The fields that the API server can select by.
    pub selectable: Vec<Selectable>,
}

/// A method of makers of informers.
pub struct Accessor {
    /// The trait.
    pub factory: Ident,
    /// The method.
    pub name: Ident,
}

/// What the objects are.
pub enum Objects {
    /// Of a type.
    Typed(Box<Type>),
    /// `DynamicObject`s of a resource.
    Dynamic {
        /// The API group.
        group: String,
        /// The version.
        version: String,
        /// The kind.
        kind: String,
        /// The plural, as in URLs.
        plural: String,
        /// The scope.
        scope: Scope,
    },
}

/// Where objects live, in the words of a CRD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Each in a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// A constant for field selectors.
pub struct Selectable {
    /// Its name.
    pub name: Ident,
    /// The field, as a field selector spells it.
    pub path: String,
}

/// An index.
#[derive(Clone)]
pub struct Index {
    /// The method that reads it.
    pub accessor: Ident,
    /// What the store knows it by: its path, or its name.
    pub name: String,
    /// Where it is given.
    pub span: Span,
    /// The type of its values.
    pub value: Type,
    /// Whether a value is taken to be one object's: the accessor gives that one.
    pub unique: bool,
    /// Where the values come from.
    pub source: Source,
}

/// Where the values of an index come from.
#[derive(Clone)]
pub enum Source {
    /// From a walk through the object.
    Walk {
        /// The way.
        steps: Vec<Step>,
        /// Whether the index's name is the same path in JSON, with the same values: then a storage of
        /// bytes reads them there.
        is_json: bool,
    },
    /// From the members of a `DynamicObject`, by their names in JSON.
    Members(Vec<String>),
    /// From the owner that controls the object, of any kind or of one type only.
    Owner(Option<Box<Type>>),
    /// From a function.
    With(Path),
    /// From nowhere: the index is wrong, which has been reported.
    Nowhere,
}

/// One step of a walk.
#[derive(Clone, Debug)]
pub enum Step {
    /// From the object to its metadata.
    Metadata,
    /// To a field, then through the wrappers (`Option`, `Vec`, ..) that it may have.
    Field {
        /// The name in Rust.
        ident: Ident,
        /// Whether there may be wrappers.
        wrapped: bool,
        /// Whether the name was made from JSON's by k8s-openapi's rule, so that the type must be one
        /// of its own.
        kubernetes: bool,
    },
    /// To the value of a map's key, then through the wrappers that it may have.
    Key {
        /// The key.
        key: String,
        /// Whether there may be wrappers.
        wrapped: bool,
    },
}

/// How an accessor takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// `&str`, for values that are `String`s.
    Str,
    /// By value: integers, `bool`, `char`.
    Copy,
    /// By reference.
    Ref,
}

/// Values of these types are taken as they are.
const COPY: [&str; 14] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize",
];

// === impl Argument ===

impl Argument {
    /// How an accessor takes values of type `ty`.
    #[must_use]
    pub fn of(ty: &Type) -> Self {
        let Type::Path(path) = ty else {
            return Self::Ref;
        };
        match path.path.segments.last() {
            Some(last) if last.ident == "String" => Self::Str,
            Some(last) if COPY.iter().any(|copy| last.ident == copy) => Self::Copy,
            _ => Self::Ref,
        }
    }
}

// === impl Index ===

impl Index {
    /// Whether a storage of bytes can read the values from them: what they are as text is what they
    /// are in JSON.
    #[must_use]
    pub fn is_read_from_bytes(&self) -> bool {
        let is_json = matches!(
            self.source,
            Source::Walk { is_json: true, .. } | Source::Members(_)
        );
        is_json && Argument::of(&self.value) != Argument::Ref
    }
}

// === impl Step ===

/// Returns the steps of a path of JSON into the metadata.
#[must_use]
pub fn metadata_steps(json: &[crate::path::Segment], span: impl Fn(usize) -> Span) -> Vec<Step> {
    use crate::names::{api_field, identifier};
    use crate::path::Segment;

    let fields = json.iter().skip(1).map(|segment| match segment {
        Segment::Field(name) => Step::Field {
            ident: identifier(&api_field(&name.text), span(name.at.start)),
            wrapped: true,
            kubernetes: false,
        },
        // Labels and annotations are plain texts.
        Segment::Key(key) => Step::Key {
            key: key.text.clone(),
            wrapped: false,
        },
    });
    std::iter::once(Step::Metadata).chain(fields).collect()
}
