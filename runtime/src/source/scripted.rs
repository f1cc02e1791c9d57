//! Sources for tests, without a server: one answers from a script, one from memory.
//!
//! - [`ScriptedListerWatcher`] gives exactly the answers that a test lays out, errors and silence
//!   among them, and records what was asked. For tests of the protocol.
//! - [`FakeControllerSource`] keeps objects and a history, and answers as an API server would. For
//!   tests of what comes out at the end.
//!
//! Both work on a paused clock. A clone of either is its control side.

mod answer;
mod memory;
mod record;
mod script;

pub use self::answer::{
    AnswerController, AnswerDropped, ListAnswer, ListController, WatchAnswer, WatchController,
};
pub use self::memory::FakeControllerSource;
pub use self::record::Request;
pub use self::script::ScriptedListerWatcher;

#[cfg(test)]
mod tests;
