//! What objects are found by.

/// Identifies a resource for as long as it is served; a recreated definition gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(pub(crate) u32);

/// The storage key, which is also the order of lists: `namespace/name`, or `name`.
pub(crate) fn storage_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}
