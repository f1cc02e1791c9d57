//! Runs all peers in turn and collects what they say.

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

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct Comparison {
    /// How many Pods the world has; a list measures several worlds.
    #[arg(long, value_delimiter = ',', default_value = "1000,20000")]
    objects: Vec<usize>,
    /// How many watch events are sent.
    #[arg(long, default_value_t = 20_000)]
    events: usize,
    /// How often each peer is measured; medians are reported.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Who is measured.
    #[arg(long, value_delimiter = ',', default_values_t = Peer::ALL)]
    peers: Vec<Peer>,
    /// Something about the machine that readers of the page should know.
    #[arg(long)]
    note: Option<String>,
    /// Leaves docs/performance.md as it is.
    #[arg(long)]
    no_write: bool,
}

// === impl Comparison ===

impl Comparison {
    pub(crate) fn run(&self) -> Result<()> {
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
        for &objects in &self.objects {
            let world = World {
                objects,
                events: self.events,
            };
            blocks.push(self.measure(world, &peers, &mut skipped)?);
        }
        for line in &skipped {
            eprintln!("NOT MEASURED: {line}");
        }
        let terminal: String = blocks.iter().map(Block::to_terminal).collect();
        print!("{terminal}\n{}", report::goals(&blocks));
        if !self.no_write {
            let conditions = Conditions {
                runs: self.runs,
                go: programs.go_version(),
                skipped,
                note: self.note.clone(),
            };
            report::write(&blocks, &conditions)?;
        }
        Ok(())
    }

    /// All runs in one world. Peers take turns, and who begins changes from run to run.
    fn measure(
        &self,
        world: World,
        peers: &[(Peer, Program)],
        failed: &mut Vec<String>,
    ) -> Result<Block> {
        let progress = Progress::new(self.runs * peers.len());
        progress.show(0, "the server prepares its answers");
        let server = Server::start(&world)?;
        let mut samples = vec![Vec::new(); peers.len()];
        for run in 0..self.runs {
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
                    // The others are still worth their time.
                    Err(error) => failed.push(format!("run {run} of {}: {error}", peer.title())),
                }
            }
        }
        progress.clear();
        let peers = peers.iter().map(|(peer, _)| *peer);
        let results = peers.zip(samples).collect();
        Ok(Block { world, results })
    }
}

/// The replay server, in a process of its own.
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
        let output = process.stdout.take().ok_or("no output of the server")?;
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
        // It ends with its standard input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Says on a terminal what goes on; elsewhere nothing.
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
