//! Commands to the replay server from the measured process.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::Result;

/// Separate connection to the replay server, which does not disturb the measured connections.
#[derive(Debug)]
pub(crate) struct Control {
    stream: BufReader<TcpStream>,
}

// === impl Control ===

impl Control {
    pub(crate) async fn connect(server: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Ends the work of the server for an earlier client.
    pub(crate) async fn reset(&mut self) -> Result<()> {
        self.ask("reset").await.map(drop)
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
        let request = format!("GET /-/{order} HTTP/1.1\r\n\r\n");
        self.stream.write_all(request.as_bytes()).await?;
        let status = self.line().await?;
        if status != "HTTP/1.1 200 OK" {
            return Err(format!("the command `{order}` failed: {status}").into());
        }
        let mut length = 0;
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.parse()?;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        Ok(String::from_utf8(body)?)
    }

    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).await?;
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}
