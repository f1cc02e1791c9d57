//! The JSON encoding: one scan finds where items end, a second one reads their headers.

mod header;
mod scan;

pub(super) use self::header::read_header;
