import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { dockerClient } from '../../platform/pods/docker/client.ts';
import {
  makeDockerInstances,
  makeKubernetesInstances,
} from '../../testing/fixtures/erp/instance-drivers.ts';
import { specOf } from '../../testing/fixtures/erp/instances.ts';
import { until } from '../../testing/harness/until.ts';
import { dockerInstances } from './docker-driver.ts';
import { ODOO_COMMAND } from './images.ts';

/** What is particular to instances in containers, against fakes of the engines' APIs. */

test('docker: the password is in the environment alone, and the port is open to this machine alone', async (t) => {
  const { engine, driver } = await makeDockerInstances(t);
  const spec = specOf(randomUUID());
  await driver().create(spec);
  const [database, odoo] = engine.made;
  assert.deepEqual([database.Image, odoo.Image], ['postgres:16', 'odoo:19.0']);
  assert.deepEqual(odoo.Cmd, ODOO_COMMAND);
  assert.ok(!JSON.stringify(odoo.Cmd).includes(spec.password));
  assert.ok(odoo.Env.includes(`ADMIN_PASSWORD=${spec.password}`));
  assert.deepEqual(odoo.HostConfig.PortBindings, {
    '8069/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }],
  });
  assert.equal(database.HostConfig.PortBindings, undefined);
  for (const { HostConfig } of [database, odoo]) {
    assert.equal(HostConfig.NetworkMode, `guildhall-erp-${spec.id}-net`);
    assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0 && !HostConfig.Privileged);
  }
  const secret = database.Env.find((one: string) => one.startsWith('POSTGRES_PASSWORD='));
  assert.ok(secret.length > 40 && !secret.includes(spec.password));
});

test('docker: an engine that fails makes an instance unknown, never absent', async (t) => {
  const { engine, driver } = await makeDockerInstances(t);
  const instances = driver();
  const spec = specOf(randomUUID());
  await instances.create(spec);
  engine.mode = 'fails';
  assert.equal((await instances.find(spec.id)).state, 'unknown');
  const { id } = spec;
  for (const call of [
    () => instances.create(spec),
    () => instances.start(spec),
    () => instances.destroy(id),
  ])
    await assert.rejects(call(), { code: 'unavailable' });
});

test('docker: instances of another installation are not listed; an image that is not there is named', async (t) => {
  const { driver } = await makeDockerInstances(t);
  const spec = specOf(randomUUID());
  await driver().create(spec);
  await driver('other').create(specOf(randomUUID()));
  assert.deepEqual(
    (await driver().list()).map(({ id }) => id),
    [spec.id],
  );
  const { engine } = await makeDockerInstances(t);
  const programs = [
    { version: '19.0', editions: ['community' as const], start: [], image: 'own/erp:1' },
  ];
  const own = dockerInstances({
    client: await dockerClient(engine.host),
    host: engine.host,
    programs,
    namespace: 'guildhall',
  });
  await assert.rejects(own.create(specOf(randomUUID())), {
    code: 'failed',
    message: 'The container engine has no image own/erp:1: pull it.',
  });
});

test('kubernetes: a Pod has Odoo and its database, and no service account', async (t) => {
  const { cluster, driver } = await makeKubernetesInstances(t);
  const spec = specOf(randomUUID());
  await driver.create(spec);
  const [pod] = cluster.made;
  assert.deepEqual(
    pod.spec.containers.map(({ image }: { image: string }) => image),
    ['odoo:19.0', 'postgres:16'],
  );
  assert.equal(pod.spec.automountServiceAccountToken, false);
  assert.equal(pod.metadata.labels['guildhall/instance'], spec.id);
  await until('it runs', async () => (await driver.find(spec.id)).state === 'running');
  assert.equal(await driver.url(spec.id), 'http://127.0.0.1:8069');
});

test('kubernetes: an instance whose database has ended does not run, and says why', async (t) => {
  const { cluster, driver } = await makeKubernetesInstances(t);
  const spec = specOf(randomUUID());
  await driver.create(spec);
  await until('it runs', async () => (await driver.find(spec.id)).state === 'running');
  cluster.endDatabases();
  const { state, reason } = await driver.find(spec.id);
  assert.deepEqual([state, reason], ['stopped', 'its container db has ended: OOMKilled']);
  await assert.rejects(driver.start(spec), { code: 'failed', message: reason });
});

test('kubernetes: an API that fails makes an instance unknown; an image that cannot be pulled now is waited for', async (t) => {
  const { cluster, driver } = await makeKubernetesInstances(t);
  cluster.pulls = false;
  const spec = specOf(randomUUID());
  await driver.create(spec);
  const { state, reason } = await driver.find(spec.id);
  assert.deepEqual([state, reason], ['starting', 'ErrImagePull: no such image']);
  await driver.start(spec);
  cluster.mode = 'fails';
  assert.equal((await driver.find(spec.id)).state, 'unknown');
  await assert.rejects(driver.destroy(spec.id), { code: 'unavailable' });
});
