//! Tests of sessions against an API server in memory, on the paused clock.

mod gate;
mod notes;
mod reads;
mod referenced;
mod runs;
mod world;
