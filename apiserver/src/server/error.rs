//! Errors of a server's start.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::status::ApiError;

/// Error of a server that did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is in use or does not belong to this machine.
    #[error("cannot listen on {address}")]
    Bind {
        /// Requested address.
        address: SocketAddr,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file of objects cannot be read, or is neither JSON nor YAML.
    #[error("cannot load {}", path.display())]
    Load {
        /// File of objects.
        path: PathBuf,
        /// Error of reading or of parsing.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A given object or definition cannot be serialized.
    #[error("cannot serialize a given object: {0}")]
    Serialize(String),
    /// Keys or certificates cannot be created.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
    /// A given object or definition was rejected.
    #[error("cannot create a given object")]
    Create(#[source] ApiError),
}
