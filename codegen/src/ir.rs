//! Intermediate representation of the generated code of one kind, independent of the input.

use std::fmt;

use proc_macro2::{Ident, Span};
use syn::{Path, Type, Visibility};

use crate::doc::Doc;
use crate::names::{api_field, identifier};
use crate::path::Segment;

/// Wrappers of one kind.
pub struct Wrappers {
    /// Visibility of all items.
    pub vis: Visibility,
    /// Prefix of the names of the wrappers.
    pub prefix: String,
    /// Path of the crate that emitted code refers to, such as `::informer`.
    pub runtime: Path,
    /// Documentation of the informer.
    pub docs: Doc,
    /// Type of the objects.
    pub objects: Objects,
    /// Trait and method by which a factory returns the informer. `None` if a generated module
    /// provides the accessor.
    pub accessor: Option<Accessor>,
    /// `true` if the generator knows nothing about the types. Emitted assertions then check each
    /// type once.
    pub is_checked: bool,
    /// Indices, with unique names.
    pub indices: Vec<Index>,
    /// Fields that the API server's field selectors support.
    pub selectable: Vec<Selectable>,
    /// Relations to other types, with unique accessors.
    pub relations: Vec<Relation>,
    /// `true` if a struct with all relations is emitted, `{prefix}Related`.
    pub has_related: bool,
}

/// Extension method of factories.
pub struct Accessor {
    /// Name of the trait.
    pub factory: Ident,
    /// Name of the method.
    pub name: Ident,
}

/// Type of the objects.
pub enum Objects {
    /// A Rust type.
    Typed(Box<Type>),
    /// `DynamicObject`s of one resource.
    Dynamic {
        /// API group.
        group: String,
        /// API version.
        version: String,
        /// Kind.
        kind: String,
        /// Plural, as in URLs.
        plural: String,
        /// Scope of the resource.
        scope: Scope,
    },
}

/// Scope of a resource, in the terms of a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Names are unique in the cluster.
    Cluster,
    /// Names are unique in a namespace.
    Namespaced,
}

/// Constant with a field path for field selectors.
#[derive(Clone)]
pub struct Selectable {
    /// Name of the constant.
    pub name: Ident,
    /// Field path, as field selectors spell it.
    pub path: String,
}

/// An index.
#[derive(Clone)]
pub struct Index {
    /// Method that reads the index.
    pub accessor: Ident,
    /// Name of the index in the store: its path or its declared name.
    pub name: String,
    /// Position of the declaration.
    pub span: Span,
    /// Type of the index values.
    pub value: Type,
    /// `true` if each value is expected to belong to one object. The accessor then returns that
    /// object only.
    pub unique: bool,
    /// Source of the index values.
    pub source: IndexSource,
}

/// Source of the index values.
#[derive(Clone)]
pub enum IndexSource {
    /// A walk through the object's fields.
    Walk {
        /// Steps of the walk.
        steps: Vec<Step>,
        /// `true` if the index's name is the same path in JSON and yields the same values. Packed
        /// storage then reads the values from the JSON.
        is_json: bool,
    },
    /// Members of a `DynamicObject`, by their JSON names.
    Members(Vec<String>),
    /// Controlling owner of the object: of any kind, or of one type only.
    Owner(Option<Box<Type>>),
    /// A function.
    With(Path),
    /// No source: the index is wrong, and the error has been reported.
    Nowhere,
}

/// Step of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Goes from the object to its metadata.
    Metadata,
    /// Goes to a field, then through the wrappers (`Option`, `Vec`, ..) that the field may have.
    Field {
        /// Name in Rust.
        ident: Ident,
        /// `true` if the field may have wrappers.
        wrapped: bool,
        /// `true` if k8s-openapi's naming rule produced the name from JSON. The type must then be
        /// from k8s-openapi.
        kubernetes: bool,
    },
    /// Goes to the value of a key of a map, then through the wrappers that the value may have.
    Key {
        /// Key of the map.
        key: String,
        /// `true` if the value may have wrappers.
        wrapped: bool,
    },
    /// Removes one wrapper more than the step before.
    Peel,
    /// Goes to the values that a function returns, as a `Vec`. Has to be the last step. The names
    /// are the segments of the function's path.
    With(Vec<Ident>),
}

/// Number of wrappers that a step to a field or a key removes by itself.
const PEELED: usize = 3;

impl Step {
    /// Returns the steps after a field or a key that has a number of wrappers.
    pub fn peels(wrappers: usize) -> impl Iterator<Item = Self> {
        (PEELED..wrappers).map(|_| Self::Peel)
    }
}

/// Relation of the objects of a kind to objects of another type.
#[derive(Clone)]
pub struct Relation {
    /// Name of the related objects, in the plural: `secrets`. The method that returns them is
    /// `secrets_of`.
    pub accessor: Ident,
    /// Position of the declaration.
    pub span: Span,
    /// Rust type of the related objects.
    pub target: Type,
    /// Fields that relate the objects.
    pub over: Over,
}

/// Direction and form of a relation, as declarations name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verb {
    /// `owns(...)`: owner references.
    Owns,
    /// `references(...)`: names.
    References,
    /// `selects(...)`: label selectors.
    Selects,
}

/// Fields that relate objects.
#[derive(Clone)]
pub enum Over {
    /// Owner references: objects of the kind control the related objects.
    Owner,
    /// Fields with the names of the related objects.
    Names {
        /// Method of the lister that returns the objects that refer to a key: `by_secret`.
        by: Ident,
        /// Fields. Empty if the relation is wrong, and the error has been reported.
        fields: Vec<Named>,
    },
    /// Label selectors.
    Selectors {
        /// Method of the lister that returns the objects that select an object: `selecting`.
        by: Ident,
        /// Paths that end at a `LabelSelector` or at a map of labels. Empty if the relation is
        /// wrong, and the error has been reported.
        paths: Vec<Walk>,
    },
}

/// Fields of one place in the objects that name a related object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Way from the object to the struct, or the list of structs, that has the name.
    pub at: Walk,
    /// Way from there to the name.
    pub name: Walk,
    /// Namespace. `None` if it is the namespace of the object.
    pub namespace: Option<Beside>,
    /// Kind, if the place names objects of several kinds.
    pub kind: Option<Beside>,
}

/// Field that completes a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Way from the struct that has the name.
    Name(Walk),
    /// Way from the object, for a field that all names have in common.
    Object(Walk),
}

/// Way through an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Through the fields of a Rust type.
    Steps(Vec<Step>),
    /// Through the members of a `DynamicObject`, by their JSON names.
    Members(Vec<String>),
}

/// Form in which an accessor takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// `&str`, for values that are `String`s.
    Str,
    /// By value: integers, `bool`, `char`.
    Copy,
    /// By reference.
    Ref,
}

/// Types whose values are passed by value.
const COPY: [&str; 14] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize",
];

// === impl Scope ===

impl Scope {
    /// Returns the scope of objects that belong to namespaces, or that do not.
    #[must_use]
    pub const fn new(namespaced: bool) -> Self {
        if namespaced {
            Self::Namespaced
        } else {
            Self::Cluster
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cluster => "cluster",
            Self::Namespaced => "namespaced",
        })
    }
}

// === impl Argument ===

impl Argument {
    /// Returns the form in which an accessor takes values of type `ty`.
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
    /// Reports whether packed storage can read the values without decoding. That holds for values
    /// whose text equals their JSON.
    #[must_use]
    pub fn is_read_from_bytes(&self) -> bool {
        let is_json = matches!(
            self.source,
            IndexSource::Walk { is_json: true, .. } | IndexSource::Members(_)
        );
        is_json && Argument::of(&self.value) != Argument::Ref
    }
}

// === impl Relation ===

impl Relation {
    /// Returns the direction and form of the relation.
    #[must_use]
    pub const fn verb(&self) -> Verb {
        match self.over {
            Over::Owner => Verb::Owns,
            Over::Names { .. } => Verb::References,
            Over::Selectors { .. } => Verb::Selects,
        }
    }

    /// Returns the method of the lister that reads the relation. Owned objects have none.
    #[must_use]
    pub const fn by(&self) -> Option<&Ident> {
        match &self.over {
            Over::Owner => None,
            Over::Names { by, .. } | Over::Selectors { by, .. } => Some(by),
        }
    }
}

// === impl Named ===

impl Named {
    /// Splits the ways from the object to the name, the namespace and the kind after the longest
    /// part that the name shares with one of the others. This part leads to the struct with the
    /// fields, so that the elements of a list keep their own namespace and kind. A field elsewhere
    /// belongs to all names.
    #[must_use]
    pub fn new(name: Walk, namespace: Option<Walk>, kind: Option<Walk>) -> Self {
        let others = [namespace.as_ref(), kind.as_ref()].into_iter().flatten();
        let shared = others.map(|other| name.common(other)).max();
        // The field of the name itself is never shared.
        let own = name.len().saturating_sub(1);
        let length = shared.map_or(own, |shared| shared.min(own));
        let beside = |way: Walk| {
            if name.common(&way) < length {
                Beside::Object(way)
            } else {
                Beside::Name(way.split(length).1)
            }
        };
        let namespace = namespace.map(beside);
        let kind = kind.map(beside);
        let (at, name) = name.split(length);
        Self {
            at,
            name,
            namespace,
            kind,
        }
    }
}

// === impl Walk ===

impl Walk {
    fn len(&self) -> usize {
        match self {
            Self::Steps(steps) => steps.len(),
            Self::Members(names) => names.len(),
        }
    }

    /// Returns the number of steps that two ways have in common. The last step of `other` is never
    /// common.
    fn common(&self, other: &Self) -> usize {
        fn count<T: PartialEq>(a: &[T], b: &[T]) -> usize {
            let b = b.split_last().map_or(b, |(_, rest)| rest);
            a.iter().zip(b).take_while(|(a, b)| a == b).count()
        }
        match (self, other) {
            (Self::Steps(a), Self::Steps(b)) => count(a, b),
            (Self::Members(a), Self::Members(b)) => count(a, b),
            (Self::Steps(_), Self::Members(_)) | (Self::Members(_), Self::Steps(_)) => 0,
        }
    }

    fn split(self, at: usize) -> (Self, Self) {
        fn split<T>(mut all: Vec<T>, at: usize) -> (Vec<T>, Vec<T>) {
            let rest = all.split_off(at.min(all.len()));
            (all, rest)
        }
        match self {
            Self::Steps(steps) => {
                let (at, rest) = split(steps, at);
                (Self::Steps(at), Self::Steps(rest))
            }
            Self::Members(names) => {
                let (at, rest) = split(names, at);
                (Self::Members(at), Self::Members(rest))
            }
        }
    }
}

/// Returns the steps of a JSON path into the metadata.
#[must_use]
pub fn metadata_steps(json: &[Segment], span: impl Fn(usize) -> Span) -> Vec<Step> {
    let fields = json.iter().skip(1).map(|segment| match segment {
        Segment::Field(name) => Step::Field {
            ident: identifier(&api_field(&name.text), span(name.at.start)),
            wrapped: true,
            kubernetes: false,
        },
        // Labels and annotations are plain strings.
        Segment::Key(key) => Step::Key {
            key: key.text.clone(),
            wrapped: false,
        },
    });
    std::iter::once(Step::Metadata).chain(fields).collect()
}

#[cfg(test)]
mod tests;
