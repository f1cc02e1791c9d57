#![allow(dead_code)]
#[derive(CustomResource)]
#[kube(group = "a.b", version = "v1")]
#[kube(kind = "Y", plural = "ys", singular = "y", served = false, deprecated = "no")]
pub struct Y;
#[derive(CustomResource)] #[kube(group = r#"a.b"#, version = "v1", kind = "Ox", namespaced = true)] pub struct OxSpec();
