//! Rules of the real server's storage that differ between kinds.

/// Rules of the real server's storage for some resources.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) generation: Generation,
    pub(crate) kept_by_status: KeptByStatus,
    /// `true` if a PUT creates a missing object.
    pub(crate) put_creates: bool,
    /// `true` if an update needs a resourceVersion.
    pub(crate) put_needs_version: bool,
    /// `true` if the answer to a deletion is the object, and not a `Status`.
    pub(crate) returns_deleted: bool,
}

/// Meaning of `metadata.generation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// It has none, and stays as a client gives it.
    Given,
    /// It stays 1.
    One,
    /// It is 1 at first, and counts the changes of an object beside its metadata and its status.
    Counted,
    /// As `Counted`, but it counts changes of this metadata, too.
    CountedWith(&'static str),
    /// As `Counted`, but the server does not set it before the first change.
    Late,
}

/// Metadata that a write of the status does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptByStatus {
    /// The metadata is that of the document, except what clients cannot change at all.
    Nothing,
    /// As `Nothing`, but this field stays.
    Field(&'static str),
    Metadata,
}
