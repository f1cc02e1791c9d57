#[derive(CustomResource, Informer)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[informer(index = "spec.a", index = spec.b.c)]
#[serde(rename_all = "camelCase")]
pub struct FooSpec { #[serde(rename = "a")] pub x: Option<Vec<String>>, pub(crate) b: Box<B>, }
