//! [`Part`]: what is fetched at once.

use crate::object::ResourceVersion;
use crate::status::SourceError;
use crate::wire::{RawObject, Rejected};

pub(super) type Item = Result<RawObject, Rejected>;
/// A page or a part of a streaming list, or why there is none.
pub(super) type Fetched = Result<Part, SourceError>;

pub(super) struct Part {
    pub(super) items: Vec<Item>,
    /// The list's version, once it is known.
    pub(super) version: Option<ResourceVersion>,
}
