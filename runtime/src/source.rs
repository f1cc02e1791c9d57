//! Where objects come from: the [`ListerWatcher`] trait and what implements it.

mod client;
mod error;
mod options;
mod scripted;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

pub use self::client::{Form, KubeListerWatcher, Timeouts};
pub use self::error::{SourceError, TimeoutPhase};
pub use self::options::{ListOptions, ResourceVersionMatch, WatchOptions};
pub use self::scripted::{
    AnswerController, AnswerDropped, FakeControllerSource, ListAnswer, ListController, Request,
    ScriptedListerWatcher, WatchAnswer, WatchController,
};
use crate::wire::{ListMeta, RawEvent, RawObject, Rejected};

/// The parts of one page of a list, in order; [`ListPart::End`] comes last, and once.
pub type ListStream = BoxStream<'static, Result<ListPart, SourceError>>;

/// The events of a watch, in the order in which the server sent them.
pub type WatchStream = BoxStream<'static, Result<RawEvent, SourceError>>;

/// Lists and watches one resource: all that a reflector asks of a server.
///
/// Implemented over HTTP by [`KubeListerWatcher`], and for tests by [`ScriptedListerWatcher`] and
/// [`FakeControllerSource`].
/// client-go's counterpart is `cache.ListerWatcher`.
pub trait ListerWatcher: Send + Sync + 'static {
    /// Asks for one page of a list. The future ends when the answer's head has arrived; the items
    /// follow in the stream.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future or the stream drops the request.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>>;

    /// Opens a watch. The future ends when the answer's head has arrived. A stream that ends
    /// without an error was closed by the server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future or the stream drops the request.
    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>>;

    /// Whether [`WatchOptions::send_initial_events`] may be asked for.
    fn supports_watch_list(&self) -> bool {
        true
    }
}

/// A part of a list's page.
#[derive(Debug)]
pub enum ListPart {
    /// Items that have arrived; those that were refused stand in their place.
    Items(Vec<Result<RawObject, Rejected>>),
    /// The whole page has arrived.
    End(ListMeta),
}
