#!/usr/bin/env bash
# Measures the build cost of a program with informers, as rows of the table in docs/performance.md:
# CPU seconds (user and system) of a cold build and of a rebuild after an edit, in the development
# profile, and the size of the stripped release binary.
#
#     benches/compile_time.sh [CHECKOUT]     (default: this one)
#
# CHECKOUT is any checkout of informer, for comparisons of two versions. Needs 6 GB in the folder
# for temporary files, and some minutes.
set -euo pipefail
checkout=$(cd "${1:-"$(dirname "$0")/.."}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
export CARGO_TARGET_DIR="$folder/target"

program() { # 1: its name
    mkdir -p "$folder/$1/src"
    cp "$checkout/Cargo.lock" "$folder/$1/"
    cat >"$folder/$1/Cargo.toml" <<TEXT
[package]
name = "$1"
edition = "2024"
[dependencies]
informer = { path = "$checkout" }
k8s-openapi = { version = "0.29", features = ["latest"] }
kube = { version = "5", features = ["derive"] }
schemars = "1"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
[profile.release]
strip = true
[workspace]
TEXT
    cat >"$folder/$1/src/main.rs"
}

program derived <<'TEXT'
use informer::{EventHandlerFuncs, Informer, SharedInformerFactory};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[informer(index = "spec.deploymentName")]
#[serde(rename_all = "camelCase")]
pub struct FooSpec {
    pub deployment_name: String,
    pub replicas: Option<i32>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = informer::connect(kube::Config::infer().await?)?;
    let factory = SharedInformerFactory::builder(client).build()?;
    let foos = factory.foos();
    foos.add_event_handler(EventHandlerFuncs::new().on_delete(|gone| println!("{}", gone.key)))?;
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    println!("{}", foos.lister().by_deployment_name("web").len());
    factory.shutdown().await;
    Ok(())
}
TEXT

program built_in <<'TEXT'
use informer::k8s::SharedInformerFactoryExt as _;
use informer::{EventHandlerFuncs, SharedInformerFactory};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = informer::connect(kube::Config::infer().await?)?;
    let factory = SharedInformerFactory::builder(client).build()?;
    let pods = factory.core().v1().pods();
    pods.add_event_handler(EventHandlerFuncs::new().on_delete(|gone| println!("{}", gone.key)))?;
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    println!("{}", pods.lister().len());
    factory.shutdown().await;
    Ok(())
}
TEXT

build() { # 1: the program; more: flags. Prints the CPU seconds.
    local name=$1
    shift
    (
        cd "$folder/$name"
        TIMEFORMAT='%U %S'
        { time cargo build --quiet "$@" >"$folder/output" 2>&1 || { cat "$folder/output" >&2; exit 1; }; } 2>&1 |
            awk '{ printf "%.1f", $1 + $2 }'
    )
}

echo '| program | cold build | rebuild | binary |'
echo '|---|--:|--:|--:|'
for name in derived built_in; do
    rm -rf "$CARGO_TARGET_DIR"
    cold=$(build $name)
    least=
    for _ in 1 2 3; do
        touch "$folder/$name/src/main.rs"
        rebuild=$(build $name)
        if [ -z "$least" ] || awk "BEGIN { exit !($rebuild < $least) }"; then least=$rebuild; fi
    done
    rm -rf "$CARGO_TARGET_DIR"
    build $name --release >"$folder/release"
    size=$(stat -c %s "$CARGO_TARGET_DIR/release/$name")
    awk -v name=$name -v cold="$cold" -v rebuild="$least" -v size="$size" \
        'BEGIN { printf "| `%s` | %.0f s | %.1f s | %.1f MB |\n", name, cold, rebuild, size / 1e6 }'
done
