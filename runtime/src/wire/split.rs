//! Splitting bodies into objects, whatever their encoding.

use std::fmt;

use bytes::Bytes;
use kube::core::TypeMeta;

use super::drop_fields::DropFields;
use super::raw::{ListMeta, RawObject, Rejected};
use super::raw_event::RawEvent;

/// How bodies are split into objects.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitOptions {
    /// Leaves `metadata.managedFields` in the objects; they are most of the cost of decoding, and
    /// few readers need them. Default: `false`, they are cut out.
    pub keep_managed_fields: bool,
    /// Refuses objects that say they are of another kind or apiVersion. Objects in typed lists
    /// say neither, and pass. Default: `None`, all kinds pass.
    pub expected_type: Option<TypeMeta>,
    /// Gives objects that lack `kind` or `apiVersion` those of `expected_type`, or else those of
    /// their list (its kind less `List`); dynamic types need them. Default: `false`.
    pub add_type_meta: bool,
    /// Cuts these fields out, in one go with `metadata.managedFields`. Default: `None`.
    ///
    /// An informer's own `drop_fields` cuts later, on the threads that decode, and not at all what
    /// a relist finds unchanged.
    pub drop_fields: Option<DropFields>,
    /// The largest object, in bytes; larger ones are refused one by one. Default: 64 MiB.
    pub max_object_bytes: usize,
}

/// Work that a splitter has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitStats {
    /// Objects found, refused ones and those of bookmarks and errors included.
    pub objects: u64,
    /// Bytes of the body so far.
    pub bytes: u64,
    /// Objects that were copied: those that span frames, and those that something was cut out of
    /// or added to. None is copied twice, but in protobuf where it is both; it counts once.
    pub copies: u64,
}

/// Why a body cannot be split.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The body is not what was asked for. Quotes nothing of it.
    #[error("expected {expected} at byte {offset}")]
    Malformed {
        /// Where in the body.
        offset: u64,
        /// What should have been there.
        expected: &'static str,
    },
    /// The body is an answer of another sort.
    #[error("the answer is a {0}, not a list")]
    NotAList(&'static str),
    /// The body is in protobuf, but not as Kubernetes writes it, or of a kind that is not known:
    /// JSON can be asked for instead.
    #[error("protobuf that cannot be read: {0}")]
    Unusual(String),
    /// The body ended too early.
    #[error("the body ends inside an object, after {bytes} bytes")]
    Truncated {
        /// How much of the body had arrived.
        bytes: u64,
    },
}

/// Splits a body into `T`s as it arrives; `E` is what the end of the body says.
///
/// Holds no more than the item that the last frame broke off in. Items inside one frame are slices of
/// it.
pub trait Splitter<T, E>: fmt::Debug + Send {
    /// Takes the next frame of the body and adds what it completes to `out`.
    ///
    /// # Errors
    ///
    /// The body is not of the sort that was asked for. What was found before is in `out`; the body has
    /// failed as a whole.
    fn push(&mut self, frame: &Bytes, out: &mut Vec<T>) -> Result<(), SplitError>;

    /// Ends the body.
    ///
    /// # Errors
    ///
    /// It is not complete.
    fn finish(self: Box<Self>) -> Result<E, SplitError>;

    /// The work done so far.
    fn stats(&self) -> SplitStats;
}

/// Splits the body of a LIST into its items as it arrives.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// # use informer_runtime::wire::{Encoding, SplitOptions};
///
/// let mut splitter = Encoding::Json.list_splitter(&SplitOptions::default());
/// let mut items = Vec::new();
/// let first = Bytes::from(r#"{"metadata":{"resourceVersion":"7"},"items":[{"meta"#);
/// splitter.push(&first, &mut items)?;
/// assert!(items.is_empty());
/// splitter.push(&Bytes::from(r#"data":{"name":"a"}}]}"#), &mut items)?;
/// assert_eq!(items[0].as_ref().unwrap().key().name(), "a");
/// assert_eq!(splitter.finish()?.resource_version.to_string(), "7");
/// # Ok::<(), informer_runtime::wire::SplitError>(())
/// ```
pub type ListSplitter = Box<dyn Splitter<Result<RawObject, Rejected>, ListMeta>>;

/// Splits the body of a WATCH into events as it arrives.
pub type EventSplitter = Box<dyn Splitter<RawEvent, ()>>;

/// Largest object by default. etcd holds 1.5 MiB; aggregated servers may answer with more.
const MAX_OBJECT_BYTES: usize = 64 << 20;

// === impl SplitOptions ===

impl Default for SplitOptions {
    fn default() -> Self {
        Self {
            keep_managed_fields: false,
            expected_type: None,
            add_type_meta: false,
            drop_fields: None,
            max_object_bytes: MAX_OBJECT_BYTES,
        }
    }
}

impl SplitOptions {
    /// Sets whether [`keep_managed_fields`](Self::keep_managed_fields).
    #[must_use]
    pub fn keep_managed_fields(mut self, keep: bool) -> Self {
        self.keep_managed_fields = keep;
        self
    }

    /// Sets the [`expected_type`](Self::expected_type).
    #[must_use]
    pub fn expected_type(mut self, expected: impl Into<Option<TypeMeta>>) -> Self {
        self.expected_type = expected.into();
        self
    }

    /// Sets whether to [`add_type_meta`](Self::add_type_meta).
    #[must_use]
    pub fn add_type_meta(mut self, add: bool) -> Self {
        self.add_type_meta = add;
        self
    }

    /// Sets which fields to cut out: [`drop_fields`](Self::drop_fields).
    #[must_use]
    pub fn drop_fields(mut self, fields: impl Into<Option<DropFields>>) -> Self {
        self.drop_fields = fields.into();
        self
    }

    /// Sets [`max_object_bytes`](Self::max_object_bytes).
    #[must_use]
    pub fn max_object_bytes(mut self, bytes: usize) -> Self {
        self.max_object_bytes = bytes;
        self
    }
}
