//! What errors are about.

use std::sync::Arc;

/// Something with the names of a resource.
pub(crate) trait Named {
    /// Empty for the core group.
    fn group(&self) -> &str;
    fn plural(&self) -> &str;
    fn kind(&self) -> &str;

    /// `pods`, `deployments.apps`: how messages name the resource.
    fn qualified(&self) -> String {
        within(self.plural(), self.group())
    }

    /// `Pod`, `Deployment.apps`: how messages name the kind.
    fn qualified_kind(&self) -> String {
        within(self.kind(), self.group())
    }
}

fn within(name: &str, group: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

impl<T: Named> Named for Arc<T> {
    fn group(&self) -> &str {
        (**self).group()
    }

    fn plural(&self) -> &str {
        (**self).plural()
    }

    fn kind(&self) -> &str {
        (**self).kind()
    }
}
