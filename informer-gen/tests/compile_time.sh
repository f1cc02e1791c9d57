#!/usr/bin/env bash
# Compiles the facade with and without `informer::k8s`, and hand-written informers as generic
# functions. Prints the CPU seconds of rustc, the least of three runs each (one run of the last row,
# which takes longest), as the table of docs/performance.md. The time that cargo takes to build
# dependencies is not measured.
#
#     informer-gen/tests/compile_time.sh
#     RUNS=1 informer-gen/tests/compile_time.sh     # a quick check of the script
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

# All built-in kinds of the newest Kubernetes, as types.
types=$(cargo run --quiet -p informer-gen -- list --built-in all |
    grep -v 'Kubernetes' | sed -n 's/.* of \(::k8s_openapi::[A-Za-z0-9_:]*\).*/\1/p')
kinds=$(echo "$types" | wc -l)

by_hand() { # 1: an attribute or nothing
    echo '//! By hand.'
    echo 'pub use informer_runtime::*;'
    number=0
    for type in $types; do
        number=$((number + 1))
        cat <<TEXT
/// An informer.
$1
pub fn informer_$number(factory: &SharedInformerFactory) -> SharedInformer<$type> {
    factory.informer()
}
/// A lister.
$1
pub fn lister_$number(informer: &SharedInformer<$type>) -> Lister<$type> {
    informer.lister()
}
TEXT
    done
}

# Cargo's own command, for another file, another directory, and without incremental compilation.
touch src/lib.rs
command=$(cargo rustc -v -p informer --lib --features k8s-beta,k8s-alpha,k8s-openapi/latest 2>&1 |
    sed -n 's/^ *Running `\(.*\)`$/\1/p' | tail -n 1 |
    sed "s/-C incremental=[^ ]*//; s,--out-dir [^ ]*,--out-dir $folder,; s/--error-format=json//; s/--json=[^ ]*//")

if [ -z "$command" ]; then
    echo "cargo did not show how it runs rustc" >&2
    exit 1
fi

measure() { # 1: name; 2: command; 3: how many runs
    least=
    for _ in $(seq "${3:-${RUNS:-3}}"); do
        seconds=$( { TIMEFORMAT=%U; time eval "$2" >"$folder/output" 2>&1; } 2>&1) || {
            cat "$folder/output" >&2
            exit 1
        }
        if [ -z "$least" ] || awk "BEGIN { exit !($seconds < $least) }"; then least=$seconds; fi
    done
    printf '| %s | %.2f s |\n' "$1" "$least"
}

by_hand '' >"$folder/by_hand.rs"
by_hand '#[inline]' >"$folder/by_hand_inline.rs"
without=$(echo "$command" | sed -E "s/--cfg '?feature=\"k8s[a-z-]*\"'?//g")
echo '| what is compiled | rustc |'
echo '|---|--:|'
measure 'the facade without `informer::k8s`' "$without"
measure 'the facade with all of `informer::k8s`, beta and alpha too' "$command"
measure "the facade's re-exports and $kinds kinds by hand, with \`#[inline]\`" \
    "$(echo "$without" | sed "s,src/lib.rs,$folder/by_hand_inline.rs,")"
measure "the same without \`#[inline]\`" "$(echo "$without" | sed "s,src/lib.rs,$folder/by_hand.rs,")" 1
