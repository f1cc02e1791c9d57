//! Reads an object's header without decoding the object.

use std::borrow::Cow;

use super::envelope::text;
use crate::error::{Error, ErrorKind};
use crate::wire::{Malformed, Payload, Reader, lossy_text};

/// Parts of an object's `ObjectMeta` that are read without decoding the object.
///
/// As in Go, missing values are empty. Labels, annotations and owner references are read as they
/// are decoded: bytes that are not UTF-8 become U+FFFD.
///
/// # Examples
///
/// ```
/// use informer_protobuf::{Envelope, Header};
///
/// let bytes = informer_protobuf::to_vec(&serde_json::json!({
///     "apiVersion": "v1", "kind": "Pod",
///     "metadata": {"namespace": "a", "name": "b", "labels": {"app": "web"}},
/// }))?;
/// let header = Header::read(Envelope::parse(&bytes)?.raw)?;
/// assert_eq!((header.namespace, header.name), ("a", "b"));
/// assert_eq!(header.labels.get("app").as_deref(), Some("web"));
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header<'a> {
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.resourceVersion`.
    pub resource_version: &'a str,
    /// `metadata.labels`.
    pub labels: Entries<'a>,
    /// `metadata.annotations`.
    pub annotations: Entries<'a>,
    /// `metadata.ownerReferences`.
    pub owner_references: OwnerReferences<'a>,
    /// `true` if the object has `metadata.managedFields`.
    pub has_managed_fields: bool,
}

/// A map of strings, parsed at each access.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entries<'a>(Records<'a>);

/// `metadata.ownerReferences`, parsed at each access.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnerReferences<'a>(Records<'a>);

/// Contiguous records of one field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Records<'a> {
    /// Bytes from the first record on, possibly including bytes after the last one.
    bytes: &'a [u8],
    number: u32,
}

/// One of `metadata.ownerReferences`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerReference<'a> {
    /// `kind`.
    pub kind: Cow<'a, str>,
    /// `name`.
    pub name: Cow<'a, str>,
    /// `uid`.
    pub uid: Cow<'a, str>,
    /// `apiVersion`.
    pub api_version: Cow<'a, str>,
    /// `controller`.
    pub controller: Option<bool>,
    /// `blockOwnerDeletion`.
    pub block_owner_deletion: Option<bool>,
}

// === impl Header ===

impl<'a> Header<'a> {
    /// Reads the header of an object from its message, such as [`Envelope::raw`] or an item of a
    /// list. Objects of all kinds have the metadata at the same position.
    ///
    /// [`Envelope::raw`]: super::Envelope::raw
    ///
    /// # Errors
    ///
    /// The bytes are not an object. If [`is_unusual`](Error::is_unusual), request JSON.
    pub fn read(object: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(object);
        match reader.record()? {
            Some((1, Payload::Bytes(metadata))) => Self::of_metadata(metadata),
            // An object without metadata cannot be cached.
            _ => Err(Malformed("an object's metadata").into()),
        }
    }

    fn of_metadata(metadata: &'a [u8]) -> Result<Self, Error> {
        let mut header = Self::default();
        let mut reader = Reader::new(metadata);
        let mut last = 0;
        loop {
            let here = reader.rest();
            let Some((number, payload)) = reader.record()? else {
                return Ok(header);
            };
            if number < last {
                return Err(Error::new(ErrorKind::Unusual("fields out of order")));
            }
            last = number;
            let Payload::Bytes(bytes) = payload else {
                if matches!(number, 1 | 3 | 5 | 6 | 11 | 12 | 13 | 17) {
                    return Err(Malformed("an object's metadata").into());
                }
                continue;
            };
            match number {
                1 => header.name = text(bytes)?,
                3 => header.namespace = text(bytes)?,
                5 => header.uid = text(bytes)?,
                6 => header.resource_version = text(bytes)?,
                11 => header.labels.0.start(number, here),
                12 => header.annotations.0.start(number, here),
                13 => header.owner_references.0.start(number, here),
                17 => {
                    // The last field, and often half of the object; its content is not needed.
                    header.has_managed_fields = true;
                    return Ok(header);
                }
                _ => {}
            }
        }
    }
}

// === impl Entries ===

impl<'a> Entries<'a> {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Cow<'a, str>> {
        let (_, value) = self.iter().find(|(name, _)| *name == key)?;
        Some(value)
    }

    /// Returns keys and values, in the order of the bytes: Kubernetes sorts by key. Ends at a
    /// malformed entry.
    pub fn iter(self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        self.0.iter().map_while(|entry| entry_of(entry).ok())
    }

    /// Reports whether the map is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.bytes.is_empty()
    }
}

// === impl OwnerReferences ===

impl<'a> OwnerReferences<'a> {
    /// Returns the first controller reference; `None` if there is none before a malformed
    /// reference.
    #[must_use]
    pub fn controller(self) -> Option<OwnerReference<'a>> {
        for record in self.0.iter() {
            let owner = OwnerReference::read(record).ok()?;
            if owner.controller == Some(true) {
                return Some(owner);
            }
        }
        None
    }
}

// === impl Records ===

impl<'a> Records<'a> {
    /// Sets the first record of `number`, which starts at `here`.
    fn start(&mut self, number: u32, here: &'a [u8]) {
        if self.bytes.is_empty() {
            *self = Self {
                bytes: here,
                number,
            };
        }
    }

    fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        let mut reader = Reader::new(self.bytes);
        std::iter::from_fn(move || match reader.record() {
            Ok(Some((number, Payload::Bytes(bytes)))) if number == self.number => Some(bytes),
            _ => None,
        })
    }
}

fn entry_of(entry: &[u8]) -> Result<(Cow<'_, str>, Cow<'_, str>), Malformed> {
    if let Some((key, value)) = short_entry_of(entry) {
        return Ok((Cow::Borrowed(key), Cow::Borrowed(value)));
    }
    let mut key = Cow::Borrowed("");
    let mut value = Cow::Borrowed("");
    let mut reader = Reader::new(entry);
    while let Some(record) = reader.record()? {
        match record {
            (1, Payload::Bytes(bytes)) => key = lossy_text(bytes),
            (2, Payload::Bytes(bytes)) => value = lossy_text(bytes),
            _ => return Err(Malformed("a key and a value")),
        }
    }
    Ok((key, value))
}

/// Parses an entry of two short strings, the most frequent case: its tags and lengths are then
/// ASCII, and one UTF-8 check covers the whole entry.
fn short_entry_of(entry: &[u8]) -> Option<(&str, &str)> {
    let [0x0a, key_length @ ..0x80, rest @ ..] = entry else {
        return None;
    };
    let text = str::from_utf8(rest).ok()?;
    let (key, value_record) = text.split_at_checked(usize::from(*key_length))?;
    let [0x12, value_length @ ..0x80, ..] = value_record.as_bytes() else {
        return None;
    };
    let value = value_record.get(2..)?;
    let is_whole = value.len() == usize::from(*value_length);
    is_whole.then_some((key, value))
}

// === impl OwnerReference ===

impl<'a> OwnerReference<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut owner = Self::default();
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.record()? {
            match record {
                (1, Payload::Bytes(bytes)) => owner.kind = lossy_text(bytes),
                (3, Payload::Bytes(bytes)) => owner.name = lossy_text(bytes),
                (4, Payload::Bytes(bytes)) => owner.uid = lossy_text(bytes),
                (5, Payload::Bytes(bytes)) => owner.api_version = lossy_text(bytes),
                (6, Payload::Varint(number)) => owner.controller = Some(number != 0),
                (7, Payload::Varint(number)) => owner.block_owner_deletion = Some(number != 0),
                (1 | 3..=7, _) => return Err(Malformed("an owner reference")),
                _ => {}
            }
        }
        Ok(owner)
    }
}
