//! Sources for tests, without a server: one follows a script, the other keeps objects in memory.
//!
//! - [`ScriptedListerWatcher`] returns exactly the answers that a test defines, including errors
//!   and silence, and records the requests. It suits tests of the protocol.
//! - [`FakeControllerSource`] keeps objects and a history, and behaves like an API server. It suits
//!   tests of final results.
//!
//! Both work with a paused clock. A clone of either source controls it.

mod answer;
mod memory;
mod record;
mod script;

pub use self::answer::{Answer, AnswerController, AnswerDropped, ListAnswer, WatchAnswer};
pub use self::memory::FakeControllerSource;
pub use self::record::Request;
pub use self::script::ScriptedListerWatcher;

#[cfg(test)]
mod tests;
