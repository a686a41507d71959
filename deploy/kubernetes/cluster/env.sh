# Where everything of the cluster is. Sourced by the other scripts.
export CLUSTER=${CLUSTER:-/var/tmp/guildhall-cluster}
# Any release whose Go version is not newer than the one here.
export KUBERNETES=${KUBERNETES:-v1.33.13}
export REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
export BIN=$CLUSTER/bin CONF=$CLUSTER/conf RUN=$CLUSTER/run LOG=$CLUSTER/log IMAGES=$CLUSTER/images
export NODE=node-1 ADDRESS=10.240.0.1 API=https://10.240.0.1:16443
export KUBECONFIG=$CONF/admin.kubeconfig SOCKET=$RUN/containerd.sock
export PATH=$BIN:$REPOSITORY/node_modules/.bin:$PATH
ctr() { command ctr --address "$SOCKET" --namespace k8s.io "$@"; }
