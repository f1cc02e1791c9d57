mod history;
mod limits;
mod misses;
mod namespaces;
mod server;
mod single;
mod waits;
mod world;
