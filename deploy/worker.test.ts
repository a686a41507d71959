import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../server/platform/config/config.ts';
import { DEFAULT_LIMITS } from '../server/platform/pods/limits.ts';
import { STOP_WITHIN_MS } from '../server/runner/worker/runner.ts';
import { TIMES } from '../server/runner/worker/worker.ts';
import { type Anything, documents, instructions, project, SETTINGS } from './files.ts';

/** `guildhall work` beside the servers: a service of compose.yaml, and deploy/kubernetes/work. */

const FOLDER = 'deploy/kubernetes';
const { services, volumes } = documents('compose.yaml')[0];
const [kustomization] = documents(`${FOLDER}/work/kustomization.yaml`);
const objects: Anything[] = kustomization.resources.flatMap((file: string) =>
  documents(`${FOLDER}/work/${file}`),
);
const only = (kind: string): Anything => {
  const found = objects.filter((object) => object.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
};
const deployment = only('Deployment');
const pod = deployment.spec.template.spec;
const [worker] = pod.containers;
const values: Record<string, string | undefined> = Object.fromEntries(
  worker.env.map(({ name, value }: Anything) => [name, value]),
);
const { files, pods, repositories } = readConfig({ DATA_DIR: '/data' });

test('servers leave tasks to the workers, and the signal to stop gives turns their time', () => {
  const [servers] = documents(`${FOLDER}/deployment.yaml`);
  assert.deepEqual(servers.spec.template.spec.containers[0].args, ['serve', '--no-work']);
  assert.deepEqual(services.server.command, ['serve', '--no-work']);
  assert.deepEqual([services.worker.command, worker.args], [['work'], ['work']]);
  // Storing what is left, and closing connections, is a matter of a few seconds.
  const seconds = (TIMES.drain + STOP_WITHIN_MS) / 1_000 + 15;
  assert.ok(Number.parseInt(services.worker.stop_grace_period, 10) >= seconds);
  assert.ok(pod.terminationGracePeriodSeconds >= seconds);
  assert.equal(only('PodDisruptionBudget').spec.maxUnavailable, 1);
});

test('what servers and workers share is mounted in both, and pods belong to one worker', () => {
  assert.deepEqual(services.server.volumes, [
    `files:${files.folder}`,
    `repositories:${repositories}`,
  ]);
  assert.deepEqual(services.worker.volumes, [
    `files:${files.folder}`,
    `pods:${pods.folder}`,
    `repositories:${repositories}`,
  ]);
  for (const name of ['files', 'pods', 'repositories']) assert.ok(name in volumes, name);
  // A new volume takes over the owner of the image's folder.
  const made = instructions()
    .filter(({ name }) => name === 'RUN')
    .map(({ text }) => text)
    .join();
  for (const folder of [files.folder, pods.folder, repositories])
    assert.match(made, new RegExp(`mkdir .*${folder}\\b.*chown 1000:1000 .*${folder}\\b`));

  const mounted = Object.fromEntries(
    worker.volumeMounts.map(({ name, mountPath }: Anything) => [name, mountPath]),
  );
  assert.deepEqual(mounted, { tmp: '/tmp', pods: pods.folder, repositories });
  const { persistentVolumeClaim } = pod.volumes.find(
    ({ name }: Anything) => name === 'repositories',
  );
  const [claim] = documents(`${FOLDER}/repositories.yaml`);
  assert.equal(persistentVolumeClaim.claimName, claim.metadata.name);
  assert.deepEqual(claim.spec.accessModes, ['ReadWriteMany']);
});

test('agents are confined or do not work at all, and only bubblewrap is given more', () => {
  assert.equal(services.worker.environment.PODS_SANDBOX, 'required');
  assert.equal(values.PODS_SANDBOX, 'required');
  assert.deepEqual(services.worker.security_opt, [
    'no-new-privileges:true',
    'seccomp=unconfined',
    'apparmor=unconfined',
    'systempaths=unconfined',
  ]);
  assert.equal(pod.hostUsers, false);
  assert.deepEqual(worker.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    procMount: 'Unmasked',
    capabilities: { drop: ['ALL'] },
  });
  const { runAsUser, runAsGroup, runAsNonRoot } = pod.securityContext;
  assert.deepEqual([`${runAsUser}:${runAsGroup}`, runAsNonRoot], ['1000:1000', true]);
  assert.equal(pod.automountServiceAccountToken, false);
  assert.equal(pod.serviceAccountName, only('ServiceAccount').metadata.name);
  assert.equal(only('ServiceAccount').automountServiceAccountToken, false);
});

test('processes of all agents at once fit into what a worker may have', () => {
  const { tasks } = readConfig({});
  assert.ok(services.worker.pids_limit > tasks.atOnce * DEFAULT_LIMITS.processes);
  assert.equal(values.TASK_TURNS_AT_ONCE, String(tasks.atOnce));
  assert.ok(worker.resources.requests.cpu && worker.resources.limits.memory);
});

test('the databases, the bucket, the GitHub App, what opens sealed values, and nothing else of the servers’ secrets', () => {
  const [secret] = documents(`${FOLDER}/secret.example.yaml`);
  const secrets = worker.env.filter(({ valueFrom }: Anything) => valueFrom !== undefined);
  for (const { name, valueFrom } of secrets) {
    const { name: of, key } = valueFrom.secretKeyRef;
    assert.deepEqual([of, key], [secret.metadata.name, name]);
    // There is no placeholder for the key of an App, nor for a secret that was replaced.
    const optional = key.startsWith('GITHUB_') || key === 'SERVER_SECRET_PREVIOUS';
    assert.ok(key in secret.stringData || optional, key);
  }
  const sealing = ['SERVER_SECRET', 'SERVER_SECRET_PREVIOUS'];
  const shared = ['DATABASE_URL', ...sealing, 'EVENT_DATABASE_URL', 'FILES_URL'];
  const credentials = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  // All of them, because a server knows an App by the first three together.
  const github = ['APP_ID', 'APP_PRIVATE_KEY', 'WEBHOOK_SECRET', 'API_URL'].map(
    (name) => `GITHUB_${name}`,
  );
  assert.deepEqual(
    secrets.map(({ name }: Anything) => name),
    [...shared, ...credentials, ...github],
  );
  const { server, worker: service } = services;
  for (const name of [...shared, ...credentials, ...github])
    assert.equal(service.environment[name], server.environment[name], name);
  for (const name of [...Object.keys(service.environment), ...Object.keys(values)])
    assert.ok(SETTINGS.has(name) || name.startsWith('AWS_'), name);
});

test('it is asked whether it is alive and ready where its metrics are', () => {
  const port = Number(values.METRICS_PORT);
  assert.deepEqual(worker.ports, [{ name: 'metrics', containerPort: port }]);
  assert.equal(values.METRICS_HOST, '0.0.0.0');
  for (const [probe, path] of [
    ['startupProbe', '/livez'],
    ['livenessProbe', '/livez'],
    ['readinessProbe', '/readyz'],
  ] as const)
    assert.deepEqual(worker[probe].httpGet, { path, port: 'metrics' }, probe);
  const { periodSeconds, failureThreshold } = worker.startupProbe;
  assert.ok(periodSeconds * failureThreshold >= 600);
  const { METRICS_PORT } = services.worker.environment;
  assert.ok(services.worker.healthcheck.test.at(-1).includes(`127.0.0.1:${METRICS_PORT}/livez`));
  const [ingress] = only('NetworkPolicy').spec.ingress;
  assert.deepEqual([ingress.ports, ingress.from.length], [[{ port: 'metrics' }], 1]);
});

test('budget and policy mean these pods, which no server’s Service or budget means', () => {
  const { labels } = deployment.spec.template.metadata;
  assert.deepEqual(kustomization.labels[0].pairs, labels);
  assert.deepEqual(deployment.spec.selector.matchLabels, labels);
  assert.deepEqual(only('PodDisruptionBudget').spec.selector.matchLabels, labels);
  assert.deepEqual(only('NetworkPolicy').spec.podSelector.matchLabels, labels);
  const [service] = documents(`${FOLDER}/service.yaml`);
  assert.notDeepEqual(service.spec.selector, labels);
  const { name, newTag } = kustomization.images[0];
  assert.deepEqual([name, newTag], [worker.image, project.version]);
});
