//! A type of another crate needs a marker struct, not a newtype.

use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub)]
struct Foo(stub::ObjectMeta);

fn main() {}
