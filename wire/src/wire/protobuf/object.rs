//! Turns the message of an object into a [`RawObject`]: reads the header, checks the type, and cuts
//! unwanted bytes.

use bytes::Bytes;
use informer_protobuf::{BadFrame, Envelope};

use super::cut::{Shorter, shorten};
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::wire::drop_fields::DropFields;
use crate::wire::kind::Kind;
use crate::wire::split::{SplitError, SplitOptions, SplitStats};
use crate::wire::{Header, RawEncoding, RawObject, Rejected, text};

/// Maximum length of a quoted foreign kind or apiVersion, in bytes.
const MAX_TYPE: usize = 64;

/// Reason for rejecting an envelope whose `contentEncoding` is set.
pub(super) const ENCODED: &str = "an envelope with encoded content";

/// Creates raw objects and counts the work.
#[derive(Debug)]
pub(super) struct ObjectReader {
    pub(super) options: SplitOptions,
    /// All fields to cut.
    cut: Option<DropFields>,
    pub(super) stats: SplitStats,
}

/// Reason for not accepting an object.
#[derive(Debug)]
pub(in crate::wire) enum Refusal {
    /// Only this object is rejected.
    Rejected(Rejected),
    /// The whole body should be requested in JSON.
    Unusual(String),
}

// === impl ObjectReader ===

impl ObjectReader {
    pub(super) fn new(options: &SplitOptions) -> Self {
        let fields = options.drop_fields.clone();
        let cut = if options.keep_managed_fields {
            fields
        } else {
            Some(fields.unwrap_or_default().with_managed_fields())
        };
        Self {
            options: options.clone(),
            cut,
            stats: SplitStats::default(),
        }
    }

    /// Reads one object of `kind`. `is_joined` is `true` if the object was already copied.
    pub(super) fn read(
        &mut self,
        kind: &'static Kind,
        object: &Bytes,
        is_joined: bool,
    ) -> Result<RawObject, Refusal> {
        self.stats.copies += u64::from(is_joined);
        let header = read_header(object)?;
        let limit = self.options.max_object_bytes;
        if object.len() > limit {
            let spelling = RawEncoding::Protobuf(kind);
            return Ok(RawObject::oversize(header, spelling, limit));
        }
        let shorter = match &self.cut {
            Some(fields) => shorten(kind, object, fields),
            None => Shorter::Same,
        };
        if !is_joined && !matches!(shorter, Shorter::Same) {
            self.stats.copies += 1;
        }
        let (spelling, bytes) = match shorter {
            Shorter::Same => (RawEncoding::Protobuf(kind), object.clone()),
            Shorter::Protobuf(bytes) => (RawEncoding::Protobuf(kind), bytes),
            Shorter::Json(bytes) => (RawEncoding::Json, bytes),
        };
        let dropped = self.options.drop_fields.clone();
        Ok(RawObject::new(header, spelling, bytes).with_dropped(dropped))
    }

    /// Returns the reason if the type is not the expected one.
    pub(super) fn wrong_type(&self, api_version: &str, kind: &str) -> Option<String> {
        let expected = self.options.expected_type.as_ref()?;
        let fits = kind == expected.kind && api_version == expected.api_version;
        (!fits).then(|| {
            format!(
                "it is a {} of {}, not a {} of {}",
                text::printable(kind, MAX_TYPE),
                text::printable(api_version, MAX_TYPE),
                expected.kind,
                expected.api_version,
            )
        })
    }

    /// Returns the refusal of an item or event that the splitter rejected. The header of an
    /// oversize object is not available here. A relist would then delete the object, so the body is
    /// requested in JSON, which keeps the header.
    pub(super) fn bad(&self, bad: &BadFrame) -> Refusal {
        if matches!(bad, BadFrame::TooLarge { .. }) {
            let limit = self.options.max_object_bytes;
            return Refusal::Unusual(format!("an object larger than {limit} bytes"));
        }
        Refusal::Rejected(Rejected::without_key(bad.to_string()))
    }
}

/// Returns the kind of this name.
pub(super) fn known(api_version: &str, kind: &str) -> Result<&'static Kind, Refusal> {
    Kind::of(api_version, kind).ok_or_else(|| {
        Refusal::Unusual(format!(
            "unknown kind {} of {}",
            text::printable(kind, MAX_TYPE),
            text::printable(api_version, MAX_TYPE),
        ))
    })
}

/// Opens an envelope and returns its object.
pub(in crate::wire) fn open(bytes: &Bytes) -> Result<RawObject, Refusal> {
    let envelope = Envelope::parse(bytes).map_err(informer_protobuf::Error::from)?;
    if envelope.is_encoded() {
        return Err(Refusal::Unusual(ENCODED.to_owned()));
    }
    let kind = known(envelope.api_version, envelope.kind)?;
    let raw = envelope.raw_of(bytes);
    let header = read_header(&raw)?;
    Ok(RawObject::new(header, RawEncoding::Protobuf(kind), raw))
}

/// Reads the header of an object's message.
///
/// # Errors
///
/// Fails if the header is unreadable.
pub(in crate::wire) fn read_header(object: &[u8]) -> Result<Header, Refusal> {
    header_of(&informer_protobuf::Header::read(object)?)
}

/// Converts the header.
fn header_of(header: &informer_protobuf::Header<'_>) -> Result<Header, Refusal> {
    if header.name.is_empty() {
        let rejected = Rejected::without_key("metadata.name is missing");
        return Err(Refusal::Rejected(rejected));
    }
    let namespace = Some(header.namespace).filter(|namespace| !namespace.is_empty());
    let uid = Some(header.uid).filter(|uid| !uid.is_empty());
    Ok(Header {
        key: ObjectKey::new(namespace, header.name),
        uid: uid.map(Uid::new),
        resource_version: ResourceVersion::new(header.resource_version),
    })
}

// === impl Refusal ===

impl Refusal {
    /// Returns the rejection of one object, or else the error of the whole body.
    pub(super) fn rejected(self) -> Result<Rejected, SplitError> {
        match self {
            Self::Rejected(rejected) => Ok(rejected),
            Self::Unusual(reason) => Err(SplitError::Unusual(reason)),
        }
    }
}

/// The messages of these errors quote nothing of the object.
impl From<informer_protobuf::Error> for Refusal {
    fn from(error: informer_protobuf::Error) -> Self {
        if error.is_unusual() {
            Self::Unusual(error.kind().to_string())
        } else {
            Self::Rejected(Rejected::without_key(error.kind().to_string()))
        }
    }
}
