//! Encodings that a source requests and receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::wire::Encoding;

/// Negotiated state of a source; clones of the source share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Negotiation {
    json: JsonRequired,
    responses: Arc<Mutex<Responses>>,
    is_gzip_disabled: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Responses {
    last: Option<Encoding>,
    /// Encoding of the last list or streaming list.
    list: Option<Encoding>,
}

/// Flag that objects which arrived in protobuf should be requested in JSON. Set once; clones share
/// it.
#[derive(Debug, Clone, Default)]
pub(super) struct JsonRequired(Arc<AtomicBool>);

// === impl JsonRequired ===

impl JsonRequired {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

// === impl Negotiation ===

impl Negotiation {
    /// Returns the encodings to request, in order of preference.
    pub(super) fn encodings(&self, prefers_protobuf: bool) -> &'static [Encoding] {
        if prefers_protobuf && !self.json.is_set() {
            &[Encoding::Protobuf, Encoding::Json]
        } else {
            &[Encoding::Json]
        }
    }

    /// Requests only JSON from now on.
    pub(super) fn require_json(&self) {
        self.json.set();
    }

    /// Stops requesting gzip. Called if a layer of the client seems to decompress gzip itself and
    /// to stop after the first member, although API servers send one member per event.
    pub(super) fn disable_gzip(&self) {
        self.is_gzip_disabled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_gzip_disabled(&self) -> bool {
        self.is_gzip_disabled.load(Ordering::Relaxed)
    }

    /// Records the encoding of a response.
    pub(super) fn on_response(&self, encoding: Encoding, is_list: bool) {
        let mut responses = self.responses.lock();
        responses.last = Some(encoding);
        if is_list {
            responses.list = Some(encoding);
        }
    }

    /// Returns the encoding of the last response.
    pub(super) fn last(&self) -> Option<Encoding> {
        self.responses.lock().last
    }

    /// Returns `true` if the list that a watch would continue contains objects that should be
    /// requested in JSON.
    pub(super) fn must_relist_in_json(&self) -> bool {
        self.json.is_set() && self.responses.lock().list == Some(Encoding::Protobuf)
    }

    /// Returns the flag that ends a response in this encoding because JSON should be requested
    /// instead; `None` if JSON is already requested.
    pub(super) fn json_fallback(&self, encoding: Encoding) -> Option<JsonRequired> {
        let is_open = encoding == Encoding::Protobuf && !self.json.is_set();
        is_open.then(|| self.json.clone())
    }
}
