//! Replay server: serves a prepared world from memory over HTTP/1, with minimal work.
//!
//! LIST supports `limit` and `continue`, WATCH supports `sendInitialEvents`, and both respond in
//! protobuf if the client accepts it. Commands under `/-/` control the later events of a watch; see
//! [`control`](crate::control). Each connection has a thread, because only two or three exist.

mod conductor;
mod connection;
mod http;
mod world;

use std::io::{self, Read as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use self::conductor::Conductor;
use self::connection::Connection;
use self::world::World;
pub(crate) use self::world::paced;
use crate::Result;

/// State that all connections share.
#[derive(Debug)]
struct Shared {
    world: World,
    conductor: Conductor,
}

/// Serves until standard input ends, so that the server does not outlive its parent. Prints its
/// address when it is ready.
pub(crate) fn run(objects: usize, events: usize) -> Result<()> {
    println!("{}", start(World::new(objects, events, paced::EVENTS)?)?);
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Serves `world` in separate threads, which end with the process.
fn start(world: World) -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared {
        world,
        conductor: Conductor::new(),
    });
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = Arc::clone(&shared);
            // The client reports failed connections.
            thread::spawn(move || {
                Connection::new(stream).and_then(|connection| connection.serve(&shared))
            });
        }
    });
    Ok(address)
}

#[cfg(test)]
mod tests;
