use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub)]
enum EnumSpec {
    A,
}

#[derive(Informer)]
#[informer(crate = stub)]
union UnionSpec {
    a: u8,
}

#[derive(Informer)]
#[informer(crate = stub)]
struct TupleSpec(String);

#[derive(Informer)]
#[informer(crate = stub)]
struct UnitSpec;

fn main() {}

