//! Storage of objects in an informer, chosen by a type parameter.
//!
//! [`Typed`] keeps decoded objects, [`Packed`] keeps compressed bytes, and [`Tiered`] evicts these
//! under a [`Budget`].

#[cfg_attr(
    not(feature = "packed"),
    expect(dead_code, reason = "only `Tiered` evicts")
)]
mod budget;
mod entry;
mod error;
mod filter;
mod has_controller;
#[cfg_attr(
    not(feature = "packed"),
    expect(dead_code, reason = "only `Tiered` loads")
)]
mod load;
mod metrics;
#[cfg(feature = "packed")]
mod packed;
mod storage;
#[cfg(feature = "packed")]
mod tiered;
mod transform;
mod typed;

pub use self::budget::Budget;
pub(crate) use self::budget::{Account, Level, decoded_bytes};
pub use self::entry::{Entry, Undecodable};
pub use self::error::{IndexFunctionError, ObjectError};
pub(crate) use self::filter::{AnyFilter, Filter};
pub use self::has_controller::HasController;
pub(crate) use self::load::Fetching;
pub use self::load::{Link, LoadError};
pub use self::metrics::{PackedMemory, StorageMetrics};
#[cfg(feature = "packed")]
pub use self::packed::{Packed, PackedObject, PackedSettings};
pub use self::storage::{IndexValues, PathStorage, Storage};
#[cfg(feature = "packed")]
pub use self::tiered::{Tiered, TieredObject};
pub(crate) use self::transform::AnyTransform;
pub use self::transform::Transform;
pub use self::typed::Typed;
