use k8s_openapi::api::core::v1::{Node, Pod};

use super::*;

// Compilation is the test.
const _: () = assert_defined_namespaced::<Pod>();
const _: () = assert_defined_cluster::<Node>();

#[test]
fn a_type_that_equals_its_definition_passes() {
    assert_defined::<Pod>("", "v1", "Pod", "pods");
}

#[test]
#[should_panic(expected = "differs from its definition")]
fn a_different_plural_panics() {
    assert_defined::<Pod>("", "v1", "Pod", "podes");
}
