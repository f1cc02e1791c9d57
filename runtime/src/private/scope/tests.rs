use k8s_openapi::api::core::v1::{Node, Pod};

use super::*;

// Compilation is the test. Tests in informer-derive show that a wrong scope does not compile.
const _: () = assert_namespaced::<Pod>();
const _: () = assert_cluster::<Node>();
