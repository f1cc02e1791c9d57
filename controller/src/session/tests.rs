//! Tests of sessions against an API server in memory, on the paused clock.

mod any;
mod ends;
mod gate;
mod notes;
mod reads;
mod referenced;
mod runs;
mod world;
