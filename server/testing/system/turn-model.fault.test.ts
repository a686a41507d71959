import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { settlePending } from '../../billing/settle-pending.ts';
import { perform } from './money-model/perform.ts';
import { recover } from './money-model/recover.ts';
import { checkTurns, untilAtRest } from './turn-model/check.ts';
import { performTurn } from './turn-model/perform.ts';
import { step } from './turn-model/steps.ts';
import { startTurnWorld } from './turn-model/world.ts';

const RUNS = Number(process.env.GUILDHALL_TEST_MODEL_RUNS ?? 8);
const SEED = Number(process.env.GUILDHALL_TEST_MODEL_SEED ?? 412270233);

const world = await startTurnWorld();
const { db } = world;

test('property: whatever turns do and whatever becomes of their tasks, projects and accounts, all that they used is paid, once, without a debt', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.boolean()), { minLength: 10, maxLength: 30 }),
      async (steps) => {
        const t = await world.turnTenant();
        const workers = world.startWorkers();
        let running: Promise<void>[] = [];
        try {
          for (const [s, alone] of steps) {
            running.push('turn' in s ? performTurn(world, t, s.turn) : perform(world, t, s.money));
            if (!alone) continue;
            await Promise.all(running);
            running = [];
          }
          await Promise.all(running);
          await untilAtRest(world, t);
        } finally {
          await workers.close();
        }
        await recover(world);
        while ((await settlePending(db, world.quiet)).settlements > 0);

        await checkTurns(world, t);
        assert.deepEqual((await auditLedger(db)).violations, []);
      },
    ),
    { numRuns: RUNS, endOnFailure: true, seed: SEED },
  );
});
