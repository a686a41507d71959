import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../server/platform/config/config.ts';
import { type Anything, documents, instructions, project, SETTINGS } from './files.ts';

const FOLDER = 'deploy/kubernetes';
const [kustomization] = documents(`${FOLDER}/kustomization.yaml`);
const objects: Anything[] = kustomization.resources.flatMap((file: string) =>
  documents(`${FOLDER}/${file}`),
);
const [secret] = documents(`${FOLDER}/secret.example.yaml`);

/** The only object of a kind. */
function only(kind: string): Anything {
  const found = objects.filter((object) => object.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
}

const deployment = only('Deployment');
const pod = deployment.spec.template.spec;
const [server] = pod.containers;
const labels = deployment.spec.template.metadata.labels;

test('the pods are not root, cannot write, have no capability and no token', () => {
  assert.equal(pod.containers.length, 1);
  const user = instructions().find(({ name }) => name === 'USER')?.text;
  assert.equal(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`, user);
  assert.equal(pod.securityContext.runAsNonRoot, true);
  assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
  assert.deepEqual(server.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.deepEqual(server.volumeMounts, [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'repositories', mountPath: '/data/repositories' },
  ]);
  assert.equal(pod.automountServiceAccountToken, false);
  const account = only('ServiceAccount');
  assert.equal(account.automountServiceAccountToken, false);
  assert.equal(pod.serviceAccountName, account.metadata.name);
});

test('liveness asks the process, readiness the database, and a start has time to migrate', () => {
  const ports = Object.fromEntries(
    server.ports.map(({ name, containerPort }: Anything) => [name, containerPort]),
  );
  for (const [probe, path] of [
    ['livenessProbe', '/healthz'],
    ['readinessProbe', '/readyz'],
    ['startupProbe', '/healthz'],
  ] as const) {
    assert.deepEqual(server[probe].httpGet, { path, port: 'http' }, probe);
  }
  const { periodSeconds, failureThreshold } = server.startupProbe;
  assert.ok(periodSeconds * failureThreshold >= 600);
  const env = Object.fromEntries(server.env.map(({ name, value }: Anything) => [name, value]));
  const config = readConfig({ ...env, ...secret.stringData });
  assert.deepEqual(ports, { http: config.port, metrics: config.metrics.port });
  assert.equal(config.metrics.host, '0.0.0.0');
  // A request may take 30 s, and the endpoint is given up before the signal comes.
  assert.ok(pod.terminationGracePeriodSeconds >= 30 + 20 + server.lifecycle.preStop.sleep.seconds);
});

test('every setting exists, and no service link can be taken for one', () => {
  const names = [
    ...server.env.map(({ name }: Anything) => name),
    ...Object.keys(secret.stringData),
  ];
  // What begins with AWS_ is read by the client of the file store.
  for (const name of names) assert.ok(SETTINGS.has(name) || name.startsWith('AWS_'), name);
  assert.deepEqual(names, [...new Set(names)]);
  assert.deepEqual(server.envFrom, [{ secretRef: { name: secret.metadata.name } }]);
  assert.equal(pod.enableServiceLinks, false);
});

test('the Secret is an example: of placeholders, and not applied', () => {
  assert.ok(!kustomization.resources.some((file: string) => file.includes('secret')));
  assert.ok(!objects.some(({ kind }) => kind === 'Secret'));
  for (const [name, value] of Object.entries(secret.stringData))
    assert.match(String(value), /REPLACE_ME|example\.com/, name);
});

test('the Service, the budget, the autoscaler and the policy mean these pods', () => {
  assert.deepEqual(deployment.spec.selector.matchLabels, labels);
  const service = only('Service');
  assert.deepEqual(service.spec.selector, labels);
  assert.ok(
    service.spec.ports.every(({ targetPort }: Anything) =>
      server.ports.some(({ name }: Anything) => name === targetPort),
    ),
  );
  assert.deepEqual(only('PodDisruptionBudget').spec.selector.matchLabels, labels);
  const policy = only('NetworkPolicy').spec;
  assert.deepEqual(policy.podSelector.matchLabels, labels);
  assert.deepEqual(policy.policyTypes, ['Ingress', 'Egress']);
  for (const { port } of policy.ingress.flatMap(({ ports }: Anything) => ports))
    assert.ok(server.ports.some(({ name }: Anything) => name === port));
  const metrics = policy.ingress.find(({ ports }: Anything) => ports[0].port === 'metrics');
  assert.equal(metrics.from.length, 1);
  const { apiVersion, kind, metadata } = deployment;
  assert.deepEqual(only('HorizontalPodAutoscaler').spec.scaleTargetRef, {
    apiVersion,
    kind,
    name: metadata.name,
  });
});

test('two pods at least, spread out, one away at a time, and all fit into 200 connections', () => {
  const scaler = only('HorizontalPodAutoscaler').spec;
  assert.ok(scaler.minReplicas >= 2);
  assert.equal(deployment.spec.replicas, undefined);
  assert.equal(only('PodDisruptionBudget').spec.maxUnavailable, 1);
  assert.deepEqual(deployment.spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
  assert.equal(pod.topologySpreadConstraints.length, 2);
  const { value } = server.env.find(({ name }: Anything) => name === 'DATABASE_POOL_SIZE');
  const [workers] = documents(`${FOLDER}/work/deployment.yaml`);
  const pods = scaler.maxReplicas + 1 + workers.spec.replicas;
  // Beside the pool 3 readers and 4 writers (server/db/database/database.ts), 8 connections for events
  // (server/tasks/events/open-event-log.ts), one for the pod that migrates, and 3 that PostgreSQL reserves.
  assert.ok(pods * (Number(value) + 3 + 4 + 8) + 1 <= 200 - 3);
  assert.ok(server.resources.requests.cpu, 'what the autoscaler measures against');
  assert.ok(server.resources.limits.memory);
});

test('the image has this version, and nothing is called latest', () => {
  assert.deepEqual(
    kustomization.images.map(({ name, newTag }: Anything) => [name, newTag]),
    [[server.image, project.version]],
  );
  assert.ok(!JSON.stringify([objects, kustomization]).includes('latest'));
});
