//! One program: start, wait until ready, kill.

use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::error::EnvironmentError;

/// Pause between two checks whether a program is ready.
const PAUSE: Duration = Duration::from_millis(100);

/// Timeout of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes of a log that an error quotes.
const LOG_TAIL: usize = 4096;

/// A child process that is killed on drop, and its log.
#[derive(Debug)]
pub(super) struct Program {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

/// A port that is reserved while this exists: the system gives it to no other program, though
/// nothing listens on it yet. A program that sets `SO_REUSEPORT` can listen on it.
#[derive(Debug)]
pub(super) struct Port {
    pub(super) number: u16,
    _socket: Socket,
}

// === impl Port ===

impl Port {
    pub(super) fn reserve() -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        #[cfg(unix)]
        socket.set_reuse_port(true)?;
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        let address = socket.local_addr()?.as_socket();
        Ok(Self {
            number: address.map_or(0, |address| address.port()),
            _socket: socket,
        })
    }
}

// === impl Program ===

impl Program {
    pub(super) fn start(
        assets: &Path,
        name: &'static str,
        dir: &Path,
        arguments: &[String],
    ) -> Result<Self, EnvironmentError> {
        let log = dir.join(format!("{name}.log"));
        let output = File::create(&log).map_err(EnvironmentError::Files)?;
        let errors = output.try_clone().map_err(EnvironmentError::Files)?;
        let program = assets.join(name);
        let child = Command::new(&program)
            .args(arguments)
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| EnvironmentError::Start { program, source })?;
        Ok(Self { name, child, log })
    }

    /// Waits until the program accepts connections on `port`.
    pub(super) async fn accepts(
        &mut self,
        until: Instant,
        port: u16,
    ) -> Result<(), EnvironmentError> {
        self.wait(until, || async move {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .is_ok()
        })
        .await
    }

    /// Waits until the program reports that it is ready.
    pub(super) async fn answers(
        &mut self,
        until: Instant,
        config: kube::Config,
    ) -> Result<(), EnvironmentError> {
        let client = kube::Client::try_from(config).map_err(EnvironmentError::Client)?;
        self.wait(until, || async {
            let request = http::Request::get("/readyz").body(Vec::new());
            match request {
                Ok(request) => client.request_text(request).await.is_ok(),
                Err(_) => false,
            }
        })
        .await
    }

    async fn wait<F: Future<Output = bool>>(
        &mut self,
        until: Instant,
        is_ready: impl Fn() -> F,
    ) -> Result<(), EnvironmentError> {
        loop {
            if timeout(CHECK_TIMEOUT, is_ready()).await == Ok(true) {
                return Ok(());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(EnvironmentError::Ended {
                    program: self.name,
                    status: status.to_string(),
                    log: self.last_lines(),
                });
            }
            if Instant::now() > until {
                return Err(EnvironmentError::NotReady {
                    program: self.name,
                    log: self.last_lines(),
                });
            }
            sleep(PAUSE).await;
        }
    }

    pub(super) async fn kill(&mut self) {
        // The kill fails only if the program has exited already.
        drop(self.child.kill().await);
    }

    fn last_lines(&self) -> String {
        let log = fs::read(&self.log).unwrap_or_default();
        let from = log.len().saturating_sub(LOG_TAIL);
        String::from_utf8_lossy(log.get(from..).unwrap_or_default()).into_owned()
    }
}
