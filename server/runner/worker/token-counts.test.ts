import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditUsage } from '../../billing/audit/usage.ts';
import { sql } from '../../db/sql.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { agentCosts } from './agent-costs.ts';
import type { Chunks } from './chunks.ts';
import { claimTurn, type Turn } from './claim.ts';
import { turnMoney } from './money.ts';
import { TurnStopped } from './runner.ts';

const harness = await startHarness({ own: true });
const { db } = harness;
const tasks = workersOn(harness);

const CENT = 10_000_000n; // nano-USD
const counted = { model: 'large', inputTokens: 100, outputTokens: 9 };

async function begun(balance: string, cap: number | null = null) {
  const { id } = await tasks.task({ balance });
  await db.many(sql`update task set spend_cap = ${cap} where id = ${id}`);
  await tasks.queue(id, 'prompt');
  const turn = (await claimTurn(db, { owner: 'w', lease: 60_000, deadline: 60_000 })) as Turn;
  const money = turnMoney(db, turn, { lost: () => false });
  await money.begin();
  return { id, turn, money };
}

const lines = (taskId: string) =>
  db.many(sql`
    select amount, model, input_tokens, output_tokens from usage_event
     where task_id = ${taskId} order by id`);

test('tokens are counted once, with what could be charged', async () => {
  const { id, money } = await begun('1.00');
  await money.charge(30n * CENT, counted);
  await assert.rejects(money.charge(120n * CENT, counted), TurnStopped);
  const tokens = { model: 'large', input_tokens: 100n, output_tokens: 9n };
  assert.deepEqual(await lines(id), [
    { amount: 30n * CENT, ...tokens },
    { amount: 70n * CENT, ...tokens },
  ]);
});

test('tokens are counted when they cost nothing, and when no one pays', async () => {
  const { id, money } = await begun('10.00', 500_000);
  await money.charge(0n, counted);
  await money.charge(0n, { model: 'large', inputTokens: 0 });
  await assert.rejects(money.charge(50n * CENT), TurnStopped);
  await assert.rejects(money.charge(7n, { ...counted, model: 'small' }), TurnStopped);
  const none = { amount: 0n, input_tokens: 100n, output_tokens: 9n };
  assert.deepEqual(await lines(id), [
    { ...none, model: 'large' },
    { amount: 50n * CENT, model: null, input_tokens: null, output_tokens: null },
    { ...none, model: 'small' },
  ]);
  const spent = await db.one(sql`
    select spent_nano, uncovered_nano from task_turn where task_id = ${id}`);
  assert.deepEqual(spent, { spent_nano: 50n * CENT, uncovered_nano: 7n });
  assert.deepEqual(await db.transaction(auditUsage), []);
});

test('tokens of the cache are of the input; what was not reported stays unknown', async () => {
  const told: unknown[] = [];
  const charge = async (nano: bigint, what: unknown, reserved = 0n) =>
    void told.push([nano, what, reserved]);
  const costs = agentCosts({
    work: { charge, reserve: async () => 4n } as never,
    chunks: { event: () => {} } as unknown as Chunks,
    model: 'large',
    costOf: () => 5n,
    onError: assert.fail,
  });
  costs.reported({ costNano: 3n });
  costs.reported({ inputTokens: 1, cacheReadTokens: 20, cacheWriteTokens: 300, outputTokens: 7 });
  const held = await costs.reserve(1n, 4n, new AbortController().signal);
  await held.charge({ cacheReadTokens: 2, longCacheWriteTokens: 3 }, false);
  const none = { model: 'large', inputTokens: undefined, outputTokens: undefined };
  assert.deepEqual(told, [
    [3n, none, 0n],
    // Its cost was in what the agent reported before.
    [0n, { model: 'large', inputTokens: 321, outputTokens: 7 }, 0n],
    [5n, { ...none, inputTokens: 5 }, 4n],
  ]);
});
