//! [`Part`]: the unit that a pager fetches.

use crate::object::ResourceVersion;
use crate::status::SourceError;
use crate::wire::{RawObject, Rejected};

pub(super) type Item = Result<RawObject, Rejected>;
/// Page, or part of a streaming list, or the error of the list.
pub(super) type Fetched = Result<Part, SourceError>;

pub(super) struct Part {
    pub(super) items: Vec<Item>,
    /// Version of the list, if it is known yet.
    pub(super) version: Option<ResourceVersion>,
}
