//! Tests of controllers over an informer with a scripted source.

mod end;
mod run;
mod world;
