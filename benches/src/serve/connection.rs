//! One connection: requests in, prepared bytes out.

use std::io::{self, BufReader, Write as _};
use std::net::TcpStream;

use super::Shared;
use super::conductor::Order;
use super::http::Request;
use super::world::World;
use crate::clock;

/// The collection that is served.
const PODS: &str = "/api/v1/pods";

#[derive(Debug)]
pub(super) struct Connection {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

// === impl Connection ===

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self {
            reader: BufReader::new(stream.try_clone()?),
            stream,
        })
    }

    /// Answers requests until the client, or what is served to it, has ended.
    pub(super) fn serve(mut self, shared: &Shared) -> io::Result<()> {
        while let Some(request) = Request::read(&mut self.reader)? {
            match request.path.as_str() {
                PODS if request.is_set("watch") => {
                    if self.watch(&request, shared)?.is_none() {
                        break;
                    }
                }
                PODS => self.list(&request, shared)?,
                other => self.order(other, shared)?,
            }
        }
        Ok(())
    }

    fn list(&mut self, request: &Request, shared: &Shared) -> io::Result<()> {
        let from = request.number("continue");
        let number = match from {
            0 => shared.conductor.begin_list(),
            _ => shared.conductor.lists(),
        };
        let version = shared.world.list_version(number);
        let page = shared.world.page(from, request.number("limit"), version);
        let length = page.head.len() + page.items.len() + page.tail.len();
        write!(
            self.stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{}",
            page.head
        )?;
        self.stream.write_all(page.items)?;
        self.stream.write_all(page.tail.as_bytes())
    }

    /// Serves a watch to its end; `None` if its client is gone.
    fn watch(&mut self, request: &Request, shared: &Shared) -> io::Result<Option<()>> {
        self.stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        )?;
        if request.is_set("sendInitialEvents") {
            let number = shared.conductor.begin_list();
            let version = shared.world.list_version(number);
            let (initial, end) = shared.world.initial(version);
            self.stream.write_all(initial)?;
            self.stream.write_all(&end)?;
        }
        let mut place = shared.conductor.enter();
        loop {
            match shared.conductor.next(&mut place) {
                Some(Order::Events) => self.stream.write_all(shared.world.events())?,
                Some(Order::Expire) => {
                    self.stream.write_all(&World::expired())?;
                    return Ok(Some(()));
                }
                None => return Ok(None),
            }
        }
    }

    /// Does what is asked under `/-/`.
    fn order(&mut self, path: &str, shared: &Shared) -> io::Result<()> {
        let conductor = &shared.conductor;
        let answer = match path {
            "/-/reset" => {
                conductor.reset();
                Some(String::new())
            }
            "/-/events" => conductor.send_events().map(|()| String::new()),
            "/-/expire" => conductor
                .expire()
                .map(|number| shared.world.list_version(number).to_string()),
            "/-/processor-time" => Some(clock::processor_time().as_micros().to_string()),
            _ => None,
        };
        let status = match answer {
            Some(_) => "200 OK",
            None => "404 Not Found",
        };
        let body = answer.unwrap_or_default();
        write!(
            self.stream,
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len(),
        )
    }
}
