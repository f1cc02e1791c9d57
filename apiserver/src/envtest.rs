//! The real `kube-apiserver` and `etcd` as processes (feature `envtest`).
//!
//! Meant for tests that need the real server, and for comparing the embedded API server with it. It
//! works like controller-runtime's envtest: the programs come from the folder that the variable
//! `KUBEBUILDER_ASSETS` names, listen on loopback, keep their state in a temporary folder and stop
//! with the [`Environment`]. There are no controllers, no scheduler and no nodes.
//!
//! ```no_run
//! # async fn doc() -> Result<(), Box<dyn std::error::Error>> {
//! use informer_apiserver::envtest::Environment;
//!
//! let Some(assets) = Environment::assets() else {
//!     eprintln!("skipped: KUBEBUILDER_ASSETS names no kube-apiserver");
//!     return Ok(());
//! };
//! let environment = Environment::start(&assets).await?;
//! let client = kube::Client::try_from(environment.kube_config())?;
//! println!("{}", client.apiserver_version().await?.git_version);
//! environment.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! The real server speaks TLS only: `kube` needs its feature `rustls-tls` with `ring` or
//! `aws-lc-rs`, which the final crate chooses.

mod error;
mod files;
mod process;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::Instant;

pub use self::error::EnvironmentError;
use self::files::{ADMIN, Files, NOBODY};
use self::process::{Port, Program};

/// Time that both programs together have to become ready.
const PATIENCE: Duration = Duration::from_secs(90);

/// Variable that names the folder of the programs, as for controller-runtime's envtest.
const ASSETS: &str = "KUBEBUILDER_ASSETS";

/// A running `kube-apiserver` with its `etcd`.
///
/// Dropping it kills both without waiting; [`stop`](Self::stop) waits.
#[derive(Debug)]
pub struct Environment {
    server: Program,
    etcd: Program,
    /// Reserved, so that a restarted server has it again.
    port: Port,
    assets: PathBuf,
    server_arguments: Vec<String>,
    files: Files,
    /// Declared last: the folder must be removed after the programs that write to it have stopped.
    dir: TempDir,
}

// === impl Environment ===

impl Environment {
    /// Returns the folder that `KUBEBUILDER_ASSETS` names, if it contains a `kube-apiserver`.
    #[must_use]
    pub fn assets() -> Option<PathBuf> {
        let folder = PathBuf::from(std::env::var_os(ASSETS)?);
        folder.join("kube-apiserver").is_file().then_some(folder)
    }

    /// Starts both programs from the folder `assets` and waits until they are ready, which takes
    /// seconds.
    ///
    /// # Errors
    ///
    /// A program is missing, exits early, or is not ready after 90 seconds; the error has the last
    /// lines of its log.
    ///
    /// # Cancel safety
    ///
    /// Cancelling kills the started programs.
    pub async fn start(assets: &Path) -> Result<Self, EnvironmentError> {
        Self::start_with(assets, &[]).await
    }

    /// Starts both programs like [`start`](Self::start), with additional arguments for
    /// `kube-apiserver`: feature gates, or `--runtime-config=api/all=true`.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), or `kube-apiserver` rejects an argument.
    ///
    /// # Cancel safety
    ///
    /// Cancelling kills the started programs.
    pub async fn start_with(
        assets: &Path,
        server_arguments: &[&str],
    ) -> Result<Self, EnvironmentError> {
        let dir = TempDir::new().map_err(EnvironmentError::Files)?;
        let files = Files::write(dir.path())?;
        let until = Instant::now() + PATIENCE;

        let etcd_port = Port::reserve().map_err(EnvironmentError::Files)?;
        let etcd_url = format!("http://127.0.0.1:{}", etcd_port.number);
        let arguments = files.etcd_arguments(&etcd_url);
        let mut etcd = Program::start(assets, "etcd", dir.path(), &arguments)?;
        etcd.accepts(until, etcd_port.number).await?;

        let port = Port::reserve().map_err(EnvironmentError::Files)?;
        let mut arguments = files.server_arguments(&etcd_url, port.number);
        arguments.extend(server_arguments.iter().map(ToString::to_string));
        let mut server = Program::start(assets, "kube-apiserver", dir.path(), &arguments)?;
        ready(&mut server, &files, port.number, until).await?;
        Ok(Self {
            server,
            etcd,
            port,
            assets: assets.to_owned(),
            server_arguments: arguments,
            files,
            dir,
        })
    }

    /// Kills `kube-apiserver`, starts it again on the same port, and waits until it is ready.
    /// `etcd` keeps running, so only the watch cache is lost: watches from before the restart
    /// answer 410.
    ///
    /// # Errors
    ///
    /// The program exits early, or is not ready after 90 seconds.
    ///
    /// # Cancel safety
    ///
    /// Cancelling leaves the server killed or not ready.
    pub async fn restart_server(&mut self) -> Result<(), EnvironmentError> {
        self.server.kill().await;
        let arguments = &self.server_arguments;
        self.server = Program::start(&self.assets, "kube-apiserver", self.dir.path(), arguments)?;
        let until = Instant::now() + PATIENCE;
        ready(&mut self.server, &self.files, self.port.number, until).await
    }

    /// Returns the URL of the server: `https://127.0.0.1:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port.number)
    }

    /// Returns the client configuration of an administrator (`system:masters`), without kube's own
    /// retries.
    #[must_use]
    pub fn kube_config(&self) -> kube::Config {
        self.files.kube_config(self.port.number, ADMIN)
    }

    /// Returns the client configuration of a user without any role.
    #[must_use]
    pub fn kube_config_of_nobody(&self) -> kube::Config {
        self.files.kube_config(self.port.number, NOBODY)
    }

    /// Writes the administrator's kubeconfig for `kubectl --kubeconfig` and returns its path. The
    /// file is removed with the environment.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write_kubeconfig(&self) -> Result<PathBuf, EnvironmentError> {
        self.files.write_kubeconfig(&self.url())
    }

    /// Stops both programs and waits until they have exited.
    ///
    /// # Cancel safety
    ///
    /// Cancelling kills both.
    pub async fn stop(mut self) {
        self.server.kill().await;
        self.etcd.kill().await;
    }
}

/// Waits until a server that was just started can be used.
async fn ready(
    server: &mut Program,
    files: &Files,
    port: u16,
    until: Instant,
) -> Result<(), EnvironmentError> {
    // The server creates its certificate before it listens; the client configuration reads that
    // file.
    server.accepts(until, port).await?;
    server.answers(until, files.kube_config(port, ADMIN)).await
}

#[cfg(test)]
mod tests;
