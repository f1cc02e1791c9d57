//! Replay server: serves a prepared world from memory over HTTP/1, with minimal work.
//!
//! LIST supports `limit` and `continue`, and WATCH `sendInitialEvents`. Both respond in protobuf if
//! the client accepts it and the objects are of a built-in kind. Commands under `/-/` control the
//! events of a watch; see [`control`](crate::control). Each connection has a thread.

mod conductor;
mod connection;
mod http;
mod world;

use std::io::{self, Read as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Args;

use self::conductor::Conductor;
use self::connection::Connection;
use self::world::World;
pub(crate) use self::world::paced;
use crate::Result;
use crate::objects::Objects;

/// State that all connections share.
#[derive(Debug)]
struct Shared {
    world: World,
    conductor: Conductor,
    /// Open connections.
    connections: AtomicUsize,
}

/// World to serve.
#[derive(Debug, Args)]
pub(crate) struct Served {
    #[command(flatten)]
    world: crate::world::World,
    /// File with the objects
    #[arg(long)]
    objects_from: Option<PathBuf>,
}

/// Serves until standard input ends, so that the server does not outlive its parent. Prints its
/// address when it is ready.
pub(crate) fn run(served: &Served) -> Result<()> {
    let objects = Objects::of(&served.world, served.objects_from.as_deref())?;
    let world = World::new(&objects, &served.world, paced::EVENTS)?;
    let address = start(world)?;
    println!("{address}");
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Serves `world` in separate threads, which end with the process.
fn start(world: World) -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared {
        world,
        conductor: Conductor::default(),
        connections: AtomicUsize::new(0),
    });
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let state = Arc::clone(&shared);
            // The client reports failed connections.
            thread::spawn(move || connect(stream, &state));
        }
    });
    Ok(address)
}

/// Serves a connection, and counts it while it is open.
fn connect(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    shared.connections.fetch_add(1, Ordering::SeqCst);
    let served = Connection::new(stream).and_then(|connection| connection.serve(shared));
    shared.connections.fetch_sub(1, Ordering::SeqCst);
    served
}

#[cfg(test)]
mod tests;
