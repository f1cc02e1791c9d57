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
mod tests {
    use super::*;

    #[test]
    fn the_content_type_names_the_encoding() {
        for json in [
            "application/json",
            "Application/JSON ; charset=utf-8",
            "application/json;stream=watch",
        ] {
            assert_eq!(Encoding::from_content_type(json), Some(Encoding::Json));
        }
        for protobuf in [
            "application/vnd.kubernetes.protobuf",
            "application/vnd.kubernetes.protobuf;stream=watch",
        ] {
            let encoding = Encoding::from_content_type(protobuf);
            assert_eq!(encoding, Some(Encoding::Protobuf));
        }
        for other in ["text/html", "", "application/jsonx", "application/cbor"] {
            assert_eq!(Encoding::from_content_type(other), None);
        }
    }
}
