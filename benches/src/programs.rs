//! Programs of the peers: this one, its variants on other allocators, and one in Go.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::peers::{self, Peer};
use crate::world::Kind;

/// Sources of the Go program.
const GO_SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/client-go");

/// Program that measures a peer.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    path: PathBuf,
}

/// Builds the required programs, each once.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    /// Built variants of this program.
    variants: BTreeMap<&'static str, PathBuf>,
    go: Option<std::result::Result<PathBuf, String>>,
}

// === impl Program ===

impl Program {
    /// Returns the command that measures `peer` once.
    pub(crate) fn command(&self, peer: Peer) -> Command {
        let mut command = Command::new(&self.path);
        command.arg("measure").arg(peer.name);
        // client-go's switch between a streaming list, its default, and a list.
        let streams = peer.options.streaming.to_string();
        command.env("KUBE_FEATURE_WatchListClient", streams);
        if peer.program == peers::Program::Tiered {
            // docs/memory.md advises these for glibc's allocator.
            command.env("MALLOC_MMAP_THRESHOLD_", "131072");
            command.env("MALLOC_ARENA_MAX", "2");
        }
        command
    }
}

// === impl Programs ===

impl Programs {
    /// Returns the program that measures `peer` in a world of this kind.
    pub(crate) fn of(&mut self, peer: Peer, kind: Kind) -> Result<Program> {
        let path = if peer.program == peers::Program::ClientGo {
            self.go()?
        } else if peer.options.mimalloc {
            self.variant("informer-benches-mimalloc")?
        } else if kind == Kind::Types {
            self.variant("informer-benches-counting")?
        } else {
            env::current_exe()?
        };
        Ok(Program { path })
    }

    /// Returns the version of Go, if the Go program was built.
    pub(crate) fn go_version(&self) -> Option<String> {
        self.go.as_ref()?.as_ref().ok()?;
        let output = Command::new("go")
            .args(["env", "GOVERSION"])
            .output()
            .ok()?;
        let version = String::from_utf8(output.stdout).ok()?;
        Some(version.trim().to_owned())
    }

    /// Runs a command of the Go program, with its output on this terminal.
    pub(crate) fn run_go(&mut self, command: &str) -> Result<()> {
        let mut program = Command::new(self.go()?);
        program.arg(command);
        run(program)
    }

    fn variant(&mut self, name: &'static str) -> Result<PathBuf> {
        if let Some(path) = self.variants.get(name) {
            return Ok(path.clone());
        }
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "-p", "informer-benches", "--bin", name]);
        if !cfg!(debug_assertions) {
            build.args(["--profile", "bench"]);
        }
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        let path = beside_this(name)?;
        run(build)?;
        self.variants.insert(name, path.clone());
        Ok(path)
    }

    fn go(&mut self) -> Result<PathBuf> {
        let built = self
            .go
            .get_or_insert_with(|| build_go().map_err(|error| error.to_string()));
        Ok(built.clone()?)
    }
}

fn build_go() -> Result<PathBuf> {
    let path = beside_this("informer-benches-client-go")?;
    let mut build = Command::new("go");
    build.args(["build", "-o"]).arg(&path).arg(".");
    build.current_dir(GO_SOURCES);
    run(build)?;
    Ok(path)
}

/// Returns the path of a program in the folder of this program.
fn beside_this(name: &str) -> Result<PathBuf> {
    let this = env::current_exe()?;
    let folder = this.parent().unwrap_or(Path::new("."));
    Ok(folder.join(name))
}

fn run(mut command: Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    if !status.success() {
        return Err(format!("{program} ended with {status}").into());
    }
    Ok(())
}
