//! [`Kind`]: a kind with a known protobuf message.

use std::sync::LazyLock;

use informer_protobuf::{Deserializer, Message};

/// A kind with a known message. Each kind exists once, so that objects can refer to it.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    pub(crate) api_version: &'static str,
    pub(crate) name: &'static str,
    pub(crate) message: Message,
}

/// All kinds, in ascending order.
static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let mut kinds: Vec<Kind> = Message::kinds()
        .map(|(api_version, kind, message)| Kind {
            api_version,
            name: kind,
            message,
        })
        .collect();
    kinds.sort_unstable_by_key(|kind| (kind.api_version, kind.name));
    kinds
});

// === impl Kind ===

impl Kind {
    /// Returns the kind of this name; `None` if its message is unknown.
    #[must_use]
    pub fn of(api_version: &str, kind: &str) -> Option<&'static Self> {
        let key = (api_version, kind);
        let at = KINDS.binary_search_by(|kind| (kind.api_version, kind.name).cmp(&key));
        KINDS.get(at.ok()?)
    }

    /// Returns a deserializer of an object of this kind, which includes `apiVersion` and `kind`.
    pub(crate) fn deserializer<'de>(&'static self, object: &'de [u8]) -> Deserializer<'de> {
        Deserializer::from_message(self.message, object).type_meta(self.api_version, self.name)
    }
}
