//! Why there is no server.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::status::ApiError;

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A file of objects cannot be read, or is not JSON.
    #[error("cannot load {}", path.display())]
    Load {
        /// The file that was given.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A given object or definition is not one.
    #[error("cannot serialize a given object: {0}")]
    Serialize(String),
    /// The file of a persistent server is not one, or in use.
    #[error("cannot use the file {}", path.display())]
    Persist {
        /// The file that was asked for.
        path: PathBuf,
        /// What the store says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Keys or certificates cannot be made.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
    /// The system gives no random numbers, of which keys are made.
    #[error("cannot make a key: the system gives no random numbers")]
    Random,
    /// A given object or definition was refused.
    #[error("cannot create a given object")]
    Create(#[source] ApiError),
}
