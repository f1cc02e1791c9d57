//! Names of kinds and resources with their groups.

use std::sync::Arc;

/// Returns `Deployment.apps` or `deployments.apps`, and without a group for the core group. Go's
/// counterparts are `GroupKind` and `GroupResource`.
pub(crate) fn qualified(name: &str, group: &str) -> Arc<str> {
    if group.is_empty() {
        name.into()
    } else {
        format!("{name}.{group}").into()
    }
}

/// Returns the group of an `apiVersion`; empty for the core group.
pub(crate) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}
