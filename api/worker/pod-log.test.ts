import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness.ts';
import type { Lease } from './lease.ts';
import { clean, podLog } from './pod-log.ts';

/** The log of a pod: its last lines, without secrets. */

const { db, fixtures, request } = await startHarness();
const owner = await fixtures.user();

async function working() {
  const taskId = await fixtures.task(await fixtures.project({ userId: owner.id }), owner);
  const turnId = await fixtures.turn(taskId, { state: 'running', attempt: 1 });
  const podId = randomUUID();
  await db.many(sql`
    insert into pod (id, task_id, driver, state) values (${podId}, ${taskId}, 'process', 'running')`);
  const lease: Lease = { taskId, turnId, owner: 'a worker', attempt: 1, fence: 0n };
  const read = async () =>
    (await request('GET', `/api/tasks/${taskId}/pod/log`, { key: owner.key })).text;
  return { lease, podId, read };
}

test('lines are kept in their order, over several turns', async () => {
  const { lease, podId, read } = await working();
  for (const turn of [1, 2]) {
    const log = podLog(db, lease, podId, []);
    for (const line of ['a', 'b']) log.line(`${turn}${line}`);
    await log.end();
  }
  assert.equal(await read(), '1a\n1b\n2a\n2b\n');
});

test('only the last 64 KiB are kept, from the beginning of a line', async () => {
  const { lease, podId, read } = await working();
  const log = podLog(db, lease, podId, []);
  for (let i = 0; i < 3_000; i++) log.line(`${i} ${'ü'.repeat(20)}`);
  await log.end();
  const text = await read();
  assert.ok(Buffer.byteLength(text) <= 65_536 && Buffer.byteLength(text) > 65_000);
  assert.match(text, /^\d+ ü{20}\n/);
  assert.match(text, /\n2999 ü{20}\n$/);
});

test('a worker that has lost the turn writes nothing', async () => {
  const { lease, podId, read } = await working();
  const log = podLog(db, { ...lease, fence: 7n }, podId, []);
  log.line('late');
  await log.end();
  assert.equal(await read(), '');
});

test('secrets, escape sequences and control characters do not stay', () => {
  for (const [line, kept] of [
    ['key is my-own-key', 'key is [hidden]'],
    ['\u001b[31mred\u001b[0m \u001b]0;title\u0007done\u0000\u0008', 'red done'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [hidden]'],
    ['used sk-ant-REDACTED', 'used [hidden]'],
    ['OPENAI_API_KEY="abcd1234"', 'OPENAI_API_KEY="[hidden]"'],
    ['password=hunter22 user=ada', 'password=[hidden] user=ada'],
    ['postgres://ada:secret@db/x', 'postgres://ada:[hidden]@db/x'],
    ['a\u202eb\tc', 'ab\tc'],
    ['the token was fine', 'the token was fine'],
  ] as const)
    assert.equal(clean(line, ['my-own-key', 'no']), kept);
});
