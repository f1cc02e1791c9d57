//! Descriptions of Kubernetes' messages.
//!
//! The Go program in `tables/` of the repository writes `generated.rs` by reflection over the API
//! types; `.proto` files lack JSON's names, inlined messages, pointers and `omitempty`. The compiler
//! packs the rows into the arrays below.

use crate::wire::WireType;

#[rustfmt::skip]
mod generated;
mod pack;

use self::generated::{Id, KINDS, MESSAGES};
use self::pack::{Label, fields, length_of_text, number_of_fields, starts, text};

/// Fields of all messages. Those of a message are sorted by number.
static FIELDS: [Field; number_of_fields()] = fields();
/// Position of the first field of each message, and the end.
static STARTS: [u16; MESSAGES.len() + 1] = starts();
/// Names of fields, apiVersions and kinds.
static TEXT: &str = match str::from_utf8(&text::<{ length_of_text() }>()) {
    Ok(text) => text,
    Err(_) => "",
};

/// A message of Kubernetes' API, such as `io.k8s.api.core.v1.Pod`.
///
/// # Examples
///
/// ```
/// use informer_protobuf::Message;
///
/// let pod = Message::of("v1", "Pod").unwrap();
/// let spec = pod.field("spec").unwrap();
/// assert_eq!(spec.number(), 2);
/// assert!(spec.message().unwrap().field("nodeName").is_some());
/// assert_eq!(Message::of("example.com/v1", "Foo"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Message(u16);

/// A field of a [`Message`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Range of the name in `TEXT`.
    start: u16,
    length: u8,
    number: u8,
    flags: u8,
    shape: Shape,
    /// Message of the values, if the shape has one.
    message: Message,
}

/// Fields of a message, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldsLeft(std::slice::Iter<'static, Field>);

/// Shape of one value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Message,
    String,
    Bool,
    Int32,
    Int64,
    Double,
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    Json,
    RawExtension,
    Items,
    SchemaOrArray,
    SchemaOrBool,
    SchemaOrStrings,
}

const REPEATED: u8 = 1;
const MAP: u8 = 1 << 1;
const INLINE: u8 = 1 << 2;
const POINTER: u8 = 1 << 3;
const OMIT: u8 = 1 << 4;

// === impl Message ===

impl Message {
    /// `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`, which is field 1 of every object.
    pub const OBJECT_META: Self = Self(Id::meta_v1_ObjectMeta as u16);

    pub(crate) const JSON_SCHEMA_PROPS: Self = Self(Id::apiextensions_v1_JSONSchemaProps as u16);

    /// Returns the message of a kind; `None` if it has none, such as a custom resource.
    ///
    /// Lists are kinds, too, and so are `Status`, `WatchEvent` and options of `v1`, and
    /// `PartialObjectMetadata` and its list in `meta.k8s.io/v1`.
    #[must_use]
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        let at = KINDS
            .binary_search_by_key(&(api_version, kind), |known| {
                (known.api_version.text(), known.name.text())
            })
            .ok()?;
        KINDS.get(at).map(|known| known.message)
    }

    /// Returns all kinds: apiVersion, kind and message.
    pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        KINDS
            .iter()
            .map(|kind| (kind.api_version.text(), kind.name.text(), kind.message))
    }

    /// Returns the message's fields by their numbers.
    #[must_use]
    pub fn fields(self) -> impl ExactSizeIterator<Item = Field> {
        self.entries().0.copied()
    }

    /// Returns the field with this JSON name, unless the member belongs to an
    /// [inlined](Field::is_inline) message.
    #[must_use]
    pub fn field(self, name: &str) -> Option<Field> {
        self.fields()
            .find(|field| !field.is_inline() && field.name() == name)
    }

    /// Returns the message's fields by their numbers, as a cursor.
    #[inline]
    pub(crate) fn entries(self) -> FieldsLeft {
        let at = usize::from(self.0);
        let bound = |at| STARTS.get(at).copied().map_or(0, usize::from);
        let fields = FIELDS.get(bound(at)..bound(at + 1));
        FieldsLeft(fields.unwrap_or_default().iter())
    }
}

// === impl FieldsLeft ===

impl FieldsLeft {
    /// Returns the next field.
    #[inline]
    pub(crate) fn peek(&self) -> Option<Field> {
        self.0.as_slice().first().copied()
    }

    /// Advances past the next field.
    #[inline]
    pub(crate) fn step(&mut self) {
        self.0.next();
    }

    /// Removes the field with the greatest number.
    pub(crate) fn drop_last(&mut self) {
        self.0.next_back();
    }
}

// === impl Shape ===

impl Shape {
    /// Reports whether values are numbers in protobuf.
    #[inline]
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Bool | Self::Int32 | Self::Int64 | Self::Double)
    }
}

// === impl Field ===

impl Field {
    /// Field of a row that sets nothing.
    const UNNAMED: Self = Self {
        start: 0,
        length: 0,
        number: 0,
        flags: 0,
        shape: Shape::Message,
        message: Message(0),
    };

    /// Returns the field's number in protobuf.
    #[must_use]
    pub fn number(self) -> u32 {
        u32::from(self.number)
    }

    /// Returns the field's name in JSON; empty if the field is [inlined](Self::is_inline).
    #[must_use]
    #[inline]
    pub fn name(self) -> &'static str {
        let label = Label {
            start: self.start,
            length: self.length,
        };
        label.text()
    }

    /// Returns the message of the field's values, if they are messages.
    #[must_use]
    pub fn message(self) -> Option<Message> {
        (self.shape == Shape::Message).then_some(self.message)
    }

    /// Reports whether the field is a list.
    #[must_use]
    pub fn is_repeated(self) -> bool {
        self.has(REPEATED)
    }

    /// Reports whether the field is a map, whose keys are strings.
    #[must_use]
    pub fn is_map(self) -> bool {
        self.has(MAP)
    }

    /// Reports whether the field is a list or a map.
    #[inline]
    pub(crate) fn is_many(self) -> bool {
        self.has(REPEATED | MAP)
    }

    /// Reports whether JSON has the members of the field's message in place of the field.
    #[must_use]
    pub fn is_inline(self) -> bool {
        self.has(INLINE)
    }

    /// Reports whether absent differs from empty: for a pointer, for bytes, or for a message that
    /// is a slice in Go.
    pub(crate) fn is_pointer(self) -> bool {
        self.has(POINTER)
    }

    /// Reports whether JSON has the field or its members even if it is absent.
    #[inline]
    pub(crate) fn is_expected(self) -> bool {
        self.is_inline() || !self.is_omitted()
    }

    /// Reports whether JSON omits the field if it is empty.
    pub(crate) fn is_omitted(self) -> bool {
        self.has(OMIT)
    }

    /// Reports whether a record of `wire_type` contains several numbers.
    pub(crate) fn is_packed(self, wire_type: WireType) -> bool {
        self.shape().is_number() && wire_type == WireType::Bytes
    }

    pub(crate) fn target(self) -> Message {
        self.message
    }

    pub(crate) fn shape(self) -> Shape {
        self.shape
    }

    fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Field")
            .field("number", &self.number())
            .field("name", &self.name())
            .field("shape", &self.shape())
            .finish_non_exhaustive()
    }
}

// === impl Label ===

impl Label {
    #[inline]
    fn text(self) -> &'static str {
        let start = usize::from(self.start);
        TEXT.get(start..start + usize::from(self.length))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
