#!/usr/bin/env bash
# Runs programs written for the real API server against informer-apiserver, from their published Go
# modules, and prints the share of successes for each program:
#
#   tests/go-clients/run.sh                   all of them
#   tests/go-clients/run.sh helm kubectl      some of: kubectl helm controller-runtime
#   tests/go-clients/run.sh --real ...        against kube-apiserver and etcd
#
# The first run builds the programs, with two cores in about ten minutes, and downloads 1 GB. They
# are kept in the user's cache folder. target/go-clients/{double,real} has the results of each run:
# PART.passed lists the successes by name. If both folders exist, the script lists the successes
# against the real server alone, and fails if they exceed 2 % of a part. Otherwise any failure fails
# the script.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/go-clients/lib.sh

side=double
if [ "${1-}" = --real ]; then
  side=real
  shift
fi
parts=("$@")
if [ ${#parts[@]} = 0 ]; then parts=(kubectl helm controller-runtime); fi

export KUBEBUILDER_ASSETS="${KUBEBUILDER_ASSETS:-$(tests/kube-assets/build.sh)}"
export PATH="$KUBEBUILDER_ASSETS:$PATH"
if [ "$side" = double ]; then
  cargo build --locked --quiet -p informer-apiserver --features cli --bin informer-apiserver
fi
out="${CARGO_TARGET_DIR:-target}/go-clients/$side"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
work="$(mktemp -d)" programs="$(mktemp -d)"
trap 'stop; rm -rf "$work" "$programs"' EXIT
# The copy stays the same during the run.
double="$programs/informer-apiserver"
if [ "$side" = double ]; then cp "${CARGO_TARGET_DIR:-target}/debug/informer-apiserver" "$double"; fi

# Runs one command, and records its success under the command's text.
step() {
  if "$@" >> "$out/$part.log" 2>&1; then
    echo "${*//$work/WORK}" >> "$out/$part.passed"
  else
    echo "${*//$work/WORK}" >> "$out/$part.failed"
  fi
}

for part in "${parts[@]}"; do
  rm -f "$out/$part".*
  touch "$out/$part.passed" "$out/$part.failed"
  rm -rf "${work:?}"/*
  "start_$side"
  . "tests/go-clients/$part.sh"
  stop
  cp "$work/server.log" "$out/$part.server.log"
done

status=0
for part in "${parts[@]}"; do
  passed=$(wc -l < "$out/$part.passed")
  failed=$(wc -l < "$out/$part.failed")
  echo "$part: $passed succeed, $failed fail"
  real="$out/../real/$part.passed" double_passed="$out/../double/$part.passed"
  if [ -s "$real" ] && [ -s "$double_passed" ]; then
    comm -23 <(sort "$real") <(sort "$double_passed") > "$out/$part.missing"
    missing=$(wc -l < "$out/$part.missing")
    echo "$part: of $(wc -l < "$real") that succeed against the real server, $missing do not here"
    sed 's/^/  /' "$out/$part.missing"
    if [ $((missing * 50)) -gt "$(wc -l < "$real")" ]; then status=1; fi
  elif [ "$failed" -gt 0 ]; then
    sed 's/^/  /' "$out/$part.failed"
    status=1
  fi
done
exit "$status"
