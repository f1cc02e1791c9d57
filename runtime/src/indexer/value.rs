//! [`IndexName`] and [`IndexValue`]: name and value type of an index.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use crate::object::ObjectKey;

/// Name of the index that every namespaced store has. client-go's counterpart is `NamespaceIndex`.
pub const NAMESPACE_INDEX: &str = "namespace";

/// Name of an index, unique within a store. The name of an index over a field is the field's path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexName(Arc<str>);

/// Type of the values of an index.
///
/// Values convert to text and back, so that a typed index also supports
/// [`by_index`](crate::Snapshot::by_index), which takes text. `#[derive(informer::IndexValue)]`
/// implements this trait for an enum without fields.
#[diagnostic::on_unimplemented(
    message = "an index cannot hold values of type `{Self}`",
    label = "not the type of index values",
    note = "texts, integers, `bool`, `char` and `ObjectKey` are: index one that tells the value",
    note = "for an enum without fields write `#[derive(informer::IndexValue, Clone, PartialEq, Eq, PartialOrd, Ord)]`",
    note = "or implement `informer::index::IndexValue` for `{Self}`, with `Ord`, `Clone` and `Display`"
)]
pub trait IndexValue: Ord + Clone + fmt::Display + Send + Sync + 'static {
    /// Parses the text form of a value; `None` if no value has this text form.
    fn parse(text: &str) -> Option<Self>;
}

// === impl IndexName ===

impl IndexName {
    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for IndexName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for IndexName {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}

impl Borrow<str> for IndexName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for IndexName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for IndexName {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for IndexName {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl fmt::Display for IndexName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for IndexName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

// === impl IndexValue ===

impl IndexValue for Arc<str> {
    fn parse(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

macro_rules! index_values_by_from_str {
    ($($value:ty),+ $(,)?) => {$(
        impl IndexValue for $value {
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}

index_values_by_from_str!(
    String, ObjectKey, bool, char, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize,
);
