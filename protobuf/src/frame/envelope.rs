//! The envelope of an object: `k8s\0` and `runtime.Unknown`.

use bytes::Bytes;

use crate::wire::{Malformed, Payload, Reader};

/// First bytes of every response and every watched object.
pub const PREFIX: [u8; 4] = *b"k8s\0";

/// Media type of objects and lists.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// Content type of watches.
pub const WATCH_MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// An object in its envelope, `runtime.Unknown`.
///
/// # Examples
///
/// ```
/// use informer_protobuf::Envelope;
///
/// let bytes = informer_protobuf::wrap("v1", "Pod", b"the pod");
/// let envelope = Envelope::parse(&bytes)?;
/// assert_eq!((envelope.api_version, envelope.kind), ("v1", "Pod"));
/// assert_eq!(envelope.raw, b"the pod");
/// # Ok::<(), informer_protobuf::Malformed>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope<'a> {
    /// The object's apiVersion.
    pub api_version: &'a str,
    /// The object's kind.
    pub kind: &'a str,
    /// The object's message.
    pub raw: &'a [u8],
    /// Additional encoding of `raw`; API servers leave it empty.
    pub content_encoding: &'a str,
    /// Content type of `raw`, if it is not protobuf; API servers leave it empty.
    pub content_type: &'a str,
}

// === impl Envelope ===

impl<'a> Envelope<'a> {
    /// Parses an envelope, including the prefix.
    ///
    /// # Errors
    ///
    /// The bytes are not an envelope.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let Some(unknown) = bytes.strip_prefix(&PREFIX) else {
            return Err(Malformed("the prefix k8s\\0"));
        };
        let mut envelope = Self {
            api_version: "",
            kind: "",
            raw: &[],
            content_encoding: "",
            content_type: "",
        };
        let mut raw = None;
        let mut reader = Reader::new(unknown);
        while let Some(record) = reader.record()? {
            match record {
                (1, Payload::Bytes(bytes)) => {
                    (envelope.api_version, envelope.kind) = type_meta(bytes)?;
                }
                (2, Payload::Bytes(bytes)) => raw = Some(bytes),
                (3, Payload::Bytes(bytes)) => envelope.content_encoding = text(bytes)?,
                (4, Payload::Bytes(bytes)) => envelope.content_type = text(bytes)?,
                (1..=4, _) => return Err(Malformed("an envelope")),
                _ => {}
            }
        }
        // Go writes the field even if it is empty; if it is missing, the bytes are truncated.
        envelope.raw = raw.ok_or(Malformed("an object in its envelope"))?;
        Ok(envelope)
    }

    /// `true` if `raw` is not the object's message, and so cannot be decoded.
    #[must_use]
    pub fn is_encoded(&self) -> bool {
        !self.content_encoding.is_empty() || !matches!(self.content_type, "" | super::MEDIA_TYPE)
    }

    /// Returns the object's message as a slice of `bytes`, from which the envelope was parsed; no
    /// byte is copied.
    #[must_use]
    pub fn raw_of(&self, bytes: &Bytes) -> Bytes {
        let start = (self.raw.as_ptr() as usize).wrapping_sub(bytes.as_ptr() as usize);
        match start.checked_add(self.raw.len()) {
            Some(end) if end <= bytes.len() => bytes.slice(start..end),
            // The envelope was parsed from other bytes.
            _ => Bytes::copy_from_slice(self.raw),
        }
    }
}

/// Parses a `runtime.TypeMeta`.
pub(super) fn type_meta(bytes: &[u8]) -> Result<(&str, &str), Malformed> {
    let mut api_version = "";
    let mut kind = "";
    let mut reader = Reader::new(bytes);
    while let Some(record) = reader.record()? {
        match record {
            (1, Payload::Bytes(bytes)) => api_version = text(bytes)?,
            (2, Payload::Bytes(bytes)) => kind = text(bytes)?,
            (1 | 2, _) => return Err(Malformed("an apiVersion and a kind")),
            _ => {}
        }
    }
    Ok((api_version, kind))
}

pub(super) fn text(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed("UTF-8"))
}
