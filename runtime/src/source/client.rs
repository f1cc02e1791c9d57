//! Lists and watches over HTTP, through a [`kube::Client`].
//!
//! kube's client is the transport only: what it would do with a body is done here, so that a list
//! is never held as a whole, silence ends in an error, and no answer's content is logged.
//!
//! `document` reads what is no list. `negotiation` remembers encodings, `request` builds requests, `frames` reads bodies under deadlines, `gzip` unpacks them, `stream`
//! turns frames into items and events.

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
#[cfg(any(test, fuzzing))]
pub(crate) use self::gzip::fuzzing;
pub use self::lister_watcher::KubeListerWatcher;

#[cfg(test)]
mod tests;
