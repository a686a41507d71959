# The namespace of the tests, and the token that workers have. Sourced by the scripts that use them.
kubectl apply -k namespace > /dev/null
kubectl create namespace guildhall --dry-run=client -o yaml | kubectl apply -f - > /dev/null
kubectl apply --namespace guildhall -f ../work/service-account.yaml > /dev/null
kubectl create token guildhall-work --namespace guildhall --duration=2h > "$RUN/token"
export GUILDHALL_TEST_KUBERNETES=$API GUILDHALL_TEST_NAMESPACE=guildhall-test GUILDHALL_TEST_TOKEN_FILE=$RUN/token
export GUILDHALL_TEST_CA_FILE=$CONF/ca.crt GUILDHALL_TEST_PODS_IMAGE=guildhall-agent:test
