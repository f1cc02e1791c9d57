//! [`Encoding`]: JSON or protobuf.

use std::fmt;

/// Encoding of a body and of its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// `application/json`.
    #[default]
    Json,
    /// `application/vnd.kubernetes.protobuf`, which servers support for built-in kinds, and for the
    /// metadata of all kinds.
    Protobuf,
}

// === impl Encoding ===

impl Encoding {
    /// Returns the encoding of a `Content-Type`; `None` if it is not supported.
    ///
    /// Ignores parameters: `application/json;stream=watch` is JSON.
    #[must_use]
    pub fn from_content_type(content_type: &str) -> Option<Self> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        [Self::Json, Self::Protobuf]
            .into_iter()
            .find(|encoding| media_type.eq_ignore_ascii_case(encoding.media_type()))
    }

    /// Returns the media type to request.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::MEDIA_TYPE,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Json => "json",
            Self::Protobuf => "protobuf",
        })
    }
}

#[cfg(test)]
mod tests;
