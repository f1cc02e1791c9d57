//! Command line of `informer-gen`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
