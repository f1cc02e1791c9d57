//! Runs all peers in turn and collects what they say.

use std::env;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use clap::Args;

use crate::Result;
use crate::figures::World;
use crate::peers::Peer;
use crate::report::{self, Block};
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
    /// Who is measured; the first one is what the others are compared with.
    #[arg(long, value_delimiter = ',', default_values_t = Peer::ALL)]
    peers: Vec<Peer>,
    /// Leaves docs/performance.md as it is.
    #[arg(long)]
    no_write: bool,
}

// === impl Comparison ===

impl Comparison {
    pub(crate) fn run(&self) -> Result<()> {
        let mut blocks = Vec::new();
        for &objects in &self.objects {
            let world = World {
                objects,
                events: self.events,
            };
            blocks.push(self.measure(world)?);
        }
        let terminal: String = blocks.iter().map(Block::to_terminal).collect();
        print!("{terminal}");
        if !self.no_write {
            report::write(&blocks, self.runs)?;
        }
        Ok(())
    }

    /// All runs in one world. Peers take turns, and who begins changes from run to run.
    fn measure(&self, world: World) -> Result<Block> {
        let progress = Progress::new(self.runs * self.peers.len());
        progress.show(0, "the server prepares its answers");
        let server = Server::start(&world)?;
        let mut samples = vec![Vec::new(); self.peers.len()];
        for run in 0..self.runs {
            for turn in 0..self.peers.len() {
                let at = (run + turn) % self.peers.len();
                let (Some(peer), Some(samples)) = (self.peers.get(at), samples.get_mut(at)) else {
                    continue;
                };
                let done = run * self.peers.len() + turn;
                progress.show(done, &format!("{} Pods, {peer}", world.objects));
                samples.push(server.measure(*peer, &world)?);
            }
        }
        progress.clear();
        let results = self.peers.iter().copied().zip(samples).collect();
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

    fn measure(&self, peer: Peer, world: &World) -> Result<Sample> {
        let output = Command::new(env::current_exe()?)
            .args(["measure", &peer.to_string()])
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
