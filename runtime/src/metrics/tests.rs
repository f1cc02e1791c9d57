//! Tests of measurements, and of the exported page.

mod informer;
mod page;
mod requests;
