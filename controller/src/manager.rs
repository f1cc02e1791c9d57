//! [`Manager`]: one start and one end for all parts of a program.
//!
//! ```text
//!  new ─► serve ─► tasks ─► factory.start ─► caches ─► lease ─► controllers, leading tasks
//!   │                                                                    │
//!   └─ SIGTERM, Ctrl-C, a trigger, an error, from every phase ───────────┘
//!                                      ▼
//!        calls finish within the grace period ─► lease, slices ─► tasks ─► factory.shutdown
//! ```
//!
//! It joins parts that work without it, and holds none of their logic.

mod end;
mod error;
mod identity;
mod manager;

pub use self::error::ManagerError;
pub use self::manager::{Manager, Serve};

#[cfg(test)]
mod tests;
