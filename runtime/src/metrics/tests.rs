//! What is measured, and how a page of it reads.

mod informer;
mod page;
mod requests;
