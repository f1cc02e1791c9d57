//! A type of another crate cannot be wrapped: it is named.

use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub)]
struct Foo(stub::ObjectMeta);

fn main() {}
