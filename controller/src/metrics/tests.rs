//! Tests of the exported page.

mod page;
