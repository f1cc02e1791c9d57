//! The protobuf encoding: `informer-protobuf` splits and reads bodies, this module turns the
//! results into raw objects.
//!
//! Items and watched objects are kept as messages, with a reference to their [`Kind`], because
//! items of a list have no envelope. A body that `informer-protobuf` reports as unusual fails with
//! [`SplitError::Unusual`](super::SplitError::Unusual), so that the source requests JSON.

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
