//! Content negotiation: which form of an answer the `Accept` header asks for.

use http::HeaderMap;
use http::header::ACCEPT;

use crate::status::ApiError;

/// The media type of aggregated discovery.
pub(crate) const AGGREGATED_DISCOVERY: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The forms in which objects and lists are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Whole objects.
    Full,
    /// `PartialObjectMetadata`: metadata alone.
    Metadata,
    /// `Table`: what `kubectl get` prints.
    Table,
}

/// Picks the first form in `Accept` that is served. Protobuf and CBOR are passed over.
pub(crate) fn form(headers: &HeaderMap) -> Result<Form, ApiError> {
    first(headers, |range| {
        if !range.is_json {
            return None;
        }
        let meta = range.group == "meta.k8s.io" && range.version == "v1";
        match range.kind {
            "" => Some(Form::Full),
            "PartialObjectMetadata" | "PartialObjectMetadataList" if meta => Some(Form::Metadata),
            "Table" if meta => Some(Form::Table),
            _ => None,
        }
    })
    .ok_or_else(|| {
        ApiError::not_acceptable(
            "application/json, application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, \
             application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        )
    })
}

/// Whether discovery is wanted in its aggregated form.
pub(crate) fn aggregated_discovery(headers: &HeaderMap) -> bool {
    first(headers, |range| {
        let aggregated = range.kind == "APIGroupDiscoveryList"
            && range.group == "apidiscovery.k8s.io"
            && range.version == "v2";
        match range.kind {
            _ if !range.is_json => None,
            "" => Some(false),
            _ => aggregated.then_some(true),
        }
    })
    .unwrap_or(false)
}

/// One alternative of an `Accept` header.
struct Range<'a> {
    is_json: bool,
    kind: &'a str,
    group: &'a str,
    version: &'a str,
}

fn first<T>(headers: &HeaderMap, mut pick: impl FnMut(&Range<'_>) -> Option<T>) -> Option<T> {
    let mut any = false;
    let values = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|v| v.to_str().ok());
    // An empty header asks for nothing.
    let ranges = values.flat_map(|value| value.split(','));
    for range in ranges.filter(|range| !range.trim().is_empty()) {
        any = true;
        if let Some(picked) = pick(&parse(range)) {
            return Some(picked);
        }
    }
    if any { None } else { pick(&parse("*/*")) }
}

fn parse(range: &str) -> Range<'_> {
    let mut parts = range.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default();
    let mut parsed = Range {
        is_json: matches!(media_type, "application/json" | "application/*" | "*/*"),
        kind: "",
        group: "",
        version: "",
    };
    for (name, value) in parts.filter_map(|parameter| parameter.split_once('=')) {
        match name {
            "as" => parsed.kind = value,
            "g" => parsed.group = value,
            "v" => parsed.version = value,
            _ => {}
        }
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::{Form, aggregated_discovery, form};
    use http::HeaderMap;

    fn accept(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(http::header::ACCEPT, value.parse().unwrap())])
    }

    #[test]
    fn the_first_served_alternative_wins() {
        let metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        let tables = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
        assert_eq!(form(&HeaderMap::new()), Ok(Form::Full));
        assert_eq!(form(&accept("*/*")), Ok(Form::Full));
        assert_eq!(form(&accept(metadata)), Ok(Form::Metadata));
        assert_eq!(form(&accept(tables)), Ok(Form::Table));
        let protobuf = "application/vnd.kubernetes.protobuf, application/json";
        assert_eq!(form(&accept(protobuf)), Ok(Form::Full));
    }

    #[test]
    fn a_client_that_takes_no_json_is_told_so() {
        let error = form(&accept("application/vnd.kubernetes.protobuf")).unwrap_err();
        assert_eq!((error.code(), error.reason()), (406, "NotAcceptable"));
    }

    #[test]
    fn discovery_is_aggregated_only_on_request() {
        let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        assert!(aggregated_discovery(&accept(v2)));
        assert!(!aggregated_discovery(&accept("application/json")));
        assert!(!aggregated_discovery(&HeaderMap::new()));
    }
}
