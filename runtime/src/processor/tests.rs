//! The processor's behaviours, one file per theme. Notifications are written and read as text; see
//! [`support`].

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
