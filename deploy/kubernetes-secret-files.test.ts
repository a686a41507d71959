import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../server/platform/config/config.ts';
import { type Anything, documents, ROOT } from './files.ts';

/** deploy/kubernetes/secret-files: the same manifests, with secrets in files. */

const run = promisify(execFile);
const kustomize = async (folder: string): Promise<Anything[]> => {
  const { stdout } = await run('kubectl', ['kustomize', folder], { maxBuffer: 2 ** 24 });
  return parseAllDocuments(stdout).map((one) => one.toJS());
};
const skip = await run('kubectl', ['version', '--client']).then(
  () => false as const,
  () => 'kubectl is not in the PATH',
);
const folder = await mkdtemp(join(tmpdir(), 'guildhall-kustomize-'));
after(() => rm(folder, { recursive: true }));
await symlink(join(ROOT, 'deploy/kubernetes'), join(folder, 'kubernetes'));

const SECRET = /^(DATABASE_URL|SERVER_SECRET)(_FILE)?$/;

for (const [base, name, container] of [
  ['.', 'guildhall', 'server'],
  ['work', 'guildhall-work', 'worker'],
  ['work-in-pods', 'guildhall-work', 'worker'],
  ['backup', 'guildhall-backup', 'backup'],
] as const)
  test(`${base}: with the component, only where secrets come from is another`, {
    skip,
  }, async () => {
    const overlay = join(folder, `overlay-${base.replace('.', 'base')}`);
    await mkdir(overlay);
    await writeFile(
      join(overlay, 'kustomization.yaml'),
      `resources: [${join('../kubernetes', base)}]\ncomponents: [../kubernetes/secret-files]\n`,
    );
    const [before, now] = [
      await kustomize(join(folder, 'kubernetes', base)),
      await kustomize(overlay),
    ];
    const podOf = (all: Anything[]) => {
      const found = all.find(
        (one) => ['Deployment', 'CronJob'].includes(one.kind) && one.metadata.name === name,
      );
      const { template } = found.spec.jobTemplate?.spec ?? found.spec;
      const { containers, volumes = [] } = template.spec;
      return { volumes, own: containers.find((one: Anything) => one.name === container) };
    };
    const [was, is] = [podOf(before), podOf(now)];
    const variables = is.own.env.filter((one: Anything) => SECRET.test(one.name));
    assert.deepEqual(variables, [
      { name: 'DATABASE_URL_FILE', value: '/run/secrets/guildhall/DATABASE_URL' },
      { name: 'SERVER_SECRET_FILE', value: '/run/secrets/guildhall/SERVER_SECRET' },
    ]);
    const { secret } = is.volumes.find((one: Anything) => one.name === 'secrets');
    const { mountPath, readOnly } = is.own.volumeMounts.find(
      (one: Anything) => one.name === 'secrets',
    );
    assert.equal(readOnly, true);
    for (const { value } of variables)
      assert.ok(secret.items.some((one: Anything) => `${mountPath}/${one.path}` === value));
    if (container === 'server') assert.equal(is.own.envFrom, undefined);

    // Without that, both say the same.
    for (const pod of [was, is]) {
      pod.own.env = pod.own.env.filter((one: Anything) => !SECRET.test(one.name));
      if (container === 'server') delete pod.own.envFrom;
      pod.own.volumeMounts = pod.own.volumeMounts.filter((one: Anything) => one.name !== 'secrets');
      const at = pod.volumes.findIndex((one: Anything) => one.name === 'secrets');
      if (at >= 0) pod.volumes.splice(at, 1);
    }
    assert.deepEqual(now, before);
  });

test('the settings that it names are read from files', async () => {
  const files: Record<string, string> = {};
  for (const { name } of documents('deploy/kubernetes/secret-files/servers.yaml')[0].spec.template
    .spec.containers[0].env) {
    files[name] = join(folder, name);
    const value = name === 'DATABASE_URL_FILE' ? 'postgres://a:b@127.0.0.1/c' : 'x'.repeat(40);
    await writeFile(join(folder, name), `${value}\n`);
  }
  const { databaseUrl, serverSecret } = readConfig(files);
  assert.equal(databaseUrl, 'postgres://a:b@127.0.0.1/c');
  assert.equal(serverSecret, 'x'.repeat(40));
});
