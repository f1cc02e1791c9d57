//! Commands to the replay server from the measured process.

use std::net::SocketAddr;
use std::time::Duration;

use kube::core::{ApiResource, GroupVersionKind};
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
#[derive(Debug)]
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

    /// Ends the work of the server for an earlier client.
    pub(crate) async fn reset(&mut self) -> Result<()> {
        self.ask("reset").await.map(drop)
    }

    /// Returns the resources of the world.
    pub(crate) async fn resources(&mut self) -> Result<Vec<ApiResource>> {
        let text = self.ask("resources").await?;
        text.lines().map(resource).collect()
    }

    /// Returns the values to look up.
    pub(crate) async fn lookups(&mut self) -> Result<Lookups> {
        let text = self.ask("lookups").await?;
        let mut lines = text.lines().map(str::to_owned);
        let label = lines.next().unwrap_or_default();
        let label = label.split_once('=');
        Ok(Lookups {
            label: label.map(|(name, value)| (name.to_owned(), value.to_owned())),
            nodes: lines.collect(),
        })
    }

    /// Returns the number of connections apart from this one.
    pub(crate) async fn connections(&mut self) -> Result<u64> {
        Ok(self.ask("connections").await?.parse()?)
    }

    /// Requests the prepared events on the open watch, or on the next watch.
    pub(crate) async fn send_events(&mut self) -> Result<()> {
        self.ask("events").await.map(drop)
    }

    /// Requests the next part of the paced events.
    pub(crate) async fn send_paced(&mut self) -> Result<()> {
        self.ask("paced").await.map(drop)
    }

    /// Returns the sending time of each event of that part, by the machine's monotonic clock.
    pub(crate) async fn sent_times(&mut self) -> Result<Vec<u64>> {
        let text = self.ask("sent").await?;
        let times: std::result::Result<_, _> = text.lines().map(str::parse).collect();
        Ok(times?)
    }

    /// Ends the watch with 410. Returns the version of the next list, once that list begins.
    pub(crate) async fn expire(&mut self) -> Result<String> {
        self.ask("expire").await
    }

    /// Returns the server's processor time so far.
    pub(crate) async fn processor_time(&mut self) -> Result<Duration> {
        let micros = self.ask("processor-time").await?.parse()?;
        Ok(Duration::from_micros(micros))
    }

    async fn ask(&mut self, order: &str) -> Result<String> {
        let length = self.request(&format!("/-/{order}")).await?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(String::from_utf8(body)?)
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

/// Parses a line with apiVersion, plural and kind.
fn resource(line: &str) -> Result<ApiResource> {
    let mut words = line.split(' ');
    let (Some(api_version), Some(plural), Some(kind)) = (words.next(), words.next(), words.next())
    else {
        return Err(format!("`{line}` is not a resource").into());
    };
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = GroupVersionKind::gvk(group, version, kind);
    Ok(ApiResource::from_gvk_with_plural(&kind, plural))
}
