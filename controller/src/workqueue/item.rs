//! [`QueueItem`]: the bounds of an item.

use std::fmt;
use std::hash::Hash;

/// Bounds of a queue's items: an [`ObjectKey`](informer_runtime::ObjectKey), or any other small value that is
/// cheap to clone. Implemented for all types that qualify.
pub trait QueueItem: Clone + Eq + Hash + fmt::Debug + Send + 'static {}

impl<T: Clone + Eq + Hash + fmt::Debug + Send + 'static> QueueItem for T {}
