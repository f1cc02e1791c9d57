//! Measures informer against its peers in one run: `cargo run --release -p informer-benches`.
//!
//! Each measurement runs in a process of its own, so that its memory is its own, against a replay
//! server in another one, whose answers were prepared before. The runs of all peers are
//! interleaved, so that a busy machine is busy for all of them alike. This binary is all of these
//! processes: it starts itself again with `serve` or `measure`.
//!
//! ```text
//! compare ──┬─► serve                  prepared LIST pages and WATCH events over loopback HTTP/1
//!           └─► measure <peer> ─► serve one sync, one relist, one stream of events; a line of JSON
//! ```

mod clock;
mod compare;
mod control;
mod figures;
mod measure;
mod peers;
mod pod;
mod progress;
mod report;
mod sample;
mod serve;

use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::compare::Comparison;
use crate::peers::Peer;

/// Anything that ends a benchmark: nobody acts on it, a person reads it.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Measures informer against its peers, prints a table and writes docs/performance.md.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    comparison: Comparison,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Serves the prepared world until its standard input ends (used internally).
    #[command(hide = true)]
    Serve {
        /// How many Pods there are.
        #[arg(long)]
        objects: usize,
        /// How many events are prepared.
        #[arg(long)]
        events: usize,
    },
    /// Measures one peer once and prints the figures as JSON (used internally).
    #[command(hide = true)]
    Measure {
        /// Who is measured.
        peer: Peer,
        /// Where the world is served.
        #[arg(long)]
        server: SocketAddr,
        /// How many Pods there are.
        #[arg(long)]
        objects: usize,
        /// How many events to ask for.
        #[arg(long)]
        events: usize,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.role {
        None => arguments.comparison.run(),
        Some(Role::Serve { objects, events }) => serve::run(objects, events),
        Some(Role::Measure {
            peer,
            server,
            objects,
            events,
        }) => measure::run(peer, server, objects, events),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
