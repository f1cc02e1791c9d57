//! Tests of measurements.

mod informer;
mod requests;
