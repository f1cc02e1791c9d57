//! The derive on the spec without `#[kube(...)]`.

use informer::Informer;
use serde::{Deserialize, Serialize};

#[derive(Informer, Serialize, Deserialize, Clone, Debug)]
struct FooSpec {
    deployment_name: String,
}

fn main() {}
