use kube::CustomResource;

/// Documentation with ``` and */.
#[derive(CustomResource, Clone, Debug)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[kube(status = "FooStatus", shortname = "fo", derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    pub deployment_name: String,
}

#[cfg(any(feature = "a", all(not(test), not(feature = "b"))))]
pub mod inner {
    #[cfg_attr(not(feature = "a"), derive(kube::CustomResource))]
    #[cfg_attr(not(feature = "a"), kube(group = "example.com", version = "v2", kind = "Bar", root = "Other"))]
    pub enum BarSpec { A }
}

macro_rules! m { ($($t:tt)*) => { $($t)* } }
m! { struct X; }
