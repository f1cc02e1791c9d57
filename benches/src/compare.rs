//! Runs all peers in turn and collects their samples.

use std::env;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use clap::Args;

use crate::Result;
use crate::figures::World;
use crate::peers::Peer;
use crate::programs::{Program, Programs};
use crate::report::{self, Block, Conditions};
use crate::sample::Sample;

/// Options of a comparison.
#[derive(Debug, Args)]
pub(crate) struct Comparison {
    /// Number of Pods in the world; a list measures several worlds
    #[arg(long, value_delimiter = ',', default_value = "1000,20000")]
    objects: Vec<usize>,
    /// Number of watch events
    #[arg(long, default_value_t = 20_000)]
    events: usize,
    /// Number of runs of each peer, of which the median is reported; a list has a number for each
    /// world
    #[arg(long, value_delimiter = ',', default_value = "5")]
    runs: Vec<usize>,
    /// Peers to measure
    #[arg(long, value_delimiter = ',', default_values_t = Peer::ALL)]
    peers: Vec<Peer>,
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
        let worlds = self.worlds()?;
        let mut programs = Programs::default();
        let mut skipped = Vec::new();
        let mut peers = Vec::new();
        for &peer in &self.peers {
            let lacks = peer.lacks().map(Into::into);
            match lacks.map_or_else(|| programs.of(peer), Err) {
                Ok(program) => peers.push((peer, program)),
                Err(error) => skipped.push(format!("{}: {error}", peer.title())),
            }
        }
        let mut blocks = Vec::new();
        for (world, runs) in worlds {
            blocks.push(measure(world, runs, &peers, &mut skipped)?);
        }
        for line in &skipped {
            eprintln!("NOT MEASURED: {line}");
        }
        let terminal: String = blocks.iter().map(Block::to_terminal).collect();
        print!("{terminal}\n{}", report::goals(&blocks));
        if !self.no_write {
            let conditions = Conditions {
                go: programs.go_version(),
                skipped,
                note: self.note.clone(),
            };
            report::write(&blocks, &conditions)?;
        }
        Ok(())
    }

    /// Returns the worlds with their numbers of runs.
    fn worlds(&self) -> Result<Vec<(World, usize)>> {
        let runs = match *self.runs {
            [runs] => vec![runs; self.objects.len()],
            _ => self.runs.clone(),
        };
        if runs.len() != self.objects.len() {
            let (worlds, given) = (self.objects.len(), runs.len());
            return Err(format!(
                "--runs has {given} numbers for {worlds} worlds: pass one number for all worlds, or one for each"
            )
            .into());
        }
        if runs.contains(&0) {
            return Err("--runs must be at least 1".into());
        }
        let worlds = self.objects.iter().map(|&objects| World {
            objects,
            events: self.events,
        });
        Ok(worlds.zip(runs).collect())
    }
}

/// Measures all peers in one world. The order of the peers rotates from run to run.
fn measure(
    world: World,
    runs: usize,
    peers: &[(Peer, Program)],
    failed: &mut Vec<String>,
) -> Result<Block> {
    let progress = Progress::new(runs * peers.len());
    progress.show(0, "the server prepares its responses");
    let server = Server::start(&world)?;
    let mut samples = vec![Vec::new(); peers.len()];
    for run in 0..runs {
        for turn in 0..peers.len() {
            let at = (run + turn) % peers.len();
            let (Some((peer, program)), Some(samples)) = (peers.get(at), samples.get_mut(at))
            else {
                continue;
            };
            let done = run * peers.len() + turn;
            progress.show(done, &format!("{} Pods, {peer}", world.objects));
            match server.measure(program, *peer, &world) {
                Ok(sample) => samples.push(sample),
                // The other peers are measured despite the error.
                Err(error) => failed.push(format!("run {run} of {}: {error}", peer.title())),
            }
        }
    }
    progress.clear();
    let peers = peers.iter().map(|(peer, _)| *peer);
    Ok(Block::new(world, runs, peers.zip(samples).collect()))
}

/// Replay server in a separate process.
struct Server {
    process: Child,
    address: SocketAddr,
}

// === impl Server ===

impl Server {
    fn start(world: &World) -> Result<Self> {
        let mut process = Command::new(env::current_exe()?)
            .arg("serve")
            .args(["--objects", &world.objects.to_string()])
            .args(["--events", &world.events.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = process
            .stdout
            .take()
            .ok_or("the server has no standard output")?;
        BufReader::new(output).read_line(&mut line)?;
        Ok(Self {
            process,
            address: line.trim().parse()?,
        })
    }

    fn measure(&self, program: &Program, peer: Peer, world: &World) -> Result<Sample> {
        let output = program
            .command(peer)
            .args(["--server", &self.address.to_string()])
            .args(["--objects", &world.objects.to_string()])
            .args(["--events", &world.events.to_string()])
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

/// Progress display on a terminal. Prints nothing elsewhere.
struct Progress {
    total: usize,
    is_shown: bool,
}

// === impl Progress ===

impl Progress {
    fn new(total: usize) -> Self {
        let is_shown = io::stderr().is_terminal();
        Self { total, is_shown }
    }

    fn show(&self, done: usize, what: &str) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K[{done}/{}] {what}", self.total);
        }
    }

    fn clear(&self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        comparison: Comparison,
    }

    /// Returns the worlds as text, or the error.
    fn worlds(arguments: &str) -> String {
        let arguments = ["benches"].into_iter().chain(arguments.split_whitespace());
        let comparison = match Arguments::try_parse_from(arguments) {
            Ok(arguments) => arguments.comparison,
            Err(error) => return error.kind().to_string(),
        };
        match comparison.worlds() {
            Ok(worlds) => {
                let texts = worlds
                    .iter()
                    .map(|(world, runs)| format!("{runs} at {}", world.objects));
                texts.collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn each_world_has_its_number_of_runs_or_all_have_the_same() {
        assert_eq!(worlds(""), "5 at 1000, 5 at 20000");
        assert_eq!(worlds("--runs 3"), "3 at 1000, 3 at 20000");
        let each = worlds("--objects 1000,20000,100000 --runs 3,2,1");
        assert_eq!(each, "3 at 1000, 2 at 20000, 1 at 100000");
        assert_eq!(worlds("--objects 7 --runs 2"), "2 at 7");
    }

    #[test]
    fn runs_that_fit_no_world_are_refused() {
        let expected =
            "--runs has 3 numbers for 2 worlds: pass one number for all worlds, or one for each";
        assert_eq!(worlds("--runs 3,3,1"), expected);
        let expected =
            "--runs has 2 numbers for 1 worlds: pass one number for all worlds, or one for each";
        assert_eq!(worlds("--objects 7 --runs 2,2"), expected);
        assert_eq!(worlds("--runs 1,0"), "--runs must be at least 1");
        assert_eq!(worlds("--runs x"), "invalid value for one of the arguments");
    }
}
