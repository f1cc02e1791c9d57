//! Content negotiation: the form of a response, from the `Accept` header.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use informer_protobuf::MEDIA_TYPE as PROTOBUF;

use crate::status::ApiError;

/// Media type of aggregated discovery.
pub(crate) const AGGREGATED_DISCOVERY: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Forms of objects and lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// Complete objects.
    Full,
    /// `PartialObjectMetadata`: metadata only, of one object.
    Metadata,
    /// `PartialObjectMetadataList`: metadata only, of a list.
    MetadataList,
    /// `Table`: the rows that `kubectl get` prints.
    Table,
}

/// Encodings of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    /// `application/vnd.kubernetes.protobuf`.
    Protobuf,
}

/// Selects the best served form in `Accept`, and its encoding.
///
/// Metadata is served in both encodings, tables in JSON, and complete objects in protobuf only if
/// `in_protobuf`: custom resources have no protobuf encoding. YAML and CBOR are skipped.
pub(crate) fn form(
    headers: &HeaderMap,
    in_protobuf: bool,
) -> Result<(AnswerForm, Encoding), ApiError> {
    let served = best(headers, |range| {
        let form = range.form(in_protobuf)?;
        Some((form, range.encoding?))
    });
    served.ok_or_else(|| {
        ApiError::not_acceptable(format!(
            "only the following media types are accepted: application/json, {PROTOBUF}"
        ))
    })
}

/// Returns the encoding of a response that has a single form, such as a `Status`.
///
/// As in the real server, the default is JSON, and alternatives that request another form are
/// ignored: for a client that requests metadata in protobuf, errors are JSON.
pub(crate) fn encoding(headers: &HeaderMap) -> Encoding {
    let requested = best(headers, |range| {
        if !range.is_plain() || !range.is_stream_known() {
            return None;
        }
        range.encoding
    });
    requested.unwrap_or(Encoding::Json)
}

/// Reports whether the client requests aggregated discovery.
pub(crate) fn aggregated_discovery(headers: &HeaderMap) -> bool {
    let requested = best(headers, |range| {
        if range.encoding != Some(Encoding::Json) {
            return None;
        }
        match (range.kind, range.group, range.version) {
            ("", _, _) => Some(false),
            ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Some(true),
            _ => None,
        }
    });
    requested.unwrap_or(false)
}

// === impl Encoding ===

impl Encoding {
    /// Returns the content type of objects and lists.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => PROTOBUF,
        }
    }

    /// Returns the content type of watches.
    pub(crate) fn watch_media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => informer_protobuf::WATCH_MEDIA_TYPE,
        }
    }

    /// Returns the encoding of a response with these headers.
    pub(crate) fn of_answer(headers: &HeaderMap) -> Self {
        match headers.get(CONTENT_TYPE) {
            Some(value) if value.as_bytes().starts_with(PROTOBUF.as_bytes()) => Self::Protobuf,
            _ => Self::Json,
        }
    }
}

/// One alternative of an `Accept` header.
#[derive(Debug)]
struct Range<'a> {
    /// `application/json`, `*/*`
    media_type: &'a str,
    /// The server's preferred encoding among the matching media types.
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
                // A malformed quality is the lowest.
                "q" => range.quality = value.parse().unwrap_or(0.0),
                _ => {}
            }
        }
        range
    }

    /// Returns the requested form, if it is served.
    fn form(&self, in_protobuf: bool) -> Option<AnswerForm> {
        if !self.is_stream_known() {
            return None;
        }
        let is_json = self.encoding == Some(Encoding::Json);
        let is_meta = self.group == "meta.k8s.io" && self.version == "v1";
        match self.kind {
            "" if self.is_plain() && (is_json || in_protobuf) => Some(AnswerForm::Full),
            "PartialObjectMetadata" if is_meta => Some(AnswerForm::Metadata),
            "PartialObjectMetadataList" if is_meta => Some(AnswerForm::MetadataList),
            "Table" if is_meta && is_json => Some(AnswerForm::Table),
            _ => None,
        }
    }

    /// Reports whether the alternative requests no special form.
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
        match self.media_type.split_once('/') {
            Some((_, subtype)) => subtype == "*",
            None => true,
        }
    }

    /// Implements the real server's comparison, which is not a total order: an alternative with a
    /// wildcard comes after one without, whatever their qualities. A quality of 0 does not exclude
    /// an alternative.
    fn goes_before(&self, other: &Self) -> bool {
        self.quality > other.quality
            || (!self.is_any() && other.is_any())
            || (!self.has_wildcard() && other.has_wildcard())
    }
}

/// Returns the result of `pick` for the best alternative for which it is not `None`.
fn best<T>(headers: &HeaderMap, pick: impl FnMut(&Range<'_>) -> Option<T>) -> Option<T> {
    let given = match headers.get(ACCEPT) {
        Some(value) => value.to_str().unwrap_or_default(),
        None => "",
    };
    let accepted = if given.is_empty() { "*/*" } else { given };
    let mut ranges: Vec<Range<'_>> = Vec::new();
    for part in accepted.split(',') {
        let range = Range::parse(part.trim());
        // Insertion sort, which Go uses for short slices. The comparison is not a total order, so
        // the algorithm determines the result.
        let later = ranges.iter().rev().take_while(|r| range.goes_before(r));
        let place = ranges.len() - later.count();
        ranges.insert(place, range);
    }
    ranges.iter().find_map(pick)
}

#[cfg(test)]
mod tests;
