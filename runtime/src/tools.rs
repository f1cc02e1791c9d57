//! Tools that need no cache: paged lists, watches that resume, and waiting for events.
//!
//! client-go's counterparts are `tools/pager`, and `RetryWatcher` and `Until` of `tools/watch`.

mod pager;
mod retry_watcher;
mod until;

pub use self::pager::{ListItems, ListPager};
pub use self::retry_watcher::{NoResourceVersion, RetryWatchError, RetryWatcher};
pub use self::until::{ConditionError, Until, UntilError, UntilErrorCause, until};
