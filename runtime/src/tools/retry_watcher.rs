//! [`RetryWatcher`]: a watch without a cache that resumes after a lost connection.
//!
//! For programs that follow changes from a known version, for example the changes of one object
//! that was just created. It never lists: where an informer would relist, it ends. client-go's
//! counterpart is `tools/watch.RetryWatcher`.

mod error;
mod machine;
mod watcher;

pub use self::error::{NoResourceVersion, RetryWatchError};
pub use self::watcher::RetryWatcher;

#[cfg(test)]
mod tests;
