#!/bin/sh
# Compiles 100 custom resources with and without `Informer` among their derives, three times each,
# and prints the seconds. Needs nothing but what the tests of the workspace have built.
#
#     informer-derive/tests/compile_time.sh [profile]      (dev, or release)
set -eu
cd "$(dirname "$0")/../.."
profile=${1:-dev}
trap 'rm -f examples/compile_time_with.rs examples/compile_time_without.rs' EXIT INT TERM

types() { # 1: ", Informer" or nothing; 2: the attribute or nothing
    echo 'use informer::Informer; use kube::CustomResource; use schemars::JsonSchema;'
    echo 'use serde::{Deserialize, Serialize};'
    i=0
    while [ $i -lt 100 ]; do
        cat <<EOF
#[derive(CustomResource$1, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo$i", namespaced)]
$2
#[serde(rename_all = "camelCase")]
pub struct Foo${i}Spec {
    pub deployment_name: String,
    pub replicas: Option<i32>,
}
EOF
        i=$((i + 1))
    done
}

types '' '' | sed 's/^use informer::Informer; //' >examples/compile_time_without.rs
types ', Informer' '#[informer(index = "spec.deploymentName")]' >examples/compile_time_with.rs

build() {
    cargo rustc --quiet --package informer --profile "$profile" --example "$1" --crate-type lib
}

build compile_time_without # everything else
for round in 1 2 3; do
    for name in compile_time_without compile_time_with; do
        touch "examples/$name.rs"
        start=$(date +%s.%N)
        build "$name"
        end=$(date +%s.%N)
        echo "$round $name $(echo "$end $start" | awk '{ printf "%.2f", $1 - $2 }') s"
    done
done
