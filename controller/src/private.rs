//! Items that generated code may name, as `informer::__private`: those of the runtime, and the
//! relations of a kind.

mod owner;
mod related;

#[doc(hidden)]
pub use informer_runtime::private::*;
// A stand-in for `informer` may have a factory of its own.
pub use informer_runtime::SharedInformerFactory;

pub use self::owner::{controlled, controller_of, controller_uid};
pub use self::related::{
    Beside, Each, Find, Keys, Named, RefersTo, Related, RelationOf, json_keys, json_selectors,
    keys, of_places, of_relations,
};
pub use crate::relations::{Owns, ReferencedCacheBuilder, References, Selects};
