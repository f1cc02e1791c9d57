//! Measures informer against its peers, on the system's allocator; see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    informer_benches::main()
}
