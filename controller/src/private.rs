//! Items that generated code may name, as `informer::__private`: those of the runtime, and those of
//! relations.

mod owner;
mod related;
mod relations;

#[doc(hidden)]
pub use informer_runtime::private::*;

pub use self::owner::{controlled, controller_of, controller_uid};
pub use self::related::{
    Beside, Keys, Named, RefersTo, json_keys, json_selectors, of_places, referrers, selecting,
};
#[doc(hidden)]
pub use crate::{__reference as reference, __relations as relations};
