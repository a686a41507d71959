import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { hiding } from '../../telemetry/hide-secrets.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { secretsOf } from './hiding.ts';
import type { Lease } from './lease.ts';
import { podLog } from './pod-log.ts';

/** The log of a pod: its last lines, without secrets. */

const { db, fixtures, request } = await startHarness({ own: true });
const owner = await fixtures.user();
const KEY = 'my-own-key-of-the-catalog';

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
    const log = podLog(db, lease, podId, hiding([]));
    for (const line of ['a', 'b']) log.line(`${turn}${line}`);
    await log.end();
  }
  assert.equal(await read(), '1a\n1b\n2a\n2b\n');
});

test('only the last 64 KiB are kept, from the beginning of a line', async () => {
  const { lease, podId, read } = await working();
  const log = podLog(db, lease, podId, hiding([]));
  for (let i = 0; i < 3_000; i++) log.line(`${i} ${'ü'.repeat(20)}`);
  await log.end();
  const text = await read();
  assert.ok(Buffer.byteLength(text) <= 65_536 && Buffer.byteLength(text) > 65_000);
  assert.match(text, /^\d+ ü{20}\n/);
  assert.match(text, /\n2999 ü{20}\n$/);
});

test('a worker that has lost the turn writes nothing', async () => {
  const { lease, podId, read } = await working();
  const log = podLog(db, { ...lease, fence: 7n }, podId, hiding([]));
  log.line('late');
  await log.end();
  assert.equal(await read(), '');
});

test('known secrets, escape sequences and control characters do not stay; ordinary words do', async () => {
  const { lease, podId, read } = await working();
  const token = 'a-token-of-the-gateway';
  const log = podLog(
    db,
    lease,
    podId,
    hiding(secretsOf({ MODE: 'production', API_KEY: KEY }, [token])),
  );
  const lines = [
    [
      `key is ${KEY}, in Base64 ${Buffer.from(`:${KEY}`).toString('base64')}`,
      'key is ***, in Base64 Om***c=',
    ],
    [`Authorization: Bearer ${token}`, 'Authorization: Bearer ***'],
    [`${KEY.slice(0, 10)}\n${KEY.slice(10)}`, '***'],
    [`gh\u001b[31mp_${'a1B2'.repeat(9)}\u001b[0m`, 'ghp_***'],
    ['\u001b[31mred\u001b[0m \u001b]0;title\u0007done\u0000\u0008', 'red done'],
    ['a\u202eb\tc', 'ab\tc'],
    ['password: expected 3', 'password: expected 3'],
    ['token = undefined', 'token = undefined'],
    ['in production, basic authentication', 'in production, basic authentication'],
  ] as const;
  for (const [line] of lines) log.line(line);
  await log.end();
  assert.equal(await read(), lines.map(([, kept]) => `${kept}\n`).join(''));
});

test('while it grows, the log shows nothing of a secret that has not come whole', async () => {
  const { lease, podId, read } = await working();
  const log = podLog(db, lease, podId, hiding([KEY]));
  log.line('begun');
  log.line(KEY.slice(0, 12));
  while ((await read()) === '') await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await read(), 'begun\n');
  log.line(`${KEY.slice(12)} and on`);
  await log.end();
  assert.equal(await read(), 'begun\n*** and on\n');
});

test('one that cannot be stored fails where it ends, and not on its own while the agent works', async (t) => {
  const { lease, podId } = await working();
  const full = { ...db, transaction: () => Promise.reject(new Error('no room')) };
  const log = podLog(full, lease, podId, hiding([]));
  // Nothing else runs meanwhile: the pool of connections would not get rid of its own timers.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  log.line('one');
  t.mock.timers.tick(2_000);
  t.mock.timers.reset();
  await soon();
  await assert.rejects(log.end(), /no room/);
});
