import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../server/db/database/database.ts';
import { openEventLog } from '../../server/tasks/events/open-event-log.ts';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import { startProxy } from '../../server/testing/database/proxy.ts';
import { fixturesOn } from '../../server/testing/fixtures/tenants.ts';
import { serve } from '../../server/testing/harness/serve.ts';
import { until } from '../../server/testing/harness/until.ts';
import { createClient, GuildhallError } from './index.ts';

/** Streams of the real server, across everything that may happen to it and to the network. */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
const log = openEventLog({ url: clone.url });
const fixtures = fixturesOn(db);
let served = await serve({ DATABASE_URL: clone.url });
const proxy = await startProxy(served.url);
after(async () => {
  await proxy.close();
  served.child.kill('SIGKILL');
  await log.close();
  await db.close();
  await clone.drop();
});
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });
const guildhall = createClient({ baseUrl: proxy.url, key: owner.key });
const path = '/api/tasks/{task_id}/events';

/** A task, and what appends events to it, numbered from 1. */
async function task() {
  const task_id = await fixtures.task(project, owner);
  await log.acquire(task_id, 1n, 'worker');
  let n = 0;
  const append = (count: number) =>
    log.append(
      task_id,
      1n,
      Array.from({ length: count }, () => ({ type: 'message', payload: { n: ++n } })),
    );
  return { task_id, append };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Reads until it has so many events. */
function reading(task_id: string, count: number) {
  const seqs: number[] = [];
  const read = async () => {
    for await (const { seq } of guildhall.stream(path, { task_id }, { silence: 3_000 })) {
      seqs.push(seq);
      if (seq >= count) return;
    }
  };
  return { seqs, done: read() };
}

test('a network that is cut, or falls silent, loses no event and doubles none', async () => {
  const { task_id, append } = await task();
  const { seqs, done } = reading(task_id, 400);
  for (let i = 1; i <= 20; i++) {
    await append(20);
    if (i % 4 === 0) {
      proxy.cut();
      await pause(50);
      proxy.mend();
    } else if (i === 10) {
      proxy.silence();
      await pause(200);
      proxy.cut();
      proxy.mend();
    } else await until('some arrive', () => seqs.length > (i - 4) * 20, 60_000);
  }
  await done;
  assert.deepEqual(seqs, upTo(400));
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`a server that is restarted (${signal}) loses no event and doubles none`, async () => {
    const { task_id, append } = await task();
    await append(10);
    const { seqs, done } = reading(task_id, 30);
    await until('the stream is open', () => seqs.length === 10, 60_000);
    const exited = once(served.child, 'exit');
    served.child.kill(signal);
    await append(10);
    await exited;
    served = await serve({ DATABASE_URL: clone.url });
    proxy.lead(served.url);
    await append(10);
    await done;
    assert.deepEqual(seqs, upTo(30));
  });
}

test('a stream that may not be read ends with the reason', async () => {
  const { task_id } = await task();
  const stranger = await fixtures.user();
  for (const [key, id, expected] of [
    ['gh_nobody', task_id, [401, 'invalid_api_key']],
    [stranger.key, task_id, [403, 'forbidden']],
    [owner.key, crypto.randomUUID(), [404, 'not_found']],
    [owner.key, 'no-id', [422, 'validation_error']],
  ] as const) {
    const stream = createClient({ baseUrl: proxy.url, key }).stream(path, { task_id: id });
    await assert.rejects(stream.next(), (error) => {
      assert.ok(error instanceof GuildhallError);
      assert.deepEqual([error.status, error.code], expected);
      return true;
    });
  }
});
