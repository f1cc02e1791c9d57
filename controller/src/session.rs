//! Sessions: a controller never acts on what it has already changed.
//!
//! A [`Session`] notes the writes of a controller, and knows which of them its caches do not show
//! yet. [`Session::read`] waits until a cache shows them, and a
//! [`Controller`](crate::Controller) with a session puts keys back that have such writes.
//!
//! ```text
//! SessionApi ── write ──► API server ── response: version, uid, owner ──► notes
//!                             │                                              ▲
//!                             └── watch ──► informer ──► cache ── shows? ────┤
//!                                                                            │
//!                       Controller: a key with unseen writes is put back ────┤
//!                       Session::read: waits ────────────────────────────────┘
//! ```

mod api;
mod cache;
mod error;
mod gate;
mod need;
mod notes;
mod question;
mod sent;
mod session;
mod shared;
mod state;
mod view;
mod wait;
mod write;

pub use self::api::SessionApi;
pub use self::error::SessionError;
pub(crate) use self::gate::Gate;
pub use self::session::Session;
pub use self::view::View;
pub use self::write::OwnWrite;

#[cfg(test)]
mod tests;
