//! Tests of the controller. Deltas are written in the notation of the queue's tests.

mod apply;
mod chain;
mod orders;
mod resync;
mod support;
mod wakes;
