//! The server as clients see it: over HTTP, mostly through `kube`.

mod crud;
mod support;
