//! How changes are made.

use std::fmt;

use serde_json::Value;

use crate::api::state::State;
use crate::registry::target::ResourcePath;
use crate::status::ApiError;

/// How a change is made.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
pub(crate) struct WriteOptions<'a> {
    /// Check and answer, but change nothing.
    pub(crate) dry_run: bool,
    /// Take `status` as it is given, also where the main endpoint leaves it alone.
    pub(crate) with_status: bool,
    /// Refuse unknown fields instead of dropping them, or keeping those of built-in kinds.
    pub(crate) strict: bool,
    /// What becomes of the managers of fields.
    pub(crate) ownership: Ownership<'a>,
    /// A namespace that is not there is created, instead of the write being refused.
    pub(crate) create_namespaces: bool,
    /// Who needs the right to create where a write that is no create does so; nothing if everybody
    /// may.
    pub(crate) creator: Option<&'a dyn Creator>,
}

/// Somebody who may create some things and others not.
pub(crate) trait Creator: fmt::Debug {
    /// Refuses to create what is at `path` if that is not allowed.
    fn may_create(&self, state: &State, path: &ResourcePath) -> Result<(), ApiError>;
}

// === impl WriteOptions ===

impl WriteOptions<'_> {
    /// The same, by nobody in particular.
    pub(crate) fn by_nobody(self) -> WriteOptions<'static> {
        WriteOptions {
            dry_run: self.dry_run,
            with_status: self.with_status,
            strict: self.strict,
            create_namespaces: self.create_namespaces,
            ownership: Ownership::Given,
            creator: None,
        }
    }
}

/// What becomes of `managedFields` in a write.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Ownership<'a> {
    /// They are what the document has: a test or the server itself writes.
    #[default]
    Given,
    /// The write is recorded.
    Recorded(Manager<'a>),
    /// They are these: an apply has found them out.
    #[cfg_attr(
        not(feature = "openapi"),
        expect(dead_code, reason = "nothing is applied")
    )]
    Decided(&'a Value),
}

/// Who writes.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(feature = "openapi"),
    expect(dead_code, reason = "nothing is recorded")
)]
pub(crate) struct Manager<'a> {
    pub(crate) name: &'a str,
    /// Empty for the object itself.
    pub(crate) subresource: &'a str,
    /// What is created is followed.
    pub(crate) follows: bool,
}

// === impl Ownership ===

impl Ownership<'_> {
    /// The write is that of an apply.
    pub(crate) fn is_applied(&self) -> bool {
        matches!(self, Self::Decided(_))
    }
}
