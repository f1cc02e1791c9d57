//! Why there is no environment.

use std::io;
use std::path::PathBuf;

/// Why `kube-apiserver` and `etcd` did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// Keys, tokens or folders could not be made, or no port is free.
    #[error("cannot prepare an environment for kube-apiserver")]
    Files(#[source] io::Error),
    /// The key for service accounts could not be made.
    #[error("cannot make a key for service accounts")]
    Key(#[source] rcgen::Error),
    /// A program could not be started.
    #[error("cannot start {}; KUBEBUILDER_ASSETS names the folder of kube-apiserver and etcd", .program.display())]
    Start {
        /// Which.
        program: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A program ended before it was ready.
    #[error("{program} ended: {status}; its last lines:\n{log}")]
    Ended {
        /// Which.
        program: &'static str,
        /// How.
        status: String,
        /// The end of its log.
        log: String,
    },
    /// A program was not ready in time.
    #[error("{program} is not ready after 90 seconds; its last lines:\n{log}")]
    NotReady {
        /// Which.
        program: &'static str,
        /// The end of its log.
        log: String,
    },
    /// `kube` cannot make a client for it.
    #[error(
        "kube cannot make a client for kube-apiserver; it needs the features rustls-tls and ring or aws-lc-rs"
    )]
    Client(#[source] kube::Error),
}
