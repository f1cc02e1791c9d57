//! In which encoding a source asks, and what it was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::wire::Encoding;

/// What a source remembers of its server's answers; shared by its clones.
#[derive(Debug, Clone, Default)]
pub(super) struct Negotiation {
    json: JsonWanted,
    answered: Arc<Mutex<Answered>>,
    is_gzip_spoilt: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Answered {
    last: Option<Encoding>,
    /// The last list, or stream of initial events.
    list: Option<Encoding>,
}

/// Whether objects that came in protobuf are better asked for in JSON. Set once; shared by clones.
#[derive(Debug, Clone, Default)]
pub(super) struct JsonWanted(Arc<AtomicBool>);

// === impl JsonWanted ===

impl JsonWanted {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

// === impl Negotiation ===

impl Negotiation {
    /// What to ask for, the best first.
    pub(super) fn encodings(&self, prefers_protobuf: bool) -> &'static [Encoding] {
        if prefers_protobuf && !self.json.is_set() {
            &[Encoding::Protobuf, Encoding::Json]
        } else {
            &[Encoding::Json]
        }
    }

    /// From now on JSON is asked for, and nothing else.
    pub(super) fn want_json(&self) {
        self.json.set();
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
        let mut answered = self.answered.lock();
        answered.last = Some(encoding);
        if is_list {
            answered.list = Some(encoding);
        }
    }

    /// The encoding of the last answer.
    pub(super) fn last(&self) -> Option<Encoding> {
        self.answered.lock().last
    }

    /// Whether the list that a watch would go on from has objects that JSON may still tell.
    pub(super) fn is_list_in_doubt(&self) -> bool {
        self.json.is_set() && self.answered.lock().list == Some(Encoding::Protobuf)
    }

    /// What ends an answer in this encoding, because JSON would do better; nothing if that is asked
    /// for already.
    pub(super) fn json_instead_of(&self, encoding: Encoding) -> Option<JsonWanted> {
        let is_open = encoding == Encoding::Protobuf && !self.json.is_set();
        is_open.then(|| self.json.clone())
    }
}
