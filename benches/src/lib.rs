//! Measures informer against its peers in one run: `cargo run --profile bench -p informer-benches`.
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
mod measure;
mod objects;
mod page;
mod peers;
mod programs;
mod progress;
mod relations;
mod report;
mod sample;
mod serve;
mod world;

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::compare::Comparison;
use crate::measure::Measured;
use crate::objects::{Objects, Revision};
use crate::serve::Served;
use crate::world::{Kind, World};

/// Error that ends a benchmark, for a human reader.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Measures informer against its peers, prints the figures and writes docs/performance.md
///
/// Each peer follows a replay server in a process of its own, in worlds of many kinds of objects:
/// a first list, a relist, events at full and at a fixed rate, and readers of its cache.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLE)]
struct Arguments {
    #[command(subcommand)]
    role: Option<Role>,
    #[command(flatten)]
    comparison: Comparison,
}

const EXAMPLE: &str = "Example: informer-benches --worlds mixed --objects 20000 --peers kube-runtime,typed --no-write";

#[derive(Debug, Subcommand)]
enum Role {
    /// Renders the measured pages from docs/performance.csv without measuring anything
    Render,
    /// Measures the search of related objects, beside kube-runtime's store and client-go's indexers
    Relations,
    /// Measures what the debug page costs: reasons in events per second, viewers in processor time
    Page,
    /// Prints the objects of a world in JSON, one a line
    Objects(World),
    /// Serves the prepared world until its standard input ends (used internally)
    #[command(hide = true)]
    Serve(Served),
    /// Measures one peer once and prints the figures as JSON (used internally)
    #[command(hide = true)]
    Measure(Measured),
}

/// Returns `count` Pods of the uniform world as JSON, for micro-benchmarks.
///
/// # Errors
///
/// Never fails, unless the template of the Pods is broken.
pub fn pods_json(count: usize) -> Result<Vec<Vec<u8>>> {
    let world = World {
        kind: Kind::Uniform,
        objects: count,
        events: 0,
    };
    objects(world)
}

/// Returns the objects of a world, each with its kind.
fn objects(world: World) -> Result<Vec<Vec<u8>>> {
    let objects = Objects::of(&world, None)?;
    let types = match objects.resources.first() {
        Some(resource) => objects::types(resource),
        None => String::new(),
    };
    let mut all = Vec::new();
    for number in 0..world.of_each_resource() {
        let revision = Revision {
            version: 1000 + number as u64,
            restarts: 0,
        };
        all.push(objects.json(number, revision, &types)?);
    }
    Ok(all)
}

/// Runs the command line of all benchmark programs. `heap` returns the number of allocated bytes,
/// if the program's allocator counts them.
#[must_use]
pub fn main(heap: Option<fn() -> u64>) -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.role {
        None => arguments.comparison.run(),
        Some(Role::Render) => report::render(),
        Some(Role::Relations) => relations::run(),
        Some(Role::Page) => page::run(),
        Some(Role::Objects(world)) => print(world),
        Some(Role::Serve(served)) => serve::run(&served),
        Some(Role::Measure(measured)) => measure::run(measured, heap),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the objects of a world until the reader is gone.
fn print(world: World) -> Result<()> {
    let mut out = io::stdout().lock();
    for object in objects(world)? {
        out.write_all(&object)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
