//! Keys of resources and objects.

/// Identifies a resource while it is served; a recreated definition gets a new identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(pub(crate) u32);

/// Returns the storage key, `namespace/name` or `name`, which is also the order of lists.
pub(crate) fn storage_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}
