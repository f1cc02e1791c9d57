use informer_derive::Informer;

#[derive(Informer)]
#[informer(accessor = "parts", scope = "Cluster", crate = stub)]
struct Part<T, const N: usize> {
    values: [T; N],
}

#[derive(Informer)]
#[informer(accessor = "views", scope = "Cluster", crate = stub)]
struct View<'a> {
    text: &'a str,
}

fn main() {}

