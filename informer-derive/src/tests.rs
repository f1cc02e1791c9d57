//! Golden expansions, and the parts that need no compiler.

mod golden;
mod naming;
mod path;
mod renaming;
