# Sourced by run.sh: runs common kubectl commands.
cat > "$work/web.yaml" <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1", ports: [{ containerPort: 80 }] }] }
END
step kubectl version
step kubectl api-versions
step kubectl api-resources
step kubectl explain deployment.spec.strategy --recursive
step kubectl create namespace team
step kubectl config set-context --current --namespace=team
step kubectl apply -f "$work/web.yaml"
step kubectl diff -f "$work/web.yaml"
step kubectl apply --server-side --force-conflicts -f "$work/web.yaml"
step kubectl expose deployment web --port=80 --target-port=8080
step kubectl autoscale deployment web --min=1 --max=3 --cpu=50%
step kubectl set image deployment/web web=web:2
step kubectl set env deployment/web COLOR=blue
step kubectl set resources deployment/web --limits=cpu=200m
step kubectl scale deployment web --replicas=2
step kubectl rollout pause deployment web
step kubectl rollout resume deployment web
step kubectl rollout restart deployment web
step kubectl create configmap settings --from-literal=a=b
step kubectl create secret generic password --from-literal=a=b
step kubectl create serviceaccount robot
step kubectl create role reader --verb=get,list --resource=pods
step kubectl create rolebinding reader --role=reader --serviceaccount=team:robot
step kubectl auth can-i list pods
step kubectl auth can-i --list
step kubectl auth whoami
step kubectl create quota small --hard=pods=3
step kubectl create poddisruptionbudget web --selector=app=web --min-available=1
step kubectl create job once --image=web:1
step kubectl create cronjob often --image=web:1 --schedule='* * * * *'
step kubectl create job twice --from=cronjob/often
step kubectl create ingress web --rule=example.com/=web:80
step kubectl create priorityclass high --value=10
step kubectl run one --image=web:1
step kubectl wait pod one --for=jsonpath='{.spec.restartPolicy}'=Always --timeout=5s
step kubectl label pod one tier=front
step kubectl annotate pod one note=text
step kubectl patch deployment web --type=merge -p '{"spec":{"replicas":1}}'
step kubectl patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":3}]'
step kubectl patch deployment web --patch '{"spec":{"template":{"spec":{"containers":[{"name":"log","image":"log:1"}]}}}}'
step kubectl get all
step kubectl get all --all-namespaces -o wide
step kubectl get deployment web -o yaml
step kubectl get events
step kubectl events
step kubectl describe deployment web
step kubectl describe pod one
step kubectl describe service web
step kubectl describe job once
step kubectl describe horizontalpodautoscaler web
step kubectl describe namespace team
step kubectl replace --force -f "$work/web.yaml"
step kubectl delete pod one
step kubectl delete deployments,services,jobs,cronjobs --all
step kubectl get --raw /openapi/v3
step kubectl get --raw /version
