use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub, accessor = "words", scope = "Cluster")]
union Word {
    a: u8,
}

fn main() {}
