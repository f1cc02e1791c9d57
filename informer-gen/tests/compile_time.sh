#!/usr/bin/env bash
# Compiles the facade with and without `informer::k8s`, hand-written informers as generic functions,
# the decoding of the kinds alone, and informers of all kinds. Prints the CPU seconds of rustc, the
# least of three runs each. The time that cargo takes to build dependencies is not measured.
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

by_hand() {
    echo '//! By hand.'
    echo 'pub use informer_runtime::*;'
    number=0
    for type in $types; do
        number=$((number + 1))
        cat <<TEXT
/// An informer.
#[inline]
pub fn informer_$number(factory: &SharedInformerFactory) -> SharedInformer<$type> {
    factory.informer()
}
/// A lister.
#[inline]
pub fn lister_$number(informer: &SharedInformer<$type>) -> Lister<$type> {
    informer.lister()
}
TEXT
    done
}

for_each_kind() { # 1: `decode` or `for_resource`
    echo '//! By hand.'
    echo 'pub use informer_runtime::*;'
    number=0
    for type in $types; do
        number=$((number + 1))
        echo '/// A kind.'
        if [ "$1" = decode ]; then
            cat <<TEXT
pub fn kind_$number(raw: &wire::RawObject) -> Result<$type, wire::DecodeError> {
    raw.decode()
}
TEXT
        else
            cat <<TEXT
pub fn kind_$number(factory: &SharedInformerFactory) -> GenericInformer {
    factory.informer::<$type>().into()
}
TEXT
        fi
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

measure() { # 1: name; 2: command
    least=
    for _ in $(seq "${RUNS:-3}"); do
        seconds=$( { TIMEFORMAT=%U; time eval "$2" >"$folder/output" 2>&1; } 2>&1) || {
            cat "$folder/output" >&2
            exit 1
        }
        if [ -z "$least" ] || awk "BEGIN { exit !($seconds < $least) }"; then least=$seconds; fi
    done
    printf '| %s | %.2f s |\n' "$1" "$least"
}

by_hand >"$folder/by_hand.rs"
for_each_kind decode >"$folder/decode.rs"
for_each_kind for_resource >"$folder/for_resource.rs"
without=$(echo "$command" | sed -E "s/--cfg '?feature=\"k8s[a-z-]*\"'?//g")
echo '| what is compiled | rustc |'
echo '|---|--:|'
measure 'the facade without `informer::k8s`' "$without"
measure 'the facade with all of `informer::k8s`, beta and alpha too' "$command"
measure "the facade's re-exports and $kinds kinds by hand, with \`#[inline]\`" \
    "$(echo "$without" | sed "s,src/lib.rs,$folder/by_hand.rs,")"
measure "the decoding of $kinds kinds" "$(echo "$without" | sed "s,src/lib.rs,$folder/decode.rs,")"
measure "informers of $kinds kinds, as \`for_resource\` needs" \
    "$(echo "$without" | sed "s,src/lib.rs,$folder/for_resource.rs,")"
