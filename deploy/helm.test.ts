import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { type Anything, documents, project, ROOT } from './files.ts';

/** deploy/helm: the manifests of deploy/kubernetes, with values. */

const run = (program: string, ...given: string[]) =>
  spawnSync(program, given, { encoding: 'utf8', maxBuffer: 2 ** 24 });
const missing = (
  [
    ['kubectl', 'version', '--client'],
    ['helm', 'version'],
  ] as const
).flatMap(([program, ...given]) => (run(program, ...given).status === 0 ? [] : [program]));
const skip = missing.length > 0 && `not in the PATH: ${missing.join(', ')}`;

const folder = await mkdtemp(join(tmpdir(), 'guildhall-helm-'));
const chart = join(folder, 'helm');
after(() => rm(folder, { recursive: true }));
before(async () => {
  for (const part of ['helm', 'kubernetes', 'kubernetes-agents'])
    await cp(join(ROOT, 'deploy', part), join(folder, part), { recursive: true });
  await rm(join(chart, 'manifests'), { recursive: true, force: true });
});

const read = (text: string): Anything[] =>
  parseAllDocuments(text)
    .map((one) => one.toJS())
    .filter((object) => object !== null);
const named = (objects: Anything[]) =>
  new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));

const REQUIRED = {
  publicUrl: 'https://guildhall.example.com',
  'image.repository': 'registry.example.com/guildhall',
  'agents.image': 'registry.example.com/guildhall-agent:0.1.0',
};
/** A helm that Go has built takes the cluster for an old one, unless one says. */
const CLUSTER = '--kube-version=1.33.0';
const template = (values: Record<string, string>, ...options: string[]) =>
  run(
    'helm',
    'template',
    'guildhall',
    chart,
    '--namespace=guildhall',
    CLUSTER,
    ...Object.entries(values).map(([name, value]) => `--set=${name}=${value}`),
    ...options,
  );
function rendered(values: Record<string, string> = {}): Map<string, Anything> {
  const { status, stdout, stderr } = template({ ...REQUIRED, ...values });
  assert.equal(status, 0, stderr);
  return named(read(stdout));
}

test('the chart has the version of the package', () => {
  const [{ version, appVersion }] = documents('deploy/helm/Chart.yaml');
  assert.deepEqual([version, appVersion], [project.version, project.version]);
});

test('without its manifests, or with a value that is missing, unknown or wrong, it says so', {
  skip,
}, () => {
  const refused = (values: Record<string, string>, why: RegExp) => {
    const { status, stdout, stderr } = template(values);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, why);
  };
  refused(REQUIRED, /run manifests\.sh in its folder first/);
  assert.equal(run(join(chart, 'manifests.sh'), 'now').status, 2);
  const { status, stderr } = run(join(chart, 'manifests.sh'));
  assert.equal(status, 0, stderr);
  for (const [name, why] of [
    ['publicUrl', /publicUrl must say where people reach the server/],
    ['image.repository', /image\.repository must name the image/],
    ['agents.image', /agents\.image must name the image/],
  ] as const)
    refused({ ...REQUIRED, [name]: '' }, why);
  for (const [name, value] of [
    ['publicurl', 'https://guildhall.example.com'],
    ['publicUrl', 'guildhall.example.com'],
    ['servers.minReplicas', 'two'],
    ['workers.env.with-dash', 'x'],
    ['agents.namespace', 'Agents'],
    ['image.repository', 'registry.example.com/guildhall:0.1.0'],
    ['servers.env.ERP_ALLOW_HTTP', 'true'],
    ['servers.env.MAX_CONNECTIONS', '9007199254740993'],
  ] as const)
    refused({ ...REQUIRED, [name]: value }, new RegExp(name.split('.').at(-1) as string));
  refused({ ...REQUIRED, 'agents.namespace': 'guildhall' }, /must not be that of the release/);
  // YAML's `off` is no text, but false.
  const file = join(folder, 'values.yaml');
  writeFileSync(file, 'servers: { env: { BILLING: off } }');
  const { status: ended, stderr: why } = template(REQUIRED, `--values=${file}`);
  assert.equal(ended, 1);
  assert.match(why, /'\/servers\/env\/BILLING': got boolean, want number or string/);
});

test('manifests that another run writes at that moment stay, and no others come into them', {
  skip,
}, () => {
  const bin = join(folder, 'bin');
  const manifests = join(chart, 'manifests');
  mkdirSync(bin);
  const script = `#!/bin/sh\n/bin/rm "$@"\nmkdir -p '${manifests}'; echo other > '${manifests}/other'\n`;
  writeFileSync(join(bin, 'rm'), script, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, CDPATH: chart };
  const { status, stderr } = spawnSync(join(chart, 'manifests.sh'), { encoding: 'utf8', env });
  assert.equal(status, 1);
  assert.match(stderr, /manifests/);
  assert.deepEqual(readdirSync(manifests), ['other']);
  assert.deepEqual(
    readdirSync(chart).filter((name) => name.startsWith('.manifests')),
    [],
  );
  assert.equal(run(join(chart, 'manifests.sh')).status, 0);
  assert.ok(!readdirSync(manifests).includes('other'));
});

test('manifests of another version are refused', { skip }, () => {
  const file = join(chart, 'manifests', 'version');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, '0.0.9\n');
  const { status, stderr } = template(REQUIRED);
  writeFileSync(file, text);
  assert.equal(status, 1);
  assert.match(stderr, /the manifests are those of 0\.0\.9, and the chart that of .*manifests\.sh/);
});

test('more secrets are files, each with its variable; without files their keys are refused', {
  skip,
}, () => {
  const keys = {
    'servers.secretFileKeys': '{FILES_URL,SMTP_URL}',
    'workers.secretFileKeys': '{FILES_URL}',
  };
  const { status, stderr } = template({ ...REQUIRED, ...keys });
  assert.equal(status, 1);
  assert.match(stderr, /secretFileKeys are for secretFiles: true/);
  const found = rendered({ ...keys, secretFiles: 'true' });
  const secrets = ['DATABASE_URL', 'SERVER_SECRET', 'FILES_URL'];
  for (const [name, expected] of [
    ['guildhall', [...secrets, 'SMTP_URL']],
    ['guildhall-work', secrets],
  ] as const) {
    const { containers, volumes } = found.get(`Deployment ${name}`).spec.template.spec;
    assert.deepEqual(
      volumes.find((volume: Anything) => volume.name === 'secrets').secret.items,
      expected.map((key) => ({ key, path: key })),
    );
    const { env } = containers[0];
    for (const key of expected) {
      const own = env.filter((one: Anything) => [key, `${key}_FILE`].includes(one.name));
      assert.deepEqual(own, [{ name: `${key}_FILE`, value: `/run/secrets/guildhall/${key}` }]);
    }
  }
});

test('a value that is removed is named, unless nothing is another one', { skip }, () => {
  const [defaults] = documents('deploy/helm/values.yaml');
  const names = Object.entries(defaults).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value)
      ? [name, ...Object.keys(value as object).map((inner) => `${name}.${inner}`)]
      : [name],
  );
  assert.ok(names.length > 20);
  const without = /^(image\.tag|.*\.storageClassName|.*\.resources)$/;
  for (const name of names) {
    const { status, stderr } = template({ ...REQUIRED, [name]: 'null' });
    assert.equal(status, without.test(name) ? 0 : 1, name);
    if (status !== 0)
      assert.match(stderr, new RegExp(`missing propert.*'${name.split('.').at(-1)}'`));
  }
});

test('with its own values it installs what kustomize does, in every composition', { skip }, () => {
  const { status, stdout } = run(
    'helm',
    'lint',
    '--strict',
    chart,
    CLUSTER,
    ...Object.entries(REQUIRED).map(([name, value]) => `--set=${name}=${value}`),
  );
  assert.equal(status, 0, stdout);
  for (const secrets of ['', '-secret-files'])
    for (const [others, values] of [
      [[], { 'workers.enabled': 'false', 'backup.enabled': 'false' }],
      [['workers', 'backup'], { 'workers.inPods': 'false' }],
      [['workers-in-pods', 'backup'], {}],
    ] as const) {
      const files = ['servers', ...others].map((name) => `${name}${secrets}`);
      const expected = named(
        ['agents', ...files].flatMap((name) =>
          read(readFileSync(join(chart, 'manifests', `${name}.yaml`), 'utf8')),
        ),
      );
      if (!(others as readonly string[]).includes('workers-in-pods'))
        for (const kind of ['Role', 'RoleBinding'])
          assert.ok(expected.delete(`${kind} guildhall-agents`));
      const found = rendered({ ...values, secretFiles: String(secrets !== '') });
      assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort());
      for (const [name, object] of found) {
        if (/^(PersistentVolumeClaim|Namespace|NetworkPolicy guildhall-agents$)/.test(name)) {
          // What people have made is not removed with the release, and an agent that still runs
          // has no network afterwards, either.
          assert.deepEqual(object.metadata.annotations, { 'helm.sh/resource-policy': 'keep' });
          delete object.metadata.annotations;
        }
        assert.deepEqual(sortedEnv(object), sortedEnv(expected.get(name)), name);
      }
    }
});

/** Variables have no order. */
function sortedEnv(object: Anything): Anything {
  const { template } = object.spec?.jobTemplate?.spec ?? object.spec ?? {};
  for (const { env } of template?.spec.containers ?? [])
    env.sort((a: Anything, b: Anything) => a.name.localeCompare(b.name));
  return object;
}

test('each value is where it belongs', { skip }, () => {
  const found = rendered({
    'image.tag': '0.1.0-1',
    'servers.minReplicas': '3',
    'servers.maxReplicas': '5',
    'servers.env.BILLING': 'credits',
    'servers.env.MAX_CONNECTIONS': '1000000',
    'servers.resources.limits.memory': '1Gi',
    'servers.egressPorts': '{6432}',
    'workers.egressPorts': '{8069,3000}',
    'workers.replicas': '1',
    'workers.env.TASK_TURNS_AT_ONCE': '8',
    'agents.namespace': 'agents',
    'backup.schedule': '30 1 * * *',
    'backup.keep': '14',
    'backup.size': '8Gi',
    'backup.storageClassName': 'cheap',
    'backup.env.LOG_LEVEL': 'debug',
    'backup.egressPorts': '{9000}',
    'repositories.size': '9Gi',
    'repositories.storageClassName': 'shared',
    'repositories.accessModes': '{ReadWriteOnce}',
    monitoringNamespace: 'prometheus',
  });
  const containerOf = (name: string) =>
    found.get(`Deployment ${name}`).spec.template.spec.containers[0];
  const [server, worker] = [containerOf('guildhall'), containerOf('guildhall-work')];
  const variableOf = ({ env }: Anything, wanted: string) =>
    env.filter(({ name }: Anything) => name === wanted).map(({ value }: Anything) => value);
  for (const { image } of [server, worker])
    assert.equal(image, 'registry.example.com/guildhall:0.1.0-1');
  assert.deepEqual(variableOf(server, 'BILLING'), ['credits']);
  assert.deepEqual(variableOf(server, 'MAX_CONNECTIONS'), ['1000000']);
  assert.deepEqual(server.resources, { limits: { memory: '1Gi' } });
  assert.deepEqual(variableOf(worker, 'TASK_TURNS_AT_ONCE'), ['8']);
  assert.deepEqual(variableOf(worker, 'PODS_NAMESPACE'), ['agents']);
  assert.equal(found.get('Deployment guildhall-work').spec.replicas, 1);
  const { minReplicas, maxReplicas } = found.get('HorizontalPodAutoscaler guildhall').spec;
  assert.deepEqual([minReplicas, maxReplicas], [3, 5]);
  const { metadata, roleRef, subjects } = found.get('RoleBinding guildhall-agents');
  assert.deepEqual(
    [metadata.namespace, roleRef.name, subjects[0].namespace],
    ['agents', 'guildhall-agents', 'guildhall'],
  );
  assert.ok(found.has('Namespace agents'));
  assert.deepEqual(found.get('PersistentVolumeClaim guildhall-repositories').spec, {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '9Gi' } },
    storageClassName: 'shared',
  });
  assert.deepEqual(found.get('PersistentVolumeClaim guildhall-backups').spec, {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '8Gi' } },
    storageClassName: 'cheap',
  });
  const { schedule, jobTemplate } = found.get('CronJob guildhall-backup').spec;
  assert.equal(schedule, '30 1 * * *');
  const [backup] = jobTemplate.spec.template.spec.containers;
  assert.equal(backup.image, 'registry.example.com/guildhall:0.1.0-1');
  assert.deepEqual(variableOf(backup, 'KEEP'), ['14']);
  assert.deepEqual(variableOf(backup, 'LOG_LEVEL'), ['debug']);
  const portsOf = (name: string): number[] =>
    found
      .get(`NetworkPolicy ${name}`)
      .spec.egress.at(-1)
      .ports.map(({ port }: Anything) => port);
  assert.deepEqual(portsOf('guildhall'), [5432, 6379, 443, 465, 587, 6432]);
  assert.deepEqual(portsOf('guildhall-work'), [5432, 443, 80, 6443, 8069, 3000]);
  assert.deepEqual(portsOf('guildhall-backup'), [5432, 443, 9000]);
  assert.ok(!found.get('NetworkPolicy guildhall-agents').spec.egress);
  for (const name of ['guildhall', 'guildhall-work'])
    assert.deepEqual(
      found.get(`NetworkPolicy ${name}`).spec.ingress.at(-1).from[0].namespaceSelector.matchLabels,
      { 'kubernetes.io/metadata.name': 'prometheus' },
    );
});
