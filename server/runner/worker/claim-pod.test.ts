import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
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

test('a claim is renewed for as long as its work takes, and no longer', async () => {
  const pod = await claimed();
  const first = await heldUntil(pod);
  await whileClaimed(db, pod, { ms: 3_000 }, async (signal) => {
    await until('it was renewed', async () => (await heldUntil(pod)) !== first);
    assert.equal(await claimPod(db, { taskId: pod.taskId }), 'later');
    assert.equal(signal.aborted, false);
  });
  const last = await heldUntil(pod);
  await pause(700);
  assert.equal(await heldUntil(pod), last);
});

test('work ends with its claim, and when no more may be done', async () => {
  const pod = await claimed();
  const work = (signal: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
  const lost = whileClaimed(db, pod, { ms: 600 }, work);
  await db.many(sql`update pod set held_by = 'another' where id = ${pod.id}`);
  await assert.rejects(lost, { message: `the pod ${pod.id} is not claimed any more` });
  const stopping = new AbortController();
  const stopped = whileClaimed(db, await claimed(), { stopping: stopping.signal }, work);
  stopping.abort(new Error('stopped'));
  await assert.rejects(stopped, /stopped/);
});
