//! Runs all peers in turn and collects their samples.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::Args;

use crate::Result;
use crate::objects::Objects;
use crate::peers::Peer;
use crate::programs::{Program, Programs};
use crate::report::{self, Block};
use crate::sample::Sample;
use crate::world::{Kind, World};

/// Options of a comparison.
#[derive(Debug, Args)]
pub(crate) struct Comparison {
    /// Numbers of Pods in the mixed world; the uniform world has the first
    #[arg(long, value_delimiter = ',', default_value = "20000,100000")]
    objects: Vec<usize>,
    /// Number of watch events; the sustained world has 20 times as many, and the worlds of custom
    /// resources have one object for each
    #[arg(long, default_value_t = 20_000)]
    events: usize,
    /// Number of runs of each peer, of which the median is reported
    #[arg(long, default_value = "3")]
    runs: NonZeroUsize,
    /// Worlds to measure
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "uniform,mixed,sustained,configmaps,secrets,certificates,routes,applications,types"
    )]
    worlds: Vec<Kind>,
    /// Peers to measure
    #[arg(long, value_delimiter = ',', default_values_t = Peer::ALL)]
    peers: Vec<Peer>,
    /// Measures the objects of this file instead, a list of objects of one kind as `kubectl get -o
    /// json` writes it; writes no pages
    #[arg(long, value_name = "FILE", conflicts_with_all = ["objects", "worlds"])]
    objects_from: Option<PathBuf>,
    /// Note about the machine, for the readers of the page
    #[arg(long)]
    note: Option<String>,
    /// Do not write docs/performance.{csv,md,svg} and README.md
    #[arg(long)]
    no_write: bool,
}

// === impl Comparison ===

impl Comparison {
    pub(crate) fn run(&self) -> Result<()> {
        let file = self.objects_from.as_deref();
        let mut programs = Programs::default();
        let mut skipped = Vec::new();
        let mut blocks = Vec::new();
        for world in self.worlds()? {
            let are_built_in = Objects::of(&world, file)?.are_built_in();
            let entrants = self.entrants(world.kind, are_built_in, &mut programs, &mut skipped);
            let server = Server::start(&world, file)?;
            let runs = self.runs.get();
            blocks.push(measure(&server, world, runs, entrants, &mut skipped));
        }
        for line in &skipped {
            eprintln!("NOT MEASURED: {line}");
        }
        for block in &blocks {
            print!("{}", report::to_terminal(block));
        }
        if self.no_write || self.objects_from.is_some() {
            return Ok(());
        }
        let mut notes = Vec::new();
        notes.extend(self.note.clone());
        for line in &skipped {
            notes.push(format!("**Not measured**: {line}."));
        }
        let go = programs.go_version();
        let conditions = report::conditions(&blocks, go.as_deref(), &notes);
        report::write(blocks, conditions)
    }

    /// Returns the peers to measure in a world of this kind. Adds those without a program to
    /// `skipped`.
    fn entrants(
        &self,
        kind: Kind,
        are_built_in: bool,
        programs: &mut Programs,
        skipped: &mut Vec<String>,
    ) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for &peer in &self.peers {
            if !peer.measures(kind, are_built_in) {
                continue;
            }
            match programs.of(peer, kind) {
                Ok(program) => entrants.push(Entrant {
                    peer,
                    program,
                    samples: Vec::new(),
                }),
                Err(error) => {
                    let line = format!("{}: {error}", peer.title());
                    // A program that is missing in one world is missing in all.
                    if !skipped.contains(&line) {
                        skipped.push(line);
                    }
                }
            }
        }
        entrants
    }

    /// Returns the worlds to measure.
    fn worlds(&self) -> Result<Vec<World>> {
        if let Some(file) = &self.objects_from {
            let objects = Objects::of_file(file)?.len().unwrap_or(0);
            return Ok(World::of(Kind::File, &[objects], self.events));
        }
        Ok(self
            .worlds
            .iter()
            .flat_map(|kind| World::of(*kind, &self.objects, self.events))
            .collect())
    }
}

/// Measures all peers in one world. The order of the peers rotates from run to run.
fn measure(
    server: &Server,
    world: World,
    runs: usize,
    mut entrants: Vec<Entrant>,
    failed: &mut Vec<String>,
) -> Block {
    for run in 1..=runs {
        for entrant in &mut entrants {
            let title = entrant.peer.title();
            eprintln!(
                "run {run} of {runs}: {title}, {} {}",
                world.kind, world.objects
            );
            match server.measure(&entrant.program, entrant.peer, &world) {
                Ok(sample) => entrant.samples.push(sample),
                // The other peers are measured despite the error.
                Err(error) => failed.push(format!("run {run} of {title}: {error}")),
            }
        }
        let first = 1.min(entrants.len());
        entrants.rotate_left(first);
    }
    entrants.sort_by_key(|entrant| entrant.peer.position());
    let samples: Vec<_> = entrants
        .into_iter()
        .map(|entrant| (entrant.peer, entrant.samples))
        .collect();
    Block::new(world, runs, &samples)
}

/// Peer in one world.
struct Entrant {
    peer: Peer,
    program: Program,
    samples: Vec<Sample>,
}

/// Replay server in a separate process.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
}

// === impl Server ===

impl Server {
    pub(crate) fn start(world: &World, file: Option<&Path>) -> Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("serve").args(world.to_arguments());
        if let Some(file) = file {
            command.arg("--objects-from").arg(file);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let output = process
            .stdout
            .take()
            .ok_or("the server has no standard output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line
            .trim()
            .parse()
            .map_err(|_| "the replay server did not start")?;
        Ok(Self { process, address })
    }

    fn measure(&self, program: &Program, peer: Peer, world: &World) -> Result<Sample> {
        let output = program
            .command(peer)
            .args(["--server", &self.address.to_string()])
            .args(world.to_arguments())
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(format!("{peer} was not measured: {}", output.status).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server ends with its standard input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests;
