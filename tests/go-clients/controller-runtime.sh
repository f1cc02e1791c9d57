# Sourced by run.sh: runs controller-runtime's own tests against an existing cluster.
#
# Excluded are the suites in which the API server calls a webhook (admission, conversion), which
# informer-apiserver does not support: webhook, webhook/*, builder, manager/internal/integration.
#
# "Warmup should not leak goroutines when manager is stopped with warmup runnable" (internal/controller)
# fails now and then: it expects that the end of its envtest closes the connections, and an existing
# cluster goes on. The connection of an event in flight is then idle, and its goroutines remain.
module=sigs.k8s.io/controller-runtime
# `go list` alone names no folder for a module that is not downloaded, and no suite would run.
sources="$(cd "$here/controller-runtime" && go mod download "$module" && go list -m -f '{{.Dir}}' "$module")"
[ -d "$sources/pkg" ] || { echo "tests/go-clients: the sources of $module are not there" >&2; exit 1; }
suites=(
  cache client client/apiutil cluster controller controller/controllerutil finalizer handler
  internal/controller internal/recorder leaderelection manager metrics/filters reconcile recorder
  source
)
export USE_EXISTING_CLUSTER=true
for suite in "${suites[@]}"; do
  if ! ls "$sources/pkg/$suite"/*_test.go > /dev/null 2>&1; then continue; fi
  name="${suite//\//-}"
  # A server of its own for each suite, as with envtest: suites leave objects behind.
  stop
  rm -rf "${work:?}"/*
  "start_$side"
  tests="$(program controller-runtime "$module" "$module/pkg/$suite" "controller-runtime-$name.test" test -c)"
  log="$out/$part.$name"
  (cd "$sources/pkg/$suite" && timeout 900 "$tests" -ginkgo.junit-report="$log.xml" -test.v > "$log.log" 2>&1) || true
  for status in passed failed; do
    { grep -o "<testcase name=\"\[It\][^\"]*\" classname=\"[^\"]*\" status=\"$status\"" "$log.xml" 2> /dev/null || true
      if [ ! -e "$log.xml" ]; then grep -E "^ *--- ${status:0:4}" -i "$log.log" || true; fi
    } | sed -e "s/^<testcase name=\"/$name: /" -e 's/" classname=.*//' -e 's/ ([0-9.]*s)$//' >> "$out/$part.$status"
  done
done
unset USE_EXISTING_CLUSTER
