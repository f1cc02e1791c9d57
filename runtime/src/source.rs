//! Sources of objects: the [`ListerWatcher`] trait and its implementations.

mod client;
mod connect;
mod lister_watcher;
mod options;
#[cfg(any(test, feature = "test-util"))]
mod scripted;

pub(crate) use self::client::document;
pub use self::client::{Form, KubeListerWatcher, Timeouts};
pub use self::connect::connect;
#[doc(hidden)]
pub use self::lister_watcher::PartWriter;
pub use self::lister_watcher::{ListPart, ListStream, ListerWatcher, WatchStream};
pub use self::options::{ListOptions, ResourceVersionMatch, WatchOptions};
#[cfg(any(test, feature = "test-util"))]
pub use self::scripted::{
    Answer, AnswerController, AnswerDropped, FakeControllerSource, ListAnswer, Request,
    ScriptedListerWatcher, WatchAnswer,
};
pub use crate::status::{SourceError, TimeoutPhase};
