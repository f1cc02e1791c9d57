//! [`Kind`]: what a message is of.

use std::sync::LazyLock;

use informer_protobuf::{Deserializer, Message};

/// A kind that has a message. Each is there once, so that an object points to its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) api_version: &'static str,
    pub(crate) name: &'static str,
    pub(crate) message: Message,
}

/// All of them, ascending.
static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let kinds = Message::kinds().map(|(api_version, kind, message)| Kind {
        api_version,
        name: kind,
        message,
    });
    let mut kinds: Vec<Kind> = kinds.collect();
    kinds.sort_unstable_by_key(|kind| (kind.api_version, kind.name));
    kinds
});

// === impl Kind ===

impl Kind {
    /// The kind of this name; `None` if it has no message.
    pub(crate) fn of(api_version: &str, kind: &str) -> Option<&'static Self> {
        let wanted = (api_version, kind);
        let at = KINDS.binary_search_by(|kind| (kind.api_version, kind.name).cmp(&wanted));
        KINDS.get(at.ok()?)
    }

    /// What reads an object of this kind, its `apiVersion` and `kind` included.
    pub(crate) fn deserializer<'de>(&'static self, object: &'de [u8]) -> Deserializer<'de> {
        Deserializer::from_message(self.message, object).type_meta(self.api_version, self.name)
    }
}
