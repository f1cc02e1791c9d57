//! In which encoding a source asks, and what it was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::wire::{Encoding, Fallback};

/// What a source remembers of its server's answers; shared by its clones.
#[derive(Debug, Clone, Default)]
pub(super) struct Negotiation {
    fallback: Fallback,
    seen: Arc<Mutex<Seen>>,
    is_gzip_spoilt: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Seen {
    last: Option<Encoding>,
    /// The last list, or stream of initial events.
    list: Option<Encoding>,
}

// === impl Negotiation ===

impl Negotiation {
    /// What to ask for, the best first.
    pub(super) fn encodings(&self, prefers_protobuf: bool) -> &'static [Encoding] {
        if prefers_protobuf && !self.fallback.is_json_wanted() {
            &[Encoding::Protobuf, Encoding::Json]
        } else {
            &[Encoding::Json]
        }
    }

    /// From now on JSON is asked for, and nothing else.
    pub(super) fn want_json(&self) {
        self.fallback.want_json();
    }

    /// A layer of the client seems to unpack gzip and to stop behind its first member, whereas API
    /// servers send a member for each event. From now on gzip is not asked for.
    pub(super) fn spoil_gzip(&self) {
        self.is_gzip_spoilt.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_gzip_spoilt(&self) -> bool {
        self.is_gzip_spoilt.load(Ordering::Relaxed)
    }

    /// An answer has come in this encoding.
    pub(super) fn on_answer(&self, encoding: Encoding, is_list: bool) {
        let mut seen = self.seen.lock();
        seen.last = Some(encoding);
        if is_list {
            seen.list = Some(encoding);
        }
    }

    /// The encoding of the last answer.
    pub(super) fn last(&self) -> Option<Encoding> {
        self.seen.lock().last
    }

    /// Whether the list that a watch would go on from has objects that JSON may still tell.
    pub(super) fn is_list_in_doubt(&self) -> bool {
        self.fallback.is_json_wanted() && self.seen.lock().list == Some(Encoding::Protobuf)
    }

    /// Where the objects of an answer are to say that JSON would do better; nowhere if that is
    /// asked for already.
    pub(super) fn fallback_of(&self, encoding: Encoding) -> Option<Fallback> {
        let is_open = encoding == Encoding::Protobuf && !self.fallback.is_json_wanted();
        is_open.then(|| self.fallback.clone())
    }
}
