//! Options of a write.

use serde_json::Value;

/// Options of a write.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the options are independent of each other"
)]
pub(crate) struct WriteOptions<'a> {
    /// Check and answer, but change nothing.
    pub(crate) dry_run: bool,
    /// Take `status` as given, even where the main endpoint ignores it.
    pub(crate) with_status: bool,
    /// Reject unknown fields. Otherwise they are dropped, or kept in built-in kinds.
    pub(crate) strict: bool,
    /// Treatment of field managers.
    pub(crate) ownership: Ownership<'a>,
    /// Create a missing namespace instead of rejecting the write.
    pub(crate) create_namespaces: bool,
}

// === impl WriteOptions ===

impl WriteOptions<'_> {
    /// Returns the same options without a field manager.
    pub(crate) fn by_nobody(self) -> WriteOptions<'static> {
        WriteOptions {
            dry_run: self.dry_run,
            with_status: self.with_status,
            strict: self.strict,
            create_namespaces: self.create_namespaces,
            ownership: Ownership::Given,
        }
    }
}

/// Treatment of `managedFields` in a write.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Ownership<'a> {
    /// Keep those of the document, which a test or the server itself writes.
    #[default]
    Given,
    /// Record the write.
    Recorded(Manager<'a>),
    /// Set the given ones, which an apply has computed.
    Decided(&'a Value),
}

/// Field manager of a write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manager<'a> {
    pub(crate) name: &'a str,
    /// Subresource of the write; empty for the object itself.
    pub(crate) subresource: &'a str,
    /// `true` to keep managed fields of an object that this write creates.
    pub(crate) follows: bool,
}

// === impl Ownership ===

impl Ownership<'_> {
    /// `true` if the write is part of an apply.
    pub(crate) fn is_applied(&self) -> bool {
        matches!(self, Self::Decided(_))
    }
}
