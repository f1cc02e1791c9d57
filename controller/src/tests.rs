//! Parts that the tests of several modules share.

pub(crate) mod net;
pub(crate) mod server;
