import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { faultyProxy } from '../testing/faulty-proxy.ts';
import { createClient } from './index.ts';

const { events, fixtures, url } = await startHarness({ own: true });
const owner = await fixtures.user();
const org_id = await fixtures.workspace(owner);
for (let i = 0; i < 6; i++) await fixtures.team(org_id, { name: `Team ${i}` });
const proxy = await faultyProxy(url);
const guildhall = createClient({ baseUrl: proxy.url, key: owner.key });
const teams = '/api/organizations/{org_id}/teams';
const names = Array.from({ length: 6 }, (_, i) => `Team ${i}`);

test('a list has all items, however long its pages are', async () => {
  for (const limit of [1, 4, 6, 200]) {
    const found: string[] = [];
    for await (const { name } of guildhall.list(teams, { org_id, limit })) found.push(name);
    assert.deepEqual(found, names);
  }
});

test('pages, and all at once; a list can be read again', async () => {
  const list = guildhall.list(teams, { org_id, limit: 4 });
  const lengths: number[] = [];
  for await (const page of list.pages()) lengths.push(page.length);
  assert.deepEqual(lengths, [4, 2]);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(
      (await list.all()).map(({ name }) => name),
      names,
    );
});

test('pages are read as they are needed', async () => {
  proxy.seen.length = 0;
  for await (const _ of guildhall.list(teams, { org_id, limit: 2 })) break;
  assert.equal(proxy.seen.length, 1);
});

test('one page, and the arguments of the next', async () => {
  const first = await guildhall.page(teams, { org_id, limit: 4 });
  assert.deepEqual([first.items.length, first.next?.limit, first.next?.org_id], [4, 4, org_id]);
  const second = await guildhall.page(teams, first.next ?? assert.fail());
  assert.deepEqual([second.items.length, second.next], [2, undefined]);
});

test('a failure that passes between two pages is not noticed', async () => {
  const list = guildhall.list(teams, { org_id, limit: 2 }).pages();
  await list.next();
  proxy.faults.push('answer lost');
  assert.deepEqual(
    (await list.next()).value?.map(({ name }) => name),
    ['Team 2', 'Team 3'],
  );
});

test('events that have happened are a list, too', async () => {
  const project = await fixtures.project({ organizationId: org_id });
  const task_id = await fixtures.task(project, owner);
  await events.log.acquire(task_id, 1n, 'worker');
  const many = Array.from({ length: 120 }, (_, n) => ({ type: 'message', payload: { n } }));
  await events.log.append(task_id, 1n, many);
  const all = await guildhall.list('/api/tasks/{task_id}/events', { task_id, after: 20 }).all();
  assert.deepEqual([all.length, all[0]?.seq, all.at(-1)?.seq], [100, 21, 120]);
});
