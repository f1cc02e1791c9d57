# Sourced by run.sh: builds the programs, and starts a server to run them against.

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/informer-go-clients"

version_of() { # module's folder, what it requires
  awk -v name="$2" '$1 == name && $3 != "=>" { print $2; exit }' "$here/$1/go.mod"
}

# Builds a program once for each version of its module, and prints its path.
program() { # module's folder, module, package, name, arguments of go
  local path
  path="$cache/$(version_of "$1" "$2")/$4"
  if [ ! -x "$path" ]; then
    echo "building $4" >&2
    mkdir -p "$(dirname "$path")"
    (cd "$here/$1" && CGO_ENABLED=0 go "${@:5}" -mod=readonly -trimpath -ldflags '-s -w' -o "$path.$$" "$3") >&2 || return 1
    mv "$path.$$" "$path"
  fi
  echo "$path"
}

# Waits until a command succeeds, for at most a minute.
await() {
  local tries
  for tries in $(seq 300); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 0.2
  done
  echo "timed out waiting for: $*" >&2
  return 1
}

# Starts a process that ends with this script.
background() { # file for its output, command
  local log="$1"
  shift
  "$@" > "$log" 2>&1 &
  children+=($!)
}
children=()
stop() {
  # Kills the processes, because kube-apiserver would wait for its watches.
  {
    if [ ${#children[@]} -gt 0 ]; then kill -KILL "${children[@]}" || true; fi
    wait || true
  } 2> /dev/null
  children=()
}

# Starts informer-apiserver with the kubeconfig $KUBECONFIG.
start_double() {
  export KUBECONFIG="$work/kubeconfig"
  background "$work/server.log" "$double" --tls --user nobody --managed-fields --kubeconfig "$KUBECONFIG"
  await kubectl get --raw /readyz
}

# Starts etcd and kube-apiserver as `informer_apiserver::envtest` does.
start_real() {
  local etcd=$((20000 + RANDOM % 10000)) port=$((30000 + RANDOM % 2000)) assets="$KUBEBUILDER_ASSETS"
  export KUBECONFIG="$work/kubeconfig"
  openssl genrsa -out "$work/sa.key" 2048 2> /dev/null
  openssl rsa -in "$work/sa.key" -pubout -out "$work/sa.pub" 2> /dev/null
  echo 'admin,admin,admin,"system:masters"' > "$work/tokens.csv"
  background "$work/etcd.log" "$assets/etcd" --data-dir="$work/etcd" --unsafe-no-fsync \
    --listen-client-urls="http://127.0.0.1:$etcd" --advertise-client-urls="http://127.0.0.1:$etcd" \
    --listen-peer-urls=http://127.0.0.1:0
  background "$work/server.log" "$assets/kube-apiserver" --etcd-servers="http://127.0.0.1:$etcd" \
    --bind-address=127.0.0.1 --secure-port="$port" --cert-dir="$work/certificates" \
    --token-auth-file="$work/tokens.csv" --service-account-key-file="$work/sa.pub" \
    --service-account-signing-key-file="$work/sa.key" --service-cluster-ip-range=10.0.0.0/24 \
    --service-account-issuer=https://kubernetes.default.svc --authorization-mode=RBAC \
    --disable-admission-plugins=ServiceAccount --allow-privileged=true
  await test -s "$work/certificates/apiserver.crt"
  cat > "$KUBECONFIG" <<END
{ "apiVersion": "v1", "kind": "Config", "current-context": "real",
  "clusters": [{ "name": "real", "cluster": {
    "server": "https://127.0.0.1:$port", "certificate-authority": "$work/certificates/apiserver.crt" } }],
  "users": [{ "name": "admin", "user": { "token": "admin" } }],
  "contexts": [{ "name": "real", "context": { "cluster": "real", "user": "admin" } }] }
END
  await kubectl get --raw /readyz
  await kubectl get namespace default
}
