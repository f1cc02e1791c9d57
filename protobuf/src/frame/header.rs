//! Reads an object's header without decoding the object.

use super::envelope::text;
use crate::error::{Error, ErrorKind};
use crate::wire::{Malformed, Payload, Reader};

/// What is known of an object without decoding it: parts of its `ObjectMeta`.
///
/// What is not there is empty, as in Go.
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
/// assert_eq!(header.labels.get("app"), Some("web"));
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
    /// The first one of `metadata.ownerReferences` with `controller: true`.
    pub controller: Option<OwnerReference<'a>>,
    /// Whether there are `metadata.managedFields`.
    pub has_managed_fields: bool,
}

/// A map of texts, read when it is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entries<'a> {
    /// Entries, with what stands between them; each was read once.
    bytes: &'a [u8],
    number: u32,
}

/// One of `metadata.ownerReferences`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerReference<'a> {
    /// `kind`.
    pub kind: &'a str,
    /// `name`.
    pub name: &'a str,
    /// `uid`.
    pub uid: &'a str,
    /// `apiVersion`.
    pub api_version: &'a str,
}

// === impl Header ===

impl<'a> Header<'a> {
    /// Reads the header of an object whose message this is; [`Envelope::raw`] is one, and so are
    /// the items of a list. All kinds of objects have theirs at the same place.
    ///
    /// [`Envelope::raw`]: super::Envelope::raw
    ///
    /// # Errors
    ///
    /// The bytes are no object. Where [`is_unusual`](Error::is_unusual), JSON can be asked for.
    pub fn read(object: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(object);
        match reader.record()? {
            Some((1, Payload::Bytes(metadata))) => Self::of_metadata(metadata),
            // Objects without metadata are none that are kept.
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
                match number {
                    1 | 3 | 5 | 6 | 11 | 12 | 13 | 17 => {
                        return Err(Malformed("an object's metadata").into());
                    }
                    _ => continue,
                }
            };
            match number {
                1 => header.name = text(bytes)?,
                3 => header.namespace = text(bytes)?,
                5 => header.uid = text(bytes)?,
                6 => header.resource_version = text(bytes)?,
                11 => header.labels.add(number, here, bytes)?,
                12 => header.annotations.add(number, here, bytes)?,
                13 if header.controller.is_none() => {
                    header.controller = OwnerReference::controller(bytes)?;
                }
                17 => {
                    // The last field, and half of the object: nothing of it is needed.
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
    /// The value of a key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<&'a str> {
        let mut found = self.iter().filter(|(name, _)| *name == key);
        found.next().map(|(_, value)| value)
    }

    /// Keys and values, in the order of the bytes: Kubernetes sorts by key.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut reader = Reader::new(self.bytes);
        std::iter::from_fn(move || match reader.record() {
            Ok(Some((number, Payload::Bytes(entry)))) if number == self.number => {
                entry_of(entry).ok()
            }
            _ => None,
        })
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds an entry that starts at `here`.
    fn add(&mut self, number: u32, here: &'a [u8], entry: &'a [u8]) -> Result<(), Malformed> {
        entry_of(entry)?;
        if self.bytes.is_empty() {
            *self = Self {
                bytes: here,
                number,
            };
        }
        Ok(())
    }
}

fn entry_of(entry: &[u8]) -> Result<(&str, &str), Malformed> {
    let (mut key, mut value) = ("", "");
    let mut reader = Reader::new(entry);
    while let Some(record) = reader.record()? {
        match record {
            (1, Payload::Bytes(bytes)) => key = text(bytes)?,
            (2, Payload::Bytes(bytes)) => value = text(bytes)?,
            _ => return Err(Malformed("a key and a value")),
        }
    }
    Ok((key, value))
}

// === impl OwnerReference ===

impl<'a> OwnerReference<'a> {
    /// The reference that these bytes are, if it is the controller's.
    fn controller(bytes: &'a [u8]) -> Result<Option<Self>, Malformed> {
        let mut owner = Self::default();
        let mut is_controller = false;
        let mut reader = Reader::new(bytes);
        while let Some(record) = reader.record()? {
            match record {
                (1, Payload::Bytes(bytes)) => owner.kind = text(bytes)?,
                (3, Payload::Bytes(bytes)) => owner.name = text(bytes)?,
                (4, Payload::Bytes(bytes)) => owner.uid = text(bytes)?,
                (5, Payload::Bytes(bytes)) => owner.api_version = text(bytes)?,
                (6, Payload::Varint(number)) => is_controller = number != 0,
                (1 | 3..=6, _) => return Err(Malformed("an owner reference")),
                _ => {}
            }
        }
        Ok(is_controller.then_some(owner))
    }
}
