#!/bin/sh
# Compiles 100 custom resources with and without `Informer` among their derives, three times each,
# and prints the seconds. Needs only what the tests of the workspace have built.
#
#     informer-derive/tests/compile_time.sh [profile]      (dev, or release)
set -eu
cd "$(dirname "$0")/../.."
profile=${1:-dev}
trap 'rm -f examples/compile_time_with.rs examples/compile_time_without.rs' EXIT INT TERM

types() { # 1: ", Informer" or nothing; 2: the attribute or nothing
    echo '#![allow(missing_docs)]'
    echo 'use informer::Informer; use kube::CustomResource; use schemars::JsonSchema;'
    echo 'use serde::{Deserialize, Serialize};'
    echo 'fn main() {}'
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

# Cargo builds examples as programs, which would be empty because main calls nothing. Therefore the
# script runs cargo's command with a library as the target.
for name in without with; do
    example=compile_time_$name
    run=$(cargo rustc -v --package informer --profile "$profile" --example $example 2>&1 |
        sed -n 's/^ *Running `\(.*\)`$/\1/p' | tail -n 1 |
        sed 's/--crate-type bin/--crate-type lib/; s/-C incremental=[^ ]*//')
    for round in 1 2 3; do
        start=$(date +%s.%N)
        eval "$run" >/dev/null 2>&1
        end=$(date +%s.%N)
        echo "$round $name $(echo "$end $start" | awk '{ printf "%.2f", $1 - $2 }') s"
    done
done
