mod history;
mod limits;
mod misses;
mod namespaces;
mod single;
mod waits;
mod world;
