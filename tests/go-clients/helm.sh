# Sourced by run.sh: installs, upgrades and removes a release.
helm="$(program helm helm.sh/helm/v3 helm.sh/helm/v3/cmd/helm helm build)"
export HELM_CACHE_HOME="$work/helm/cache" HELM_CONFIG_HOME="$work/helm/config" HELM_DATA_HOME="$work/helm/data"
helm() { "$helm" "$@"; }
is() { [ "$(kubectl get "$1" web -o jsonpath="$2")" = "$3" ]; }
chart=tests/go-clients/chart
step helm install web "$chart"
step is configmap '{.data.color}' blue
step is secret '{.data.color}' Ymx1ZQ==
step is widgets.chart.example.com '{.spec.color}' blue
step helm upgrade web "$chart" --set color=red,replicas=2
step is configmap '{.data.color}' red
step is deployment '{.spec.replicas}' 2
step helm history web
step helm status web --show-resources
step helm get manifest web
step helm rollback web 1
step is configmap '{.data.color}' blue
step is deployment '{.spec.replicas}' 1
step helm upgrade --install web "$chart" --set color=green
step helm list --all-namespaces
step helm uninstall web
step helm template web "$chart" --validate
