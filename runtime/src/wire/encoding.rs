//! [`Encoding`]: how bodies and objects are spelt.

/// How a body, and each object of it, is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// `application/json`.
    #[default]
    Json,
}

// === impl Encoding ===

impl Encoding {
    /// The encoding that a `Content-Type` names; `None` if it is none that can be read.
    ///
    /// Parameters do not matter: `application/json;stream=watch` is JSON.
    #[must_use]
    pub fn from_content_type(content_type: &str) -> Option<Self> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        media_type
            .eq_ignore_ascii_case(Self::Json.media_type())
            .then_some(Self::Json)
    }

    /// The media type to ask for.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
        }
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
        for other in ["text/html", "", "application/jsonx", "application/cbor"] {
            assert_eq!(Encoding::from_content_type(other), None);
        }
    }
}
