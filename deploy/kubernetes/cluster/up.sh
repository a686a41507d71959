#!/bin/bash
# Starts the cluster: etcd, API server, controllers, scheduler, containerd, kubelet and a provider of volumes. May be
# repeated. Everything listens on 127.0.0.1, or on a bridge that no other machine is on.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
mkdir -p "$CONF/cni" "$RUN" "$LOG"
# After which kubelet and containerd end an exec without input and output: theirs, unless the test of it wants less.
IDLE=${IDLE:-4h0m0s}

# begin NAME COMMAND…: a process of its own session, whose number is in $RUN/NAME.pid.
begin() {
  local name=$1
  shift
  if [ -e "$RUN/$name.pid" ] && kill -0 "$(cat "$RUN/$name.pid")" 2> /dev/null; then return; fi
  setsid nohup "$@" > "$LOG/$name.log" 2>&1 < /dev/null &
  echo $! > "$RUN/$name.pid"
}
# wait_for SECONDS COMMAND…
wait_for() {
  local left=$1
  shift
  until "$@" > /dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { echo "gave up: $*" >&2; exit 1; }
    sleep 1
  done
}

cd "$CONF"
certificate() { # certificate NAME SUBJECT [NAMES]
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2> /dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "${3:-DNS:none}") 2> /dev/null
}
account() { # account NAME SUBJECT [NAMES]: its certificate, and how kubectl uses it
  certificate "$@"
  cat > "$1.kubeconfig" <<Y
apiVersion: v1
kind: Config
clusters: [{ name: it, cluster: { server: "$API", certificate-authority: $CONF/ca.crt } }]
users: [{ name: me, user: { client-certificate: $CONF/$1.crt, client-key: $CONF/$1.key } }]
contexts: [{ name: it, context: { cluster: it, user: me } }]
current-context: it
Y
}
if [ ! -e ca.crt ]; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=cluster -keyout ca.key -out ca.crt 2> /dev/null
  openssl genrsa -out accounts.key 2048 2> /dev/null
  certificate apiserver /CN=kube-apiserver "IP:127.0.0.1,IP:$ADDRESS,IP:10.96.0.1,DNS:kubernetes.default.svc"
  certificate to-kubelet /O=system:masters/CN=apiserver-to-kubelet
  account admin /O=system:masters/CN=admin
  account controllers /CN=system:kube-controller-manager
  account scheduler /CN=system:kube-scheduler
  account kubelet "/O=system:nodes/CN=system:node:$NODE" "IP:$ADDRESS,DNS:$NODE"
fi

ip link show gh-k8s0 > /dev/null 2>&1 || ip link add gh-k8s0 type bridge
ip address replace "$ADDRESS/32" dev gh-k8s0
ip link set gh-k8s0 up
cat > cni/pods.conflist <<'Y'
{ "cniVersion": "0.4.0", "name": "pods", "plugins": [{ "type": "bridge", "bridge": "gh-pods0", "isGateway": true,
  "ipam": { "type": "host-local", "ranges": [[{ "subnet": "10.244.0.0/24" }]], "routes": [{ "dst": "10.240.0.0/24" }] } }] }
Y

begin etcd etcd --data-dir "$RUN/etcd" --unsafe-no-fsync --initial-cluster default=http://127.0.0.1:23800 \
  --listen-client-urls http://127.0.0.1:23790 --advertise-client-urls http://127.0.0.1:23790 \
  --listen-peer-urls http://127.0.0.1:23800 --initial-advertise-peer-urls http://127.0.0.1:23800
# API_FLAGS: more of them. APISERVER: another program.
begin apiserver "${APISERVER:-$BIN/kube-apiserver}" --etcd-servers=http://127.0.0.1:23790 --bind-address="$ADDRESS" --secure-port=16443 \
  --advertise-address="$ADDRESS" --endpoint-reconciler-type=none --service-cluster-ip-range=10.96.0.0/24 \
  --client-ca-file=ca.crt --tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction,PodSecurity,ResourceQuota,ServiceAccount \
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=accounts.key \
  --service-account-signing-key-file=accounts.key --allow-privileged=true \
  --kubelet-client-certificate=to-kubelet.crt --kubelet-client-key=to-kubelet.key --kubelet-certificate-authority=ca.crt \
  --kubelet-preferred-address-types=InternalIP ${API_FLAGS:-}
wait_for 120 kubectl get --raw /readyz
begin controllers "$BIN/kube-controller-manager" --kubeconfig=controllers.kubeconfig --bind-address=127.0.0.1 \
  --authentication-kubeconfig=controllers.kubeconfig --authorization-kubeconfig=controllers.kubeconfig \
  --service-account-private-key-file=accounts.key --root-ca-file=ca.crt --use-service-account-credentials \
  --leader-elect=false --node-monitor-grace-period=20s --controllers='*,-node-ipam-controller'
begin scheduler "$BIN/kube-scheduler" --kubeconfig=scheduler.kubeconfig --bind-address=127.0.0.1 --leader-elect=false \
  --authentication-kubeconfig=scheduler.kubeconfig --authorization-kubeconfig=scheduler.kubeconfig

# A machine that is itself confined may not lower the score by which the kernel picks who runs out of memory.
cat > containerd.toml <<Y
version = 2
root = "$RUN/containerd-root"
state = "$RUN/containerd-state"
[grpc]
  address = "$SOCKET"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  stream_idle_timeout = "$IDLE"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$CONF/cni"
Y
begin containerd containerd --config "$CONF/containerd.toml"
wait_for 60 ctr version
for image in pause agent; do
  made=$(stat -c %Y "$IMAGES/$image.tar")
  [ "$(cat "$RUN/$image.imported" 2> /dev/null)" = "$made" ] && continue
  ctr images import "$IMAGES/$image.tar" > /dev/null
  echo "$made" > "$RUN/$image.imported"
done

cat > kubelet.yaml <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $ADDRESS
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: $CONF/ca.crt } }
authorization: { mode: Webhook }
tlsCertFile: $CONF/kubelet.crt
tlsPrivateKeyFile: $CONF/kubelet.key
containerRuntimeEndpoint: unix://$SOCKET
cgroupDriver: cgroupfs
enforceNodeAllocatable: []
failSwapOn: false
resolvConf: /etc/resolv.conf
# Images that no registry has are not removed, however full the disk looks.
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: { memory.available: 200Mi, nodefs.available: 2%, imagefs.available: 2% }
podPidsLimit: 1024
streamingConnectionIdleTimeout: $IDLE
nodeStatusUpdateFrequency: 5s
Y
begin kubelet "$BIN/kubelet" --config=kubelet.yaml --kubeconfig=kubelet.kubeconfig --hostname-override="$NODE" \
  --node-ip="$ADDRESS" --root-dir="$RUN/kubelet"
wait_for 120 kubectl wait --for=condition=Ready "node/$NODE" --timeout=1s

kubectl apply -f - > /dev/null <<'Y'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: disk, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: guildhall.test/disk
volumeBindingMode: WaitForFirstConsumer
reclaimPolicy: Delete
Y
begin volumes python3 "$REPOSITORY/deploy/kubernetes/cluster/volumes.py"
kubectl get nodes
