//! [`RetryWatcher`]: a watch that goes on when its connection does not, without a cache.
//!
//! For what a program follows from a version that it knows, such as one object that it has just
//! created. There is no list behind it: where an informer would list again, this ends. client-go's
//! counterpart is `tools/watch.RetryWatcher`.

mod error;
mod machine;
mod watcher;

pub use self::error::{NoResourceVersion, RetryWatchError};
pub use self::watcher::RetryWatcher;

#[cfg(test)]
mod tests;
