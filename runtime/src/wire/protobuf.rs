//! The protobuf encoding: `informer-protobuf` splits and reads, this makes raw objects of it.
//!
//! Items and watched objects are kept as the message alone, with a reference to the [`Kind`] that it
//! is of: items of a list have no envelope. What `informer-protobuf` calls unusual ends the body
//! with [`SplitError::Unusual`](super::SplitError::Unusual), so that its source asks for JSON.

mod cut;
mod list;
mod object;
mod related;
mod values;
mod watch;

pub(super) use self::cut::{Shorter, shorten};
pub(super) use self::list::ListSplitter;
pub(super) use self::object::{Refusal, open, read_header};
pub(super) use self::related::read as related;
pub(super) use self::values::at_path;
pub(super) use self::watch::EventSplitter;

#[cfg(test)]
mod tests;
