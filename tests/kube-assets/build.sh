#!/usr/bin/env bash
# Builds kube-apiserver, kubectl and etcd from their published Go modules, and prints their folder:
#
#   KUBEBUILDER_ASSETS=$(tests/kube-assets/build.sh) cargo test -p informer --test e2e
#
# The first build takes about six minutes with two cores, and downloads about 1 GB. The results are
# kept in the user's cache folder, one folder for each set of versions. An existing folder needs
# neither Go nor a network.
#
# The exit status is 3 if building is impossible: Go is missing, or no module can be downloaded.
# Every other failure is a real fault, most likely of these modules.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

# The version of the tool is the version of the module, so one file sets both.
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

# Checks whether any module can be downloaded. The requested version is in no cache.
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
  # Builds under a temporary name, because another process may be building the same program.
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
