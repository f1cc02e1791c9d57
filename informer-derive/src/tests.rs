//! Golden expansions, and the parts that need no compiler.

mod cost;
mod golden;
mod naming;
mod parity;
mod path;
mod renaming;
mod reserved;
mod typing;
