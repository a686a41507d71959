import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { makeInstances, signIn, specOf } from '../../testing/fixtures/erp/instances.ts';
import { until } from '../../testing/harness/until.ts';
import type { InstanceDriver, InstanceSpec } from './instance-driver.ts';
import { isReady } from './ready.ts';

/** What a driver of ERP instances guarantees, with the fake Odoo. */

const skip = process.platform === 'linux' ? false : 'finds processes in /proc';

const contract = (title: string, body: (context: { driver: InstanceDriver }) => Promise<void>) =>
  test(title, { skip, timeout: 180_000 }, async (t) => body({ driver: await makeInstances(t) }));

async function started(driver: InstanceDriver, spec: InstanceSpec): Promise<string> {
  await driver.create(spec);
  await driver.start(spec);
  const url = async () => (await driver.url(spec.id)) ?? '';
  await until('it is ready', async () => isReady(await url(), spec), 120_000);
  return url();
}

contract('create, start and destroy may be repeated', async ({ driver }) => {
  const spec = specOf(randomUUID());
  const state = async () => (await driver.find(spec.id)).state;
  assert.equal(await state(), 'absent');
  await assert.rejects(driver.start(spec), { code: 'absent' });
  for (const _ of [1, 2]) await driver.create(spec);
  assert.notEqual(await state(), 'absent');
  const url = await started(driver, spec);
  await driver.start(spec);
  assert.equal(await state(), 'running');
  assert.equal(await driver.url(spec.id), url);
  assert.deepEqual(
    (await driver.list()).map(({ id }) => id),
    [spec.id],
  );
  for (const _ of [1, 2]) await driver.destroy(spec.id);
  assert.equal(await state(), 'absent');
  assert.deepEqual(await driver.list(), []);
  assert.equal(await isReady(url, spec), false);
});

contract('each has a database, an address and a password of its own', async ({ driver }) => {
  const [one, other] = ['first', 'second'].map((password) => specOf(randomUUID(), { password }));
  const specs = [one as InstanceSpec, other as InstanceSpec] as const;
  const urls = await Promise.all(specs.map((spec) => started(driver, spec)));
  assert.notEqual(urls[0], urls[1]);
  assert.ok(Number(await signIn(urls[0] ?? '', specs[0])) > 0);
  assert.equal(await signIn(urls[0] ?? '', { ...specs[0], password: 'second' }), false);
  await driver.destroy(specs[0].id);
  assert.ok(Number(await signIn(urls[1] ?? '', specs[1])) > 0);
});

contract('the version is that of its project', async ({ driver }) => {
  const spec = specOf(randomUUID(), { erpVersion: '18.0' });
  const url = await started(driver, spec);
  const { status } = await fetch(`${url}/json/2/res.users/context_get`, { method: 'POST' });
  assert.equal(status, 404, 'JSON-2 is of 19');
});

contract('another driver of the same place finds and removes it', async ({ driver }) => {
  const spec = specOf(randomUUID());
  await started(driver, spec);
  await driver.release(spec.id);
  await pause(50);
  assert.notEqual((await driver.find(spec.id)).state, 'absent');
  await driver.start(spec);
  await started(driver, spec);
});

contract('an id that is no UUID is refused', async ({ driver }) => {
  for (const id of ['../x', '', 'a/b', `${randomUUID()}/..`])
    await assert.rejects(driver.create(specOf(id)), { code: 'failed' });
});
