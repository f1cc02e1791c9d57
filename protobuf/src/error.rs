//! [`Error`]: why bytes or values cannot be converted, and where.

use std::fmt;

use crate::wire::Malformed;

/// Why an object cannot be decoded or encoded, and where in the object.
///
/// The texts of [`ErrorKind::Data`] and [`ErrorKind::Json`] come from the type that was asked for
/// and may quote what was found: do not log them for Secrets. The other kinds quote nothing.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    /// From the innermost segment to the outermost.
    path: Vec<Segment>,
}

/// Why an object cannot be decoded or encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are no protobuf, or not of the message that they should be.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Valid, but not as Kubernetes writes it: fields out of order or twice, packed lists.
    /// [Ask for JSON](Error::is_unusual).
    #[error("protobuf in an unusual form: {0}")]
    Unusual(&'static str),
    /// The tables have no such kind; custom resources have no protobuf.
    #[error("no protobuf message is known for {kind} of {api_version}")]
    UnknownKind {
        /// The apiVersion, as in `apps/v1`.
        api_version: String,
        /// The kind.
        kind: String,
    },
    /// Deeper than 128 levels.
    #[error("deeper than 128 levels")]
    TooDeep,
    /// The envelope says that its content is encoded once more, which no API server does.
    #[error("the envelope's content is encoded or of another content type")]
    Encoded,
    /// A JSON text inside the object (a `RawExtension`, `FieldsV1` or schema default) is none.
    #[error("JSON inside the object: {0}")]
    Json(String),
    /// The value is not what the type, or the message, wants.
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
        Self(Box::new(Inner {
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

    /// Adds the step that leads to where the error is.
    #[cold]
    pub(crate) fn enter(&mut self, segment: Segment) {
        self.0.path.push(segment);
    }

    /// The same, as a value.
    #[must_use]
    pub(crate) fn inside(mut self, segment: Segment) -> Self {
        self.enter(segment);
        self
    }

    /// Why.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where in the object, as in `spec.containers[0].ports`; `.` for the object itself.
    ///
    /// Keys of maps are part of it.
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

    /// Whether the bytes may be right all the same: the same object in JSON can be read.
    ///
    /// Kubernetes writes fields in the order of their numbers, and that is what is read here. A
    /// server that does otherwise, or a kind that the tables do not know, is answered by asking
    /// for JSON.
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
