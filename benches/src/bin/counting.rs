//! The same program with a counter of allocated bytes. An allocator applies to a whole program.

use std::alloc::System;
use std::process::ExitCode;

use cap::Cap;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    informer_benches::main(Some(|| ALLOCATOR.allocated() as u64))
}
