//! Splits bodies into objects, in any encoding.

use std::fmt;

use bytes::Bytes;
use kube::core::TypeMeta;

use super::drop_fields::DropFields;
use super::raw::{ListMeta, RawObject, Rejected};
use super::raw_event::RawEvent;

/// Options of a splitter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitOptions {
    /// Keeps `metadata.managedFields` in the objects. They are most of the cost of decoding, and
    /// few readers need them. Default: `false`, which cuts them.
    pub keep_managed_fields: bool,
    /// Rejects objects whose kind or apiVersion differs from this type. Objects in typed lists have
    /// neither, and pass. Default: `None`, which accepts all kinds.
    pub expected_type: Option<TypeMeta>,
    /// Adds a missing `kind` or `apiVersion` from `expected_type`, or else from the type of the
    /// list (its kind without the suffix `List`). Dynamic types need both. Default: `false`.
    pub add_type_meta: bool,
    /// Cuts these fields, in one pass with `metadata.managedFields`. Default: `None`.
    ///
    /// The `drop_fields` of an informer cuts later, on the threads that decode, and skips objects
    /// that a relist finds unchanged.
    pub drop_fields: Option<DropFields>,
    /// Maximum size of an object, in bytes. Larger objects are rejected alone. Default: 64 MiB.
    pub max_object_bytes: usize,
}

/// Counters of a splitter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SplitStats {
    /// Number of objects, including rejected ones and those of bookmarks and errors.
    pub objects: u64,
    /// Number of bytes of the body so far.
    pub bytes: u64,
    /// Number of objects that were copied: objects that span frames, and objects that were cut or
    /// extended. Each of them counts once. In JSON it is also copied only once; in protobuf, an
    /// object that both spans frames and is cut is copied twice.
    pub copies: u64,
}

/// Error of a body that cannot be split.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The body is not as expected. The error quotes nothing of it.
    #[error("expected {expected} at byte {offset}")]
    Malformed {
        /// Offset in the body.
        offset: u64,
        /// Description of the expected content.
        expected: &'static str,
    },
    /// The body is a response of another kind.
    #[error("the response is {0}, not a list")]
    NotAList(&'static str),
    /// The body is in protobuf, but not in the form that Kubernetes writes, or of an unknown kind.
    /// The caller may request JSON instead.
    #[error("unsupported protobuf: {0}")]
    Unusual(String),
    /// The body ended too early.
    #[error("the body ends inside an object, after {bytes} bytes")]
    Truncated {
        /// Number of bytes that arrived.
        bytes: u64,
    },
}

// === impl SplitError ===

impl SplitError {
    /// Creates the error of a response of this kind. Quotes only kinds that hold no objects.
    pub(super) fn not_a_list(kind: &str) -> Self {
        Self::NotAList(match kind {
            "Status" => "a Status",
            "Table" => "a Table",
            _ => "an object of another kind",
        })
    }
}

/// Splits a body into items of type `T` as it arrives. `E` is the result at the end of the body.
///
/// A splitter holds at most the one item that the last frame left unfinished. Items inside one
/// frame are slices of that frame.
pub trait Splitter<T, E>: fmt::Debug + Send {
    /// Processes the next frame of the body, and appends the items that it completes to `out`.
    ///
    /// # Errors
    ///
    /// Fails if the body is not as expected. `out` then holds the items found before the error; the
    /// body has failed as a whole.
    fn push(&mut self, frame: &Bytes, out: &mut Vec<T>) -> Result<(), SplitError>;

    /// Ends the body.
    ///
    /// # Errors
    ///
    /// Fails if the body is incomplete.
    fn finish(self: Box<Self>) -> Result<E, SplitError>;

    /// Returns the counters so far.
    fn stats(&self) -> SplitStats;
}

/// Splits the body of a LIST into its items as it arrives.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// # use informer_wire::wire::{Encoding, SplitOptions};
///
/// let mut splitter = Encoding::Json.list_splitter(&SplitOptions::default());
/// let mut items = Vec::new();
/// let first = Bytes::from(r#"{"metadata":{"resourceVersion":"7"},"items":[{"meta"#);
/// splitter.push(&first, &mut items)?;
/// assert!(items.is_empty());
/// splitter.push(&Bytes::from(r#"data":{"name":"a"}}]}"#), &mut items)?;
/// assert_eq!(items[0].as_ref().unwrap().key().name(), "a");
/// assert_eq!(splitter.finish()?.resource_version.to_string(), "7");
/// # Ok::<(), informer_wire::wire::SplitError>(())
/// ```
pub type ListSplitter = Box<dyn Splitter<Result<RawObject, Rejected>, ListMeta>>;

/// Splits the body of a WATCH into events as it arrives.
pub type EventSplitter = Box<dyn Splitter<RawEvent, ()>>;

/// Default maximum size of an object. etcd holds 1.5 MiB; aggregated servers may return more.
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
    /// Sets [`keep_managed_fields`](Self::keep_managed_fields).
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

    /// Sets [`add_type_meta`](Self::add_type_meta).
    #[must_use]
    pub fn add_type_meta(mut self, add: bool) -> Self {
        self.add_type_meta = add;
        self
    }

    /// Sets the fields to cut: [`drop_fields`](Self::drop_fields).
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
