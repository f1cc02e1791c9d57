//! Measures informer against its peers with the system's allocator. See the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    informer_benches::main(None)
}
