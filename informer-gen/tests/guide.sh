#!/usr/bin/env bash
# Follows docs/generator.md literally in an empty folder: writes its files, tests and runs the
# program against informer-apiserver, creates the object, and compares the output. Unpublished
# crates are taken from this workspace.
#
#     informer-gen/tests/guide.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
folder=$(mktemp -d)
started=()
finish() {
    for process in "${started[@]}"; do kill -INT "$process" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap finish EXIT

cargo build --quiet --locked -p informer-apiserver --bins
target=${CARGO_TARGET_DIR:-$root/target}

# Replaces the crates of the registry by those of this workspace, with the same dependencies.
mkdir "$folder/.cargo"
{
    echo '[patch.crates-io]'
    echo "informer = { path = \"$root\" }"
    for crate in gen runtime derive protobuf; do
        path=$root/$crate
        [ -d "$path" ] || path=$root/informer-$crate
        echo "informer-$crate = { path = \"$path\" }"
    done
} >"$folder/.cargo/config.toml"
export CARGO_TARGET_DIR=$target CARGO_NET_OFFLINE=true

cd "$folder"
cargo new --quiet --vcs none --bin foos
cd foos
cp "$root/Cargo.lock" .

# A code block whose introduction begins with a file name is that file.
awk '
    /^## The types/ { exit }
    /^```/ && inside { close(file); inside = 0; file = ""; next }
    /^```/ { inside = 1; if (file) { system("mkdir -p $(dirname " file ")"); printf "" > file } ; next }
    inside { if (file) print > file; next }
    /^`[A-Za-z.\/]+`/ { file = $0; sub(/^`/, "", file); sub(/`.*/, "", file); next }
    /^$/ { next }
    /^#/ { file = "" }
' "$root/docs/generator.md"
for file in Cargo.toml crds/foos.yaml build.rs src/main.rs; do
    [ -s "$file" ] || { echo "docs/generator.md has no $file" >&2; exit 1; }
done

cargo test --quiet
"$target/debug/informer-apiserver" --port 8001 --crd crds/foos.yaml --kubeconfig kubeconfig >server &
started+=($!)
cargo build --quiet
until [ -s kubeconfig ]; do sleep 0.1; done
KUBECONFIG=kubeconfig "$target/debug/foos" >printed &
started+=($!)

waited=0
await() { # 1: a line
    until grep -qxF "$1" printed; do
        waited=$((waited + 1))
        [ "$waited" -lt 300 ] || { echo "not printed: $1" >&2; cat printed >&2; exit 1; }
        sleep 0.1
    done
}
await 'synced: 0 foos'
# Runs the command of the guide.
create=$(sed -n '/^\$ curl /,/^```/p' "$root/docs/generator.md" | sed 's/^\$ //; /^```/d')
eval "$create" >/dev/null
await "$(sed -n '/^```text$/,/^```$/p' "$root/docs/generator.md" | sed -n 2p)"
echo "docs/generator.md leads to a running controller"
