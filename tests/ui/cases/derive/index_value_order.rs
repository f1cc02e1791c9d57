//! Index values have to be comparable and cloneable.

use informer_derive::IndexValue;

#[derive(IndexValue)]
#[informer(crate = stub)]
enum Phase {
    Ready,
}

fn main() {
    let _ = Phase::Ready;
}
