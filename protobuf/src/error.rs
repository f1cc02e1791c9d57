//! [`Error`]: reason and position of a failed conversion.

use std::fmt;

use crate::wire::Malformed;

/// Error of an object that cannot be decoded or encoded, with the position in the object.
///
/// The messages of [`ErrorKind::Data`] and [`ErrorKind::Json`] come from the requested type and may
/// quote the value: do not log them for Secrets. The other kinds quote nothing.
#[derive(Debug)]
pub struct Error(Box<ErrorInner>);

#[derive(Debug)]
struct ErrorInner {
    kind: ErrorKind,
    /// From the innermost segment to the outermost.
    path: Vec<Segment>,
}

/// Reason why an object cannot be decoded or encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are not protobuf, or not the expected message.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The bytes are valid, but not in Kubernetes' form: fields out of order or duplicate, packed
    /// lists. [Request JSON](Error::is_unusual).
    #[error("protobuf in an unusual form: {0}")]
    Unusual(&'static str),
    /// The tables lack the kind; custom resources have no protobuf encoding.
    #[error("no protobuf message is known for {kind} of {api_version}")]
    UnknownKind {
        /// The apiVersion, such as `apps/v1`.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// The object has more than 128 levels.
    #[error("deeper than 128 levels")]
    TooDeep,
    /// The envelope's content has a further encoding, which no API server uses.
    #[error("the envelope's content is encoded or of another content type")]
    Encoded,
    /// A JSON text inside the object (a `RawExtension`, `FieldsV1` or schema default) is malformed.
    #[error("JSON inside the object: {0}")]
    Json(String),
    /// The value is not of the type, or of the message's form.
    #[error("{0}")]
    Data(String),
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Field(&'static str),
    Key(String),
    Index(usize),
}

impl From<&'static str> for Segment {
    fn from(name: &'static str) -> Self {
        Self::Field(name)
    }
}

// === impl Error ===

impl Error {
    pub(crate) fn new(kind: impl Into<ErrorKind>) -> Self {
        Self(Box::new(ErrorInner {
            kind: kind.into(),
            path: Vec::new(),
        }))
    }

    pub(crate) fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data(message.into()))
    }

    pub(crate) fn unknown_kind(api_version: &str, kind: &str) -> Self {
        Self::new(ErrorKind::UnknownKind {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        })
    }

    /// Returns the error with an enclosing step added to its path.
    #[cold]
    #[must_use]
    pub(crate) fn inside(mut self, segment: Segment) -> Self {
        self.0.path.push(segment);
        self
    }

    /// Returns the reason.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the position in the object, such as `spec.containers[0].ports`; `.` for the object
    /// itself.
    ///
    /// The path contains the keys of maps.
    #[must_use]
    pub fn path(&self) -> String {
        let mut out = String::new();
        for segment in self.0.path.iter().rev() {
            let dot = if out.is_empty() { "" } else { "." };
            match segment {
                Segment::Field(name) => out.extend([dot, *name]),
                Segment::Key(name) => out.extend([dot, name.as_str()]),
                Segment::Index(index) => out.extend(["[", &index.to_string(), "]"]),
            }
        }
        if out.is_empty() {
            out.push('.');
        }
        out
    }

    /// Reports whether the bytes may be valid nevertheless, so that the same object can be read as
    /// JSON.
    ///
    /// Kubernetes writes fields in the order of their numbers, and this crate reads no other order.
    /// For a server with another order, or for a kind that the tables lack, request JSON.
    #[must_use]
    pub fn is_unusual(&self) -> bool {
        matches!(
            self.0.kind,
            ErrorKind::Unusual(_) | ErrorKind::UnknownKind { .. } | ErrorKind::Encoded
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path(), self.0.kind)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::data(message.to_string())
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Self::new(malformed)
    }
}
