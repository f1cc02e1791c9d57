//! Storage of objects in an informer, chosen by a type parameter.
//!
//! [`Typed`] keeps decoded objects, [`Packed`] keeps compressed bytes.

mod entry;
mod error;
mod has_controller;
mod metrics;
#[cfg(feature = "packed")]
mod packed;
mod storage;
mod transform;
mod typed;

pub use self::entry::{Entry, Undecodable};
pub use self::error::{IndexFunctionError, ObjectError};
pub use self::has_controller::HasController;
pub use self::metrics::{PackedMemory, StorageMetrics};
#[cfg(feature = "packed")]
pub use self::packed::{Packed, PackedObject, PackedSettings};
pub use self::storage::{PathStorage, Storage};
pub(crate) use self::transform::AnyTransform;
pub use self::transform::Transform;
pub use self::typed::Typed;
