//! Descriptions of Kubernetes' messages.
//!
//! The Go program in `tables/` of the repository generates the files of this folder by reflection
//! over the API types; `.proto` files lack JSON's names, inlined messages, pointers and `omitempty`.
//! A message is a range of `FIELDS`, sorted by number. An entry of each array packs small numbers:
//!
//! | bytes | `FIELDS` | `KINDS` | `API_VERSIONS` |
//! |---|---|---|---|
//! | 0, 1–2 | name: length, offset in `NAMES` | the same | the same |
//! | 3–4 | message of the values | message | first of `KINDS` |
//! | 5, 6, 7 | flags, shape, number | | |

use crate::wire::WireType;

type Entry = [u8; 8];

/// Messages of `ObjectMeta` and of `JSONSchemaProps`, and the first of `FIELDS` of each message.
static MESSAGES: &[[u8; 2]] = include_bytes!("tables/messages.bin").as_chunks().0;
static FIELDS: &[Entry] = include_bytes!("tables/fields.bin").as_chunks().0;
static KINDS: &[Entry] = include_bytes!("tables/kinds.bin").as_chunks().0;
static API_VERSIONS: &[Entry] = include_bytes!("tables/api_versions.bin").as_chunks().0;
static NAMES: &str = include_str!("tables/names.txt");

/// Number of entries of `MESSAGES` before those of the messages.
const NAMED: usize = 2;

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
pub struct Field(Entry);

/// Fields of a message, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries(std::slice::Iter<'static, Entry>);

/// Shape of one value of a field. The numbers are those of `tables/model.go`.
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
    pub const OBJECT_META: Self = Self(named(0));

    pub(crate) const JSON_SCHEMA_PROPS: Self = Self(named(1));

    /// Returns the message of a kind; `None` if it has none, such as a custom resource.
    ///
    /// Lists are kinds, too, and so are `Status`, `WatchEvent` and options of `v1`, and
    /// `PartialObjectMetadata` and its list in `meta.k8s.io/v1`.
    #[must_use]
    pub fn of(api_version: &str, kind: &str) -> Option<Self> {
        // The last entry is the end of `KINDS`.
        let (_, versions) = API_VERSIONS.split_last()?;
        let at = versions
            .binary_search_by(|&entry| name(entry).cmp(api_version))
            .ok()?;
        let first = usize::from(middle(*API_VERSIONS.get(at)?));
        let end = usize::from(middle(*API_VERSIONS.get(at + 1)?));
        let kinds = KINDS.get(first..end)?;
        let at = kinds
            .binary_search_by(|&entry| name(entry).cmp(kind))
            .ok()?;
        kinds.get(at).map(|&entry| Self(middle(entry)))
    }

    /// Returns all kinds: apiVersion, kind and message.
    pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        let versions = API_VERSIONS.iter().zip(API_VERSIONS.iter().skip(1));
        versions.flat_map(|(&version, &next)| {
            let range = usize::from(middle(version))..usize::from(middle(next));
            let kinds = KINDS.get(range).unwrap_or_default();
            kinds
                .iter()
                .map(move |&kind| (name(version), name(kind), Self(middle(kind))))
        })
    }

    /// Returns the message's fields by their numbers.
    #[must_use]
    pub fn fields(self) -> impl ExactSizeIterator<Item = Field> {
        self.entries().0.map(|&field| Field(field))
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
    pub(crate) fn entries(self) -> Entries {
        let at = usize::from(self.0);
        let bound = |at| {
            let bound = MESSAGES.get(NAMED + at).copied();
            bound.map_or(0, |bound| usize::from(u16::from_le_bytes(bound)))
        };
        let fields = FIELDS.get(bound(at)..bound(at + 1));
        Entries(fields.unwrap_or_default().iter())
    }
}

// === impl Entries ===

impl Entries {
    /// Returns the next field.
    #[inline]
    pub(crate) fn peek(&self) -> Option<Field> {
        self.0.as_slice().first().map(|&field| Field(field))
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
    /// Returns the field's number in protobuf.
    #[must_use]
    pub fn number(self) -> u32 {
        u32::from(self.0[7])
    }

    /// Returns the field's name in JSON; empty if the field is [inlined](Self::is_inline).
    #[must_use]
    #[inline]
    pub fn name(self) -> &'static str {
        name(self.0)
    }

    /// Returns the message of the field's values, if they are messages.
    #[must_use]
    pub fn message(self) -> Option<Message> {
        (self.shape() == Shape::Message).then(|| self.target())
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
        Message(middle(self.0))
    }

    pub(crate) fn shape(self) -> Shape {
        match self.0[6] {
            0 => Shape::Message,
            1 => Shape::String,
            2 => Shape::Bool,
            3 => Shape::Int32,
            4 => Shape::Int64,
            5 => Shape::Double,
            6 => Shape::Bytes,
            7 => Shape::Time,
            8 => Shape::MicroTime,
            9 => Shape::Quantity,
            10 => Shape::IntOrString,
            11 => Shape::Json,
            12 => Shape::RawExtension,
            13 => Shape::Items,
            14 => Shape::SchemaOrArray,
            15 => Shape::SchemaOrBool,
            _ => Shape::SchemaOrStrings,
        }
    }

    fn has(self, flag: u8) -> bool {
        self.0[5] & flag != 0
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

/// Returns a message that `MESSAGES` names.
const fn named(at: usize) -> u16 {
    match MESSAGES.split_at(at).1.first() {
        Some(message) => u16::from_le_bytes(*message),
        None => 0,
    }
}

/// Returns bytes 3 and 4.
fn middle([_, _, _, low, high, ..]: Entry) -> u16 {
    u16::from_le_bytes([low, high])
}

#[inline]
fn name([length, low, high, ..]: Entry) -> &'static str {
    let start = usize::from(u16::from_le_bytes([low, high]));
    NAMES
        .get(start..start + usize::from(length))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
