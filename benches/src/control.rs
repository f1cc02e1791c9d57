//! Commands to the replay server from the measured process.
//!
//! | command | effect | answer in JSON |
//! |---|---|---|
//! | `reset` | ends the work for an earlier client | null |
//! | `resources` | | resources of the world |
//! | `lookups` | | [`Lookups`] |
//! | `connections` | | number of connections apart from this one |
//! | `events` | sends the prepared events on the open watch, or on the next one | null |
//! | `paced` | sends the next part of the paced events | null |
//! | `sent` | | sending time of each event of that part, by the machine's monotonic clock |
//! | `expire` | ends the watch with 410 | version of the next list, once that list begins |
//! | `processor-time` | | seconds of processor time of the server so far |

use std::net::SocketAddr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::Result;

/// Bytes to read at once.
const BUFFER: usize = 64 << 10;

/// Separate connection to the replay server, which does not disturb the measured connections.
#[derive(Debug)]
pub(crate) struct Control {
    stream: BufReader<TcpStream>,
}

/// Values that readers look up.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Lookups {
    /// Name and value of a label that about a fifth of the objects have.
    pub(crate) label: Option<(String, String)>,
    /// Names of nodes that have Pods.
    pub(crate) nodes: Vec<String>,
}

// === impl Control ===

impl Control {
    pub(crate) async fn connect(server: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::with_capacity(BUFFER, stream),
        })
    }

    /// Sends a command, and returns its answer.
    pub(crate) async fn ask<T: DeserializeOwned>(&mut self, order: &str) -> Result<T> {
        let length = self.request(&format!("/-/{order}")).await?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(serde_json::from_slice(&body)?)
    }

    /// Reads a response in protobuf, and discards it.
    pub(crate) async fn read(&mut self, target: &str) -> Result<()> {
        let length = self.request(target).await?;
        let mut body = (&mut self.stream).take(length as u64);
        tokio::io::copy_buf(&mut body, &mut tokio::io::sink()).await?;
        Ok(())
    }

    /// Sends a request. Returns the length of the body.
    async fn request(&mut self, target: &str) -> Result<usize> {
        let accept = informer_protobuf::MEDIA_TYPE;
        let request = format!("GET {target} HTTP/1.1\r\nAccept: {accept}\r\n\r\n");
        self.stream.write_all(request.as_bytes()).await?;
        let status = self.line().await?;
        if status != "HTTP/1.1 200 OK" {
            return Err(format!("the request for {target} failed: {status}").into());
        }
        let mut length = 0;
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                return Ok(length);
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.parse()?;
            }
        }
    }

    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).await?;
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}
