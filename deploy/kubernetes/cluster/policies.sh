#!/bin/bash
# What the network policies of deploy/ let through on the cluster of up.sh, with kube-router, which enforces them: built
# from its Go module once, in some minutes. The status is 1 where a connection that a policy forbids is made, or one that
# it allows is not.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
ROUTER=v2.1.0
[ -x "$BIN/kube-router" ] || GOBIN=$BIN GOFLAGS='' CGO_ENABLED=0 nice go install -ldflags '-s -w' \
  "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@$ROUTER"
command -v ipset > /dev/null || apt-get install -y -q ipset

# Agents, workers and servers as in deploy/, who may read metrics, and anybody else.
kubectl apply -k namespace > /dev/null
for namespace in guildhall monitoring elsewhere; do
  kubectl create namespace $namespace --dry-run=client -o yaml | kubectl apply -f - > /dev/null
done
kubectl apply --namespace guildhall -f ../work/network-policy.yaml -f ../network-policy.yaml > /dev/null

# pod NAMESPACE NAME: one that listens at 5432, which may be connected to, and at the ports `http` and `metrics`.
pod() {
  kubectl apply -f - > /dev/null <<Y
apiVersion: v1
kind: Pod
metadata: { namespace: $1, name: $2, labels: { app.kubernetes.io/name: $2 } }
spec:
  automountServiceAccountToken: false
  securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: RuntimeDefault } }
  terminationGracePeriodSeconds: 0
  containers:
    - name: it
      image: guildhall-agent:test
      imagePullPolicy: Never
      command: [node, -e, "for (const port of [5432, 8080, 9464]) require('net').createServer((s) => s.end()).listen(port)"]
      ports: [{ name: http, containerPort: 8080 }, { name: metrics, containerPort: 9464 }]
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
Y
}
pods="guildhall-test/agent guildhall-test/other guildhall/guildhall-work guildhall/guildhall monitoring/reader elsewhere/any"
for each in $pods; do pod "${each%/*}" "${each#*/}"; done
for each in $pods; do
  kubectl wait --namespace "${each%/*}" --for=condition=Ready "pod/${each#*/}" --timeout=120s > /dev/null
done

address() { kubectl get pod --namespace "${1%/*}" "${1#*/}" -o 'jsonpath={.status.podIP}'; }
# reaches FROM TO PORT: prints yes or no. TO is a pod or an address.
reaches() {
  local to=$2
  [[ $to != */* ]] || to=$(address "$to")
  kubectl exec --namespace "${1%/*}" "${1#*/}" -- node -e "
    const socket = require('net').connect($3, '$to');
    const say = (word) => { console.log(word); process.exit(); };
    socket.on('connect', () => say('yes')).on('error', () => say('no'));
    setTimeout(() => say('no'), 2000);"
}

failed=0
# expect WORD FROM TO PORT
expect() {
  local got
  got=$(reaches "$2" "$3" "$4")
  [ "$got" = "$1" ] && echo "ok   $2 → $3:$4 $got" && return
  echo "FAIL $2 → $3:$4 $got instead of $1"
  failed=1
}

filtered=/proc/sys/net/bridge/bridge-nf-call-iptables # what passes between pods on one bridge
before=$(cat $filtered)
router=
remove() {
  [ -z "$router" ] || kill $router 2> /dev/null || true
  wait 2> /dev/null || true
  echo "$before" > $filtered
  # What it has made, and nothing else: its own --cleanup-config empties IPVS as a whole.
  for ip in iptables ip6tables; do
    $ip-save -t filter | grep -Ev 'KUBE-(ROUTER|NWPLCY|POD-FW)-' | $ip-restore -T filter
  done
  ipset list -n | grep -E '^(inet6:)?(KUBE-(SRC|DST)-|kube-router-)' | xargs -r -n 1 ipset destroy || true
  for each in $pods; do kubectl delete pod --namespace "${each%/*}" "${each#*/}" --grace-period=0 --force 2> /dev/null; done > /dev/null
  kubectl delete namespace monitoring elsewhere > /dev/null
}
trap remove EXIT
echo 0 > $filtered
echo 'Without a plugin that enforces them, policies cut nothing:'
expect yes guildhall-test/agent elsewhere/any 5432

echo 1 > $filtered
setsid nohup "$BIN/kube-router" --run-firewall=true --run-router=false --run-service-proxy=false \
  --kubeconfig "$KUBECONFIG" --hostname-override "$NODE" --metrics-port 0 > "$LOG/kube-router.log" 2>&1 < /dev/null &
router=$!
for _ in $(seq 60); do
  [ "$(reaches guildhall-test/agent elsewhere/any 5432)" = no ] && break
  sleep 1
done

echo 'With kube-router:'
expect no guildhall-test/agent elsewhere/any 5432
expect no guildhall-test/agent elsewhere/any 8080
expect no guildhall-test/agent guildhall-test/other 8080
expect no guildhall-test/agent guildhall/guildhall-work 9464
expect no guildhall-test/agent guildhall/guildhall 8080
expect no elsewhere/any guildhall-test/agent 8080
expect yes guildhall/guildhall-work elsewhere/any 5432
expect no guildhall/guildhall-work elsewhere/any 8080
expect yes guildhall/guildhall elsewhere/any 5432
expect no guildhall/guildhall elsewhere/any 9464
expect yes elsewhere/any guildhall/guildhall 8080
expect no elsewhere/any guildhall/guildhall 9464
expect yes monitoring/reader guildhall/guildhall 9464
expect yes monitoring/reader guildhall/guildhall-work 9464
expect no elsewhere/any guildhall/guildhall-work 9464
exit $failed
