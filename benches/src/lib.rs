//! Measures informer against its peers in one run: `cargo run --release -p informer-benches`.
//!
//! Each measurement runs in a separate process, so that its memory is measured alone. The replay
//! server runs in another process, with prepared responses. The runs of the peers are interleaved,
//! so that other load on the machine affects all of them equally. One binary contains all these
//! processes: it starts itself with `serve` or `measure`.
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

/// Error that ends a benchmark, for a human reader.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Measures informer against its peers, prints a table and writes docs/performance.md
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
    /// Renders the measured pages from docs/performance.csv without measuring anything
    Render,
    /// Serves the prepared world until its standard input ends (used internally)
    #[command(hide = true)]
    Serve {
        /// Number of Pods
        #[arg(long)]
        objects: usize,
        /// Number of prepared events
        #[arg(long)]
        events: usize,
    },
    /// Measures one peer once and prints the figures as JSON (used internally)
    #[command(hide = true)]
    Measure {
        /// Peer to measure
        peer: Peer,
        /// Address of the replay server
        #[arg(long)]
        server: SocketAddr,
        /// Number of Pods
        #[arg(long)]
        objects: usize,
        /// Number of events to request
        #[arg(long)]
        events: usize,
    },
}

/// Returns Pod `number` as JSON, as an item of a list, for micro-benchmarks.
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

/// Runs the command line of all benchmark programs.
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
