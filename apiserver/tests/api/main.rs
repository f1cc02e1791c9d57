//! The server as clients see it: over HTTP, mostly through `kube`.

mod crud;
mod custom;
mod discovery;
mod faults;
mod lifecycle;
mod list;
mod support;
mod watch;
