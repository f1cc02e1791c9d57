//! The controller's behaviours. Deltas are written as the queue's tests write them.

mod apply;
mod chain;
mod orders;
mod resync;
mod support;
mod wakes;
