//! Behaviour of the processor, one file per subject. [`support`] defines the text form of
//! notifications.

mod delivery;
mod handlers;
mod lifecycle;
mod load;
mod removal;
mod resync;
mod streams;
pub(crate) mod support;
mod synced;
mod wakes;
