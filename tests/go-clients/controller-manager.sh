# Sourced by run.sh: checks the actions of kube-controller-manager.
manager="$(program kubernetes k8s.io/kubernetes k8s.io/kubernetes/cmd/kube-controller-manager kube-controller-manager build)"
is() { [ "$(kubectl get $1 -o jsonpath="$2" 2> /dev/null)" = "$3" ]; }
becomes() { await is "$@"; }
background "$out/$part.manager.log" "$manager" --kubeconfig="$KUBECONFIG" --secure-port=0 \
  --leader-elect=false --concurrent-deployment-syncs=1
cat > "$work/objects.yaml" <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template: &template
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1" }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: data }
spec:
  replicas: 2
  podManagementPolicy: Parallel
  selector: { matchLabels: { app: data } }
  template:
    metadata: { labels: { app: data } }
    spec: { containers: [{ name: data, image: "data:1" }] }
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  template:
    spec: { restartPolicy: Never, containers: [{ name: once, image: "once:1" }] }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: bound }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: Node
metadata: { name: worker }
---
apiVersion: v1
kind: Pod
metadata: { name: bound, labels: { app: bound } }
spec: { nodeName: worker, containers: [{ name: web, image: "web:1" }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 1, selector: { matchLabels: { app: web } } }
END
step kubectl apply -f "$work/objects.yaml"
step becomes 'replicasets -l app=web' '{.items[*].spec.replicas}' 1
step becomes 'pods -l app=web' '{.items[*].spec.containers[0].image}' web:1
step becomes 'deployment web' '{.status.replicas}' 1
step becomes 'pods -l app=data' '{.items[*].metadata.name}' 'data-0 data-1'
step becomes 'pods -l job-name=once' '{.items[*].spec.restartPolicy}' Never
step becomes 'job once' '{.status.active}' 1
step kubectl scale deployment web --replicas=3
step becomes 'deployment web' '{.status.replicas}' 3
step kubectl set image deployment/web web=web:2
step becomes 'replicasets -l app=web' '{range .items[*]}x{end}' xx
ready() {
  local pod
  for pod in $(kubectl get pods -l 'app in (web, bound)' -o name); do
    kubectl patch "$pod" --subresource=status --type=merge -p \
      '{"status":{"phase":"Running","podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}],"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}'
  done
  is 'deployment web' '{.status.readyReplicas} {.status.updatedReplicas}' '3 3'
}
step await ready
# Pods that are created while others are deleted have to become ready, too.
rolled_out() { ready && kubectl rollout status deployment web --timeout=1s; }
step await rolled_out
step becomes 'endpointslices -l kubernetes.io/service-name=web' '{.items[*].endpoints[0].addresses}' '["10.1.2.3"]'
step becomes 'poddisruptionbudget web' '{.status.currentHealthy}' 3
step kubectl rollout undo deployment web
step becomes clustertrustbundles '{.items[*].spec.signerName}' kubernetes.io/kube-apiserver-serving
step kubectl create namespace team
step becomes 'configmap kube-root-ca.crt -n team' '{.metadata.name}' kube-root-ca.crt
step becomes 'serviceaccount default -n team' '{.metadata.name}' default
step kubectl create configmap some -n team
step kubectl delete namespace team --timeout=20s
step kubectl delete deployment web --timeout=20s
step becomes 'replicasets -l app=web' '{.items}' '[]'
step becomes 'pods -l app=web' '{.items}' '[]'
