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
mod programs;
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
use crate::pod::{Revision, Template};

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
    /// Renders the measured pages from docs/performance.csv without measuring anything.
    Render,
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

/// The Pod of this number as JSON, as it is in a list, for micro-benchmarks.
#[must_use]
pub fn pod_json(number: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let revision = Revision {
        version: 1000 + number as u64,
        restarts: 0,
    };
    Template::new().write(number, revision, true, &mut out);
    out
}

/// What the programs do.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.role {
        None => arguments.comparison.run(),
        Some(Role::Render) => report::render(),
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
