//! Connection: parses requests, and sends prepared bytes.

use std::io::{self, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;

use kube::core::ApiResource;
use serde_json::{Value, json};

use super::Shared;
use super::conductor::{Order, State};
use super::http::Request;
use super::world::{Form, World, paced};
use crate::clock;

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

    /// Serves requests until the client or a watch ends.
    pub(super) fn serve(mut self, shared: &Shared) -> io::Result<()> {
        while let Some(request) = Request::read(&mut self.reader)? {
            match shared.world.resource(&request.path) {
                Some(resource) if request.is_set("watch") => {
                    if self.watch(resource, &request, shared)?.is_none() {
                        break;
                    }
                }
                Some(resource) => self.list(resource, &request, shared)?,
                None => self.order(&request.path, shared)?,
            }
        }
        Ok(())
    }

    fn list(
        &mut self,
        resource: &ApiResource,
        request: &Request,
        shared: &Shared,
    ) -> io::Result<()> {
        let from = request.number("continue");
        let number = match from {
            0 => shared.conductor.begin_list(),
            _ => shared.conductor.lists(),
        };
        let form = shared.world.form(request.accepts_protobuf);
        let version = shared.world.list_version(number);
        let range = (from, request.number("limit"));
        let page = shared.world.body(form).page(resource, range, version);
        let length = page.head.len() + page.items.len() + page.tail.len();
        write!(
            self.stream,
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {length}\r\n\r\n",
            form.media_type()
        )?;
        self.stream.write_all(&page.head)?;
        self.stream.write_all(page.items)?;
        self.stream.write_all(page.tail)
    }

    /// Serves a watch to its end. Returns `None` if the client is gone.
    fn watch(
        &mut self,
        resource: &ApiResource,
        request: &Request,
        shared: &Shared,
    ) -> io::Result<Option<()>> {
        let form = shared.world.form(request.accepts_protobuf);
        write!(
            self.stream,
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n",
            form.watch_media_type()
        )?;
        if request.is_set("sendInitialEvents") {
            let version = shared.world.list_version(shared.conductor.begin_list());
            shared
                .world
                .body(form)
                .write_initial(resource, version, &mut self.stream)
                .map_err(io::Error::other)?;
        }
        let mut place = shared.conductor.enter();
        loop {
            match shared.conductor.next(&mut place) {
                Some(Order::Events) => {
                    let body = shared.world.body(form);
                    body.write_events(shared.world.rounds, &mut self.stream)?;
                }
                Some(Order::Paced(part)) => self.pace(shared, form, part)?,
                Some(Order::Expire) => {
                    let end = World::expired(form).map_err(io::Error::other)?;
                    self.stream.write_all(&end)?;
                    return Ok(Some(()));
                }
                None => return Ok(None),
            }
        }
    }

    /// Sends events at a fixed rate, and records the sending times.
    fn pace(&mut self, shared: &Shared, form: Form, part: usize) -> io::Result<()> {
        let began = clock::monotonic_nanos();
        for (position, event) in shared.world.paced(form, part).enumerate() {
            let offset = position as u64 * 1_000_000_000 / paced::RATE;
            clock::sleep_until(began + offset);
            shared.conductor.note_sent(clock::monotonic_nanos());
            self.stream.write_all(event)?;
        }
        Ok(())
    }

    /// Executes a command under `/-/`.
    fn order(&mut self, path: &str, shared: &Shared) -> io::Result<()> {
        let (status, answer) = match answer(path, shared) {
            Some(answer) => ("200 OK", answer),
            None => ("404 Not Found", Value::Null),
        };
        let body = answer.to_string();
        write!(
            self.stream,
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len(),
        )
    }
}

/// Executes a command, and returns its answer. Returns `None` if the command is unknown, or if the
/// client does not follow it.
fn answer(path: &str, shared: &Shared) -> Option<Value> {
    let conductor = &shared.conductor;
    let world = &shared.world;
    Some(match path {
        "/-/reset" => json!(conductor.reset()),
        "/-/events" => json!(conductor.order(|_| Order::Events)?),
        "/-/paced" => json!(conductor.order(State::next_part)?),
        "/-/sent" => json!(conductor.sent()),
        "/-/resources" => json!(world.resources),
        "/-/lookups" => json!(world.lookups.chosen()),
        "/-/connections" => {
            let connections = shared.connections.load(Ordering::SeqCst);
            // The connection of the command does not count.
            json!(connections - 1)
        }
        "/-/expire" => {
            let version = world.list_version(conductor.expire()?);
            json!(version.to_string())
        }
        "/-/processor-time" => json!(clock::processor_time().as_secs_f64()),
        _ => return None,
    })
}
