//! Lists and watches over HTTP, through a [`kube::Client`].
//!
//! kube's client is the transport only. This module reads the bodies itself, so that it never holds
//! a whole list, a silent server causes an error, and no content of a response is logged.
//!
//! `document` reads small documents. `negotiation` remembers encodings, `request` builds requests,
//! `frames` reads bodies under deadlines, `gzip` decompresses them, and `stream` turns frames into
//! items and events.

mod config;
mod document;
mod frames;
mod gzip;
mod lister_watcher;
mod negotiation;
mod request;
mod stream;

pub use self::config::{Form, Timeouts};
pub(crate) use self::document::document;
pub use self::lister_watcher::KubeListerWatcher;

#[cfg(test)]
mod tests;
