import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../server/platform/config/config.ts';
import { type Anything, documents, instructions, project, SETTINGS } from './files.ts';

/** Backups of an installation in a cluster (deploy/kubernetes/backup), and the Pod that restores one. */

const FOLDER = 'deploy/kubernetes';
const objectsOf = (folder: string): Anything[] =>
  documents(`${FOLDER}/${folder}/kustomization.yaml`)[0].resources.flatMap((file: string) =>
    documents(`${FOLDER}/${folder}/${file}`),
  );
const objects = objectsOf('backup');
const only = (kind: string): Anything => {
  const found = objects.filter((object) => object.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
};
const { jobTemplate, ...cron } = only('CronJob').spec;
const pod = jobTemplate.spec.template.spec;
const [backup] = pod.containers;
const [{ spec: restoring }] = objectsOf('restore');
const [restore] = restoring.containers;
const [worker] = documents(`${FOLDER}/work/deployment.yaml`)[0].spec.template.spec.containers;
const DATA_DIR = instructions()
  .find(({ text }) => text.includes('DATA_DIR='))
  ?.text.match(/DATA_DIR=(\S+)/)?.[1] as string;

const folder = await mkdtemp(join(tmpdir(), 'guildhall-backup-'));
after(() => rm(folder, { recursive: true }));

test('the Pods are not root, cannot write outside of their volumes, have no capability and no token', () => {
  const account = only('ServiceAccount');
  assert.equal(account.automountServiceAccountToken, false);
  for (const { containers, ...spec } of [pod, restoring]) {
    assert.equal(spec.serviceAccountName, account.metadata.name);
    assert.equal(spec.automountServiceAccountToken, false);
    assert.equal(spec.enableServiceLinks, false);
    const { runAsUser, runAsGroup, runAsNonRoot, seccompProfile } = spec.securityContext;
    const user = instructions().find(({ name }) => name === 'USER')?.text;
    assert.deepEqual([`${runAsUser}:${runAsGroup}`, runAsNonRoot], [user, true]);
    assert.equal(seccompProfile.type, 'RuntimeDefault');
    assert.deepEqual(
      containers.map(({ securityContext }: Anything) => securityContext),
      [
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      ],
    );
  }
});

test('they get what a backup reads, as workers do, and nothing else of the Secret', () => {
  const secrets = (env: Anything[]) => env.filter(({ valueFrom }) => valueFrom !== undefined);
  assert.deepEqual(
    secrets(backup.env).map(({ name }) => name),
    [
      'DATABASE_URL',
      'SERVER_SECRET',
      'EVENT_DATABASE_URL',
      'FILES_URL',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ],
  );
  for (const one of secrets(backup.env))
    assert.deepEqual(
      one,
      worker.env.find(({ name }: Anything) => name === one.name),
    );
  assert.deepEqual(restore.env, secrets(backup.env));
  for (const { envFrom } of [backup, restore]) assert.equal(envFrom, undefined);
  const settings = backup.env.map(({ name }: Anything) => name);
  for (const name of settings)
    assert.ok(SETTINGS.has(name) || name.startsWith('AWS_') || name === 'KEEP', name);
});

test('a backup reads the repositories, and writes to a claim of its own', () => {
  const { repositories } = readConfig({ DATA_DIR });
  assert.deepEqual(backup.volumeMounts, [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'repositories', mountPath: repositories, readOnly: true },
    { name: 'backups', mountPath: '/backup' },
  ]);
  const [shared] = documents(`${FOLDER}/repositories.yaml`);
  const claims = {
    repositories: shared.metadata.name,
    backups: only('PersistentVolumeClaim').metadata.name,
  };
  for (const { volumes } of [pod, restoring])
    for (const [name, claimName] of Object.entries(claims))
      assert.deepEqual(
        volumes.find((volume: Anything) => volume.name === name).persistentVolumeClaim,
        { claimName },
      );
});

test('a restore writes to the volume of the repositories, where its mark lies', () => {
  assert.deepEqual(restore.volumeMounts, [
    { name: 'tmp', mountPath: '/tmp' },
    { name: 'backups', mountPath: '/backup' },
    { name: 'data', mountPath: DATA_DIR },
    { name: 'repositories', mountPath: readConfig({ DATA_DIR }).repositories },
  ]);
  assert.deepEqual(restore.command, ['sleep', 'infinity']);
});

test('one runs at once, and one that hangs ends before the next night', () => {
  assert.equal(cron.concurrencyPolicy, 'Forbid');
  assert.ok(jobTemplate.spec.activeDeadlineSeconds < 86_400);
  assert.equal(pod.restartPolicy, 'Never');
});

test('they are reached by nobody, and reach the databases and the bucket', () => {
  const labels = { 'app.kubernetes.io/name': 'guildhall-backup' };
  for (const each of ['backup', 'restore']) {
    const [kustomization] = documents(`${FOLDER}/${each}/kustomization.yaml`);
    assert.deepEqual(kustomization.labels[0].pairs, labels);
    assert.deepEqual(
      kustomization.images.map(({ name, newTag }: Anything) => [name, newTag]),
      [[backup.image, project.version]],
    );
  }
  const { podSelector, policyTypes, ingress, egress } = only('NetworkPolicy').spec;
  assert.deepEqual(podSelector.matchLabels, labels);
  assert.deepEqual([policyTypes, ingress], [['Ingress', 'Egress'], undefined]);
  const ports = egress.flatMap((rule: Anything) => rule.ports.map(({ port }: Anything) => port));
  assert.deepEqual(ports, [53, 53, 5432, 443]);
});

/** Runs what the container runs, in a folder of the test instead of /backup. */
function night(keep: number | string, node: string) {
  const script = backup.args[0].replaceAll('/backup', folder);
  const [program, ...options] = backup.command;
  const functions = `node() { ${node}; }\n`;
  return spawnSync(program, [...options, functions + script], {
    encoding: 'utf8',
    env: { ...process.env, KEEP: String(keep) },
  });
}

test('the last archives stay, and older ones go once a new one is whole', async () => {
  const names = [1, 2, 3].map((day) => `2026-11-0${day}-030000.guildhall`);
  // One that a person has put there is nobody else's to remove.
  const mine = '2025-11-09-manual.guildhall';
  for (const name of [...names, mine]) await writeFile(join(folder, name), '');
  const left = '2026-10-31-030000.guildhall.part';
  const begun = '2026-11-04-030000.guildhall.part';
  // Half a copy that a person brings, or what another program names so.
  const copied = 'copied.guildhall.part';
  for (const name of [left, begun, copied]) await writeFile(join(folder, name), '');
  const before = new Date(Date.now() - 2 * 86_400_000);
  for (const name of [left, copied]) await utimes(join(folder, name), before, before);

  for (const keep of [0, -7, '08']) assert.notEqual(night(keep, 'touch "$3"').status, 0, `${keep}`);
  const failed = night(1, 'return 1');
  assert.equal(failed.status, 1);
  assert.deepEqual((await readdir(folder)).sort(), [...names, mine, begun, copied].sort());

  const { status, stderr } = night(2, 'touch "$3"; echo "$1 $2" >&2');
  assert.deepEqual([status, stderr], [0, 'cli/guildhall.ts backup\n']);
  const now = (await readdir(folder)).sort();
  const archives = now.filter((name) => ![mine, begun, copied].includes(name));
  assert.deepEqual([now.length, archives.length, archives[0]], [5, 2, names[2]]);
  assert.match(archives[1] as string, /^\d{4}-\d\d-\d\d-\d{6}\.guildhall$/);
  assert.equal(night(2, 'touch "$3"').status, 0);

  // A clock that was ahead: what was written now stays.
  for (const name of await readdir(folder)) await rm(join(folder, name));
  const ahead = [1, 2].map((day) => `2999-11-0${day}-030000.guildhall`);
  for (const name of ahead) await writeFile(join(folder, name), '');
  assert.equal(night(1, 'touch "$3"').status, 0);
  const [only, ...others] = await readdir(folder);
  assert.ok(only !== undefined && !ahead.includes(only) && others.length === 0, others.join());
});

test('an archive is whole where older ones cannot be removed: the Job fails, and writes no other', async () => {
  const old = '2026-11-01-030000.guildhall';
  await writeFile(join(folder, old), '');
  const { status } = night(1, 'touch "$3"; xargs() { return 123; }');
  assert.ok((await readdir(folder)).includes(old));
  const [rule] = jobTemplate.spec.podFailurePolicy.rules;
  assert.equal(rule.action, 'FailJob');
  assert.deepEqual(rule.onExitCodes, {
    containerName: backup.name,
    operator: 'In',
    values: [status],
  });
});
