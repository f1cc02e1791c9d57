//! The same program on mimalloc. An allocator applies to a whole program.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    informer_benches::main(None)
}
