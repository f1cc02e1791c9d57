//! Content negotiation: which form of an answer the `Accept` header asks for.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use informer_protobuf::MEDIA_TYPE as PROTOBUF;

use crate::status::ApiError;

/// The media type of aggregated discovery.
pub(crate) const AGGREGATED_DISCOVERY: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Media type of `/openapi/v2` in protobuf.
#[cfg(feature = "openapi")]
pub(crate) const OPEN_API_PROTOBUF: &str =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Deprecated name of [`OPEN_API_PROTOBUF`], which client-go sends.
#[cfg(feature = "openapi")]
const OPEN_API_PROTOBUF_DEPRECATED: &str =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// The forms in which objects and lists are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Whole objects.
    Full,
    /// `PartialObjectMetadata`: metadata alone, of one object.
    Metadata,
    /// `PartialObjectMetadataList`: metadata alone, of a list.
    MetadataList,
    /// `Table`: what `kubectl get` prints.
    Table,
}

/// The encodings in which they are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    /// `application/vnd.kubernetes.protobuf`.
    Protobuf,
}

/// Picks the best form in `Accept` that is served, and its encoding.
///
/// Metadata is served in both encodings, tables in JSON, and whole objects in protobuf only where
/// `in_protobuf`: custom resources have none. YAML and CBOR are passed over.
pub(crate) fn form(headers: &HeaderMap, in_protobuf: bool) -> Result<(Form, Encoding), ApiError> {
    best(headers, |range| {
        let encoding = range.encoding?;
        let is_json = encoding == Encoding::Json;
        let meta = range.group == "meta.k8s.io" && range.version == "v1";
        let form = match range.kind {
            _ if !range.is_stream_known() => None,
            "" => (range.is_plain() && (is_json || in_protobuf)).then_some(Form::Full),
            "PartialObjectMetadata" => meta.then_some(Form::Metadata),
            "PartialObjectMetadataList" => meta.then_some(Form::MetadataList),
            "Table" => (meta && is_json).then_some(Form::Table),
            _ => None,
        }?;
        Some((form, encoding))
    })
    .ok_or_else(|| ApiError::not_acceptable(&format!("application/json, {PROTOBUF}")))
}

/// The encoding of an answer that has one form: a `Status` above all.
///
/// As in the real server, one who takes neither gets JSON, and what is asked for in another form
/// does not count: beside metadata in protobuf, refusals are in JSON.
pub(crate) fn encoding(headers: &HeaderMap) -> Encoding {
    best(headers, |range| {
        let known = range.is_plain() && range.is_stream_known();
        range.encoding.filter(|_| known)
    })
    .unwrap_or(Encoding::Json)
}

/// Whether discovery is wanted in its aggregated form.
pub(crate) fn aggregated_discovery(headers: &HeaderMap) -> bool {
    best(headers, |range| {
        let aggregated = range.kind == "APIGroupDiscoveryList"
            && range.group == "apidiscovery.k8s.io"
            && range.version == "v2";
        match range.kind {
            _ if range.encoding != Some(Encoding::Json) => None,
            "" => Some(false),
            _ => aggregated.then_some(true),
        }
    })
    .unwrap_or(false)
}

/// Picks the encoding of `/openapi/v2`. Returns `None` if neither JSON nor protobuf is acceptable.
#[cfg(feature = "openapi")]
pub(crate) fn open_api_2(headers: &HeaderMap) -> Option<Encoding> {
    best(headers, |range| match range.media_type {
        OPEN_API_PROTOBUF | OPEN_API_PROTOBUF_DEPRECATED => Some(Encoding::Protobuf),
        _ => range
            .encoding
            .filter(|encoding| *encoding == Encoding::Json),
    })
}

// === impl Encoding ===

impl Encoding {
    /// The content type of objects and lists.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => PROTOBUF,
        }
    }

    /// The content type of watches.
    pub(crate) fn watch_media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::WATCH_MEDIA_TYPE,
        }
    }

    /// What an answer with these headers is written in.
    pub(crate) fn of_answer(headers: &HeaderMap) -> Self {
        let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        if content_type.is_some_and(|value| value.starts_with(PROTOBUF.as_bytes())) {
            Self::Protobuf
        } else {
            Self::Json
        }
    }
}

/// One alternative of an `Accept` header.
#[derive(Debug)]
struct Range<'a> {
    /// `application/json`, `*/*`
    media_type: &'a str,
    /// Of the media types that it names, the one that the server likes best.
    encoding: Option<Encoding>,
    quality: f32,
    kind: &'a str,
    group: &'a str,
    version: &'a str,
    stream: &'a str,
}

// === impl Range ===

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let mut range = Self {
            media_type,
            encoding: match media_type {
                "application/json" | "application/*" | "*/*" | "*" => Some(Encoding::Json),
                PROTOBUF => Some(Encoding::Protobuf),
                _ => None,
            },
            quality: 1.0,
            kind: "",
            group: "",
            version: "",
            stream: "",
        };
        for (name, value) in parts.filter_map(|parameter| parameter.split_once('=')) {
            match name.trim() {
                "as" => range.kind = value.trim(),
                "g" => range.group = value.trim(),
                "v" => range.version = value.trim(),
                "stream" => range.stream = value.trim(),
                // What is no number is the least.
                "q" => range.quality = value.parse().unwrap_or(0.0),
                _ => {}
            }
        }
        range
    }

    /// Whether it asks for things as they are.
    fn is_plain(&self) -> bool {
        self.kind.is_empty() && self.group.is_empty() && self.version.is_empty()
    }

    fn is_stream_known(&self) -> bool {
        matches!(self.stream, "" | "watch")
    }

    fn is_any(&self) -> bool {
        matches!(self.media_type.split('/').next(), Some("*"))
    }

    fn has_wildcard(&self) -> bool {
        let subtype = self.media_type.split_once('/').map(|(_, subtype)| subtype);
        subtype.is_none_or(|subtype| subtype == "*")
    }

    /// The real server's order, which is none: a wildcard after what has none, whatever their
    /// qualities. A quality of 0 is a quality like others, too.
    fn goes_before(&self, other: &Self) -> bool {
        self.quality > other.quality
            || (!self.is_any() && other.is_any())
            || (!self.has_wildcard() && other.has_wildcard())
    }
}

/// What `pick` makes of the best alternative of which it makes something.
fn best<T>(headers: &HeaderMap, pick: impl FnMut(&Range<'_>) -> Option<T>) -> Option<T> {
    let header = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    let header = header.filter(|header| !header.is_empty()).unwrap_or("*/*");
    let mut ranges: Vec<Range<'_>> = Vec::new();
    for range in header.split(',').map(str::trim).map(Range::parse) {
        // By insertion, as Go sorts so few: the order being none, the way to it counts.
        let later = ranges.iter().rev().take_while(|r| range.goes_before(r));
        ranges.insert(ranges.len() - later.count(), range);
    }
    ranges.iter().find_map(pick)
}

#[cfg(test)]
mod tests;
