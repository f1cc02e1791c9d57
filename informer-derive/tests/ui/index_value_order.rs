//! Values of an index are compared and copied.

use informer_derive::IndexValue;

#[derive(IndexValue)]
#[informer(crate = stub)]
enum Phase {
    Ready,
}

fn main() {
    let _ = Phase::Ready;
}
