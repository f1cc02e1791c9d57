//! The replay server: a world prepared in memory, served over HTTP/1 with as little work as can be.
//!
//! LIST honours `limit` and `continue`, WATCH honours `sendInitialEvents`, both answer in protobuf
//! whoever accepts it; what a watch sends
//! later, and when, is ordered under `/-/`, which see [`control`](crate::control). A thread per
//! connection: there are two or three.

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

/// What all connections share.
#[derive(Debug)]
struct Shared {
    world: World,
    conductor: Conductor,
}

/// Serves until standard input ends, so that no server outlives whoever started it. Prints its
/// address when it is ready.
pub(crate) fn run(objects: usize, events: usize) -> Result<()> {
    println!("{}", start(World::new(objects, events, paced::EVENTS)?)?);
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Serves `world` in threads of their own, which end with the process.
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
            // A connection that fails is its client's to report.
            thread::spawn(move || Connection::new(stream).and_then(|it| it.serve(&shared)));
        }
    });
    Ok(address)
}

#[cfg(test)]
mod tests;
