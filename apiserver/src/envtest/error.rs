//! Errors of an environment's start.

use std::io;
use std::path::PathBuf;

/// Error of `kube-apiserver` or `etcd` that did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// Keys, tokens or folders could not be created, or no port is free.
    #[error("cannot prepare an environment for kube-apiserver")]
    Files(#[source] io::Error),
    /// The key for service accounts could not be created.
    #[error("cannot create a key for service accounts")]
    Key(#[source] rcgen::Error),
    /// A program could not be started.
    #[error("cannot start {}; KUBEBUILDER_ASSETS names the folder of kube-apiserver and etcd", .program.display())]
    Start {
        /// Path of the program.
        program: PathBuf,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A program exited before it was ready.
    #[error("{program} exited early ({status}); the last lines of its log:\n{log}")]
    Ended {
        /// Name of the program.
        program: &'static str,
        /// Exit status.
        status: String,
        /// Last lines of its log.
        log: String,
    },
    /// A program was not ready in time.
    #[error("{program} is not ready after 90 seconds; the last lines of its log:\n{log}")]
    NotReady {
        /// Name of the program.
        program: &'static str,
        /// Last lines of its log.
        log: String,
    },
    /// `kube` cannot create a client for the server.
    #[error(
        "kube cannot create a client for kube-apiserver; kube needs the feature rustls-tls with ring or aws-lc-rs"
    )]
    Client(#[source] kube::Error),
}
