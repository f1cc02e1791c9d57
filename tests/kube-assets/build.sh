#!/usr/bin/env bash
# Builds kube-apiserver, kubectl and etcd from their published Go modules, and prints their folder:
#
#   KUBEBUILDER_ASSETS=$(tests/kube-assets/build.sh) cargo test -p informer --test e2e
#
# The first build takes about six minutes of two cores, and downloads about 1 GB. The folder is kept
# in the user's cache folder, one for each set of versions; what is there already takes neither Go
# nor a network.
#
# Fails with 3 where they cannot be built: there is no Go, or no module can be had. Everything else
# is a fault, of these modules above all.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

# The tool's version is the module's: one place says it.
version_of() { # module's folder, what it requires
  awk -v name="$2" '$1 == name && $3 != "=>" { print $2; exit }' "$here/$1/go.mod"
}
kubernetes="$(version_of kube-apiserver k8s.io/kubernetes)"
etcd="$(version_of etcd go.etcd.io/etcd/server/v3)"
bin="${XDG_CACHE_HOME:-$HOME/.cache}/informer-kube-assets/$kubernetes-etcd-$etcd"
mkdir -p "$bin"

export CGO_ENABLED=0
version="-X k8s.io/component-base/version.gitVersion=$kubernetes"
version="$version -X k8s.io/component-base/version.gitMajor=$(cut -d. -f1 <<< "${kubernetes#v}")"
version="$version -X k8s.io/component-base/version.gitMinor=$(cut -d. -f2 <<< "$kubernetes")"

# Whether anything at all can be had from where Go gets its modules; what is asked for is in no cache.
modules_can_be_had() { (cd / && GOFLAGS=-mod=mod go list -m golang.org/x/mod@latest) > /dev/null 2>&1; }

build() { # module, package, name
  if [ -x "$bin/$3" ]; then
    return
  fi
  if ! command -v go > /dev/null; then
    echo "tests/kube-assets: no Go here; $3 is not built" >&2
    exit 3
  fi
  echo "tests/kube-assets: building $3; the first time takes minutes" >&2
  # Under a name of its own: somebody else may be building it, too.
  if ! (cd "$here/$1" && go build -mod=readonly -trimpath -ldflags "-s -w $version" -o "$bin/.$3.$$" "$2") >&2; then
    rm -f "$bin/.$3.$$"
    if modules_can_be_had; then
      echo "tests/kube-assets: $3 does not build" >&2
      exit 1
    fi
    echo "tests/kube-assets: no Go modules can be had here (no network?); $3 is not built" >&2
    exit 3
  fi
  mv "$bin/.$3.$$" "$bin/$3"
}
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
build kube-apiserver k8s.io/kubernetes/cmd/kubectl kubectl
build etcd go.etcd.io/etcd/server/v3 etcd

echo "$bin"
