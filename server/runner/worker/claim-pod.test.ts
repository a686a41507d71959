import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { watchStatements } from '../../testing/database/statements.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { type ClaimedPod, claimPod, whileClaimed } from './claim-pod.ts';

const harness = await startHarness();
const { db } = harness;
const tasks = workersOn(harness);

async function claimed(): Promise<ClaimedPod> {
  const { id } = await tasks.task();
  const found = await claimPod(db, { taskId: id, make: 'process' });
  assert.ok(typeof found !== 'string', `the pod was ${found}`);
  return found;
}

const heldUntil = async ({ id }: ClaimedPod) =>
  (await db.one<{ at: string }>(sql`select held_until::text as at from pod where id = ${id}`)).at;

/** Half a minute, in which every claim is renewed once. */
const pass = (t: TestContext) => t.mock.timers.tick(30_000);

test('a claim is renewed for as long as its work takes, and no longer', async (t) => {
  const pod = await claimed();
  const first = await heldUntil(pod);
  t.mock.timers.enable({ apis: ['setInterval'] });
  await whileClaimed(db, pod, undefined, async (signal) => {
    pass(t);
    await until('it was renewed', async () => (await heldUntil(pod)) !== first);
    assert.equal(await claimPod(db, { taskId: pod.taskId }), 'later');
    assert.equal(signal.aborted, false);
  });
  const statements: string[] = [];
  watchStatements(({ text }) => void statements.push(text));
  pass(t);
  assert.deepEqual(statements, []);
});

test('work ends with its claim, and when no more may be done', async (t) => {
  const pod = await claimed();
  const other = await claimed();
  const work = (signal: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
  await db.many(sql`update pod set held_by = 'another' where id = ${pod.id}`);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lost = whileClaimed(db, pod, undefined, work);
  pass(t);
  await assert.rejects(lost, { message: `the pod ${pod.id} is not claimed any more` });
  const stopping = new AbortController();
  const stopped = whileClaimed(db, other, stopping.signal, work);
  stopping.abort(new Error('stopped'));
  await assert.rejects(stopped, /stopped/);
});
