//! The derive that was put on the spec before `#[kube(...)]` was.

use informer::Informer;
use serde::{Deserialize, Serialize};

#[derive(Informer, Serialize, Deserialize, Clone, Debug)]
struct FooSpec {
    deployment_name: String,
}

fn main() {}
