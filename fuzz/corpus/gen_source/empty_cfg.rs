#[cfg()] mod a;
#[cfg_attr()] #[derive(CustomResource)] struct A;
#[cfg(any())] mod b;
