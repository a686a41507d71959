import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { CENT, costing, limitsOn } from '../../testing/fixtures/billing/spend-limits.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

/** Limits when a month ends. The ledger of this file is not audited, because months end by hand. */

const harness = await startHarness({ own: true });
const tasks = workersOn(harness);
const { limited } = limitsOn(harness, tasks);

let months = 0;

/** As if what was spent so far had been spent months ago. */
async function monthEnds(): Promise<void> {
  months += 1;
  await harness.owner(sql`update usage_day set day = day - ${62 * months}::integer`);
}

test('a task that paused at a limit goes on by itself when it is raised, removed, or the month ends', async () => {
  const { start, put, cents, untilAll } = await limited(2);
  await put({ subject: 'balance', amount: '0.10' });
  await start();
  tasks.worker(costing(1_000));
  await untilAll('paused:spend_limit');
  assert.equal(await cents(), 10n);
  await put({ subject: 'balance', amount: '0.25' });
  await until('more is spent', async () => (await cents()) === 25n);
  await untilAll('paused:spend_limit');
  await monthEnds();
  await until('the limit is spent again', async () => (await cents()) === 50n);
  await untilAll('paused:spend_limit');
  await put({ subject: 'balance', amount: null });
  await until('nothing limits it', async () => (await cents()) > 60n);
});

test('a turn that is at work when the month ends keeps what it holds; it counts to the next one', async () => {
  const { ids, put, cents, statuses } = await limited(2);
  await put({ subject: 'balance', amount: '0.60' });
  const [first, second] = ids as [string, string];
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  await tasks.queue(first, 'prompt', 'first');
  tasks.worker(
    async ({ prompt }, { charge }) => {
      if (prompt === 'first') {
        await charge(CENT);
        await over;
      }
      for (let i = 0; i < 1_000; i++) await charge(CENT);
      return { text: 'Done' };
    },
    { concurrency: 2 },
  );
  await until('it is at work', async () => (await cents()) === 1n);
  await monthEnds();
  await tasks.queue(second, 'prompt', 'second');
  // The first one holds 49 cents of this month.
  await tasks.untilStatus(second, 'paused');
  assert.equal(await cents(), 1n + 11n);
  end();
  await until('both are paused', async () =>
    (await statuses()).every((status) => status === 'paused:spend_limit'),
  );
  assert.equal(await cents(), 1n + 60n);
});
