import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { sql } from '../db/sql.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { startProxy } from '../testing/database/proxy.ts';
import { watchStatements } from '../testing/database/statements.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { until } from '../testing/harness/until.ts';

// The event log has a database of its own here, which can be cut off.
const clone = await cloneDatabase();
const proxy = await startProxy(clone.url);
const { db, events, fixtures, request } = await startHarness({
  env: { EVENT_DATABASE_URL: proxy.url },
});
after(async () => {
  await proxy.close();
  await clone.drop();
});
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });
const { key } = owner;

async function taskWithEvents() {
  const id = await fixtures.task(project, owner);
  await events.log.acquire(id, 1n, 'worker');
  return {
    id,
    append: () => events.log.append(id, 1n, [{ type: 'notice', payload: {} }]),
    get: () => request('GET', `/api/tasks/${id}`, { key }),
  };
}

test('200: the number of the last event, 0 before the first; lists and other answers have none', async () => {
  const { id, append, get } = await taskWithEvents();
  assert.equal((await get()).body.as_of_seq, 0);
  await append();
  const last = await append();
  const { body, headers } = await get();
  assert.equal(body.as_of_seq, last);
  const list = await request('GET', `/api/projects/${project}/tasks`, { key });
  const { as_of_seq, ...task } = body;
  assert.deepEqual(
    list.body.find((each: { id: string }) => each.id === id),
    task,
  );
  const never = await fixtures.task(project, owner);
  assert.equal((await request('GET', `/api/tasks/${never}`, { key })).body.as_of_seq, 0);
  await append();
  assert.equal((await get()).headers.get('etag'), headers.get('etag'));
});

test('race: what the task does not show yet comes after as_of_seq', async () => {
  const { id, append, get } = await taskWithEvents();
  let over = false;
  const writer = (async () => {
    for (let n = 1; n <= 40; n++) {
      await db.many(sql`update task set title = ${String(n)} where id = ${id}`);
      await append();
    }
    over = true;
  })();
  const pairs: [shown: number, asOf: number][] = [];
  const reader = async () => {
    while (!over) {
      const { body } = await get();
      pairs.push([Number(body.title) || 0, body.as_of_seq]);
    }
  };
  await Promise.all([writer, reader(), reader(), reader(), reader()]);
  assert.ok(pairs.length > 20);
  for (const [shown, asOf] of pairs) assert.ok(asOf <= shown, `${asOf} > ${shown}`);
});

test('200 without as_of_seq while the event log cannot be reached or is silent, and with it again', async () => {
  const { append, get } = await taskWithEvents();
  await append();
  for (const fail of [proxy.cut, proxy.silence]) {
    fail();
    const began = performance.now();
    const { status, body } = await get();
    assert.deepEqual([status, 'as_of_seq' in body], [200, false]);
    assert.ok(performance.now() - began < 5_000);
    proxy.mend();
  }
  await until('it is told again', async () => (await get()).body.as_of_seq === 1);
});

test('401, 403, 404: the server asks the event log only for those who may read the task', async () => {
  const { id } = await taskWithEvents();
  const stranger = await fixtures.user();
  const missing = randomUUID();
  const asked: string[] = [];
  // Retention walks through all tasks beside it, and is not meant.
  watchStatements(({ text, values }) => {
    const tasks = values.flat();
    if (/\btask_log\b/.test(text) && (tasks.includes(id) || tasks.includes(missing)))
      asked.push(text);
  });
  const status = async (task: string, ...credential: string[]) =>
    (await request('GET', `/api/tasks/${task}`, { key: credential[0] })).status;
  assert.deepEqual(
    [await status(id), await status(id, stranger.key), await status(missing, key)],
    [401, 403, 404],
  );
  assert.deepEqual(asked, []);
  assert.equal(await status(id, key), 200);
  assert.equal(asked.length, 1);
});
