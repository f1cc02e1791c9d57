//! Vocabulary and bytes of `informer`: names, versions and selectors of objects, and the reader that
//! turns the bodies of an API server into raw objects. No task, no lock, no input or output.

pub mod object;
pub mod wire;

pub use self::object::{
    ClusterScope, FieldSelector, FieldSelectorError, GroupVersionResource, NamespacedScope, Object,
    ObjectKey, Operator, ParseKeyError, ParseSelectorError, Requirement, RequirementError,
    ResourceInfo, ResourceScope, ResourceVersion, Scope, Selector, Uid,
};
pub use self::wire::{DropFields, FieldPath};
