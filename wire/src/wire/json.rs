//! The JSON encoding: one scan finds the ends of objects, a second one reads their headers.
//!
//! `scan` finds the end of a value and `walk` the members of a document, both frame by frame.
//! `members`, `header`, `related`, `values`, `cut` and `object` work on complete objects. `list`
//! and `watch` interpret the members.

pub(super) mod cut;
mod header;
mod list;
mod members;
mod object;
pub(super) mod related;
mod scan;
pub(super) mod values;
mod walk;
mod watch;

pub(super) use self::header::read_header;
pub(super) use self::list::ListSplitter;
pub(super) use self::watch::EventSplitter;

#[cfg(test)]
mod tests;
