//! Names of the resource that an error is about.

use std::sync::Arc;

/// A resource, or a part of it, that errors can name.
pub(crate) trait NamedResource {
    /// Empty for the core group.
    fn group(&self) -> &str;
    fn plural(&self) -> &str;
    fn kind(&self) -> &str;

    /// Returns the resource as messages name it: `pods`, `deployments.apps`.
    fn qualified(&self) -> String {
        within(self.plural(), self.group())
    }

    /// Returns the kind as messages name it: `Pod`, `Deployment.apps`.
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

impl<T: NamedResource> NamedResource for Arc<T> {
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
