#!/usr/bin/env bash
# Builds kube-apiserver, kubectl and etcd from their published Go modules, and prints their folder:
#
#   KUBEBUILDER_ASSETS=$(tests/kube-assets/build.sh) cargo test -p informer --test e2e
#
# The first build takes about six minutes of two cores, and downloads about 1 GB; after that it
# costs a second. The folder is kept in the user's cache folder, one for each set of versions.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

if ! command -v go > /dev/null; then
  echo "tests/kube-assets: no Go here; kube-apiserver and etcd are not built" >&2
  exit 3
fi

# The tool's version is the module's: one place says it.
kubernetes="$(cd "$here/kube-apiserver" && go list -m -f '{{.Version}}' k8s.io/kubernetes)"
etcd="$(cd "$here/etcd" && go list -m -f '{{.Version}}' go.etcd.io/etcd/server/v3)"
bin="${XDG_CACHE_HOME:-$HOME/.cache}/informer-kube-assets/$kubernetes-etcd-$etcd"
mkdir -p "$bin"

export CGO_ENABLED=0
version="-X k8s.io/component-base/version.gitVersion=$kubernetes"
version="$version -X k8s.io/component-base/version.gitMajor=$(cut -d. -f1 <<< "${kubernetes#v}")"
version="$version -X k8s.io/component-base/version.gitMinor=$(cut -d. -f2 <<< "$kubernetes")"

build() { # module, package, name
  if [ ! -x "$bin/$3" ]; then
    echo "tests/kube-assets: building $3; the first time takes minutes" >&2
    (cd "$here/$1" && go build -mod=readonly -trimpath -ldflags "-s -w $version" -o "$bin/.$3" "$2") >&2
    mv "$bin/.$3" "$bin/$3"
  fi
}
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver kube-apiserver
build kube-apiserver k8s.io/kubernetes/cmd/kubectl kubectl
build etcd go.etcd.io/etcd/server/v3 etcd

echo "$bin"
