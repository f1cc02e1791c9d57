//! Selects the splitter of an encoding.

use super::encoding::Encoding;
use super::split::{EventSplitter, ListSplitter, SplitOptions};
use super::{json, protobuf};

// === impl Encoding ===

impl Encoding {
    /// Creates a splitter for the body of a LIST.
    #[must_use]
    pub fn list_splitter(self, options: &SplitOptions) -> ListSplitter {
        match self {
            Self::Json => Box::new(json::ListSplitter::new(options.clone())),
            Self::Protobuf => Box::new(protobuf::ListSplitter::new(options)),
        }
    }

    /// Creates a splitter for the body of a WATCH.
    #[must_use]
    pub fn event_splitter(self, options: &SplitOptions) -> EventSplitter {
        match self {
            Self::Json => Box::new(json::EventSplitter::new(options.clone())),
            Self::Protobuf => Box::new(protobuf::EventSplitter::new(options)),
        }
    }
}
