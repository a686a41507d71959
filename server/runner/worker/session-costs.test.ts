import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { diskStore } from '../../platform/files/disk-store.ts';
import { makePods } from '../../testing/fixtures/runner/pods.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { startAgent } from '../agents/start-agent.ts';
import { agentRunner } from './agent-runner.ts';
import { openRepositories } from './repository.ts';

/** An agent that reports what its session has cost in all, $0.40 more with each prompt. */

const harness = await startHarness({ own: true });
const { db } = harness;
const tasks = workersOn(harness);
const pods = await makePods({ after: (work) => after(work as () => void) });
const directory = join(pods.directory, '..', `${pods.directory.split('/').at(-1)}-repositories`);
after(() => rmSync(directory, { recursive: true, force: true }));
const fakes = join(import.meta.dirname, '../../testing/fakes');
const agent = {
  id: 'total',
  command: 'node',
  args: [join(fakes, 'scripted-agent.ts'), 'total'],
  env: {},
  readable: [fakes],
};
const runner = agentRunner(db, {
  pods,
  files: diskStore(join(directory, 'files')),
  filesPerProject: 1e9,
  startAgent,
  repositories: openRepositories(directory),
  agentOf: () => ({
    agent,
    provider: undefined,
    modelId: 'total',
    model: 'total',
    sessionModel: undefined,
    costOf: () => 0n,
  }),
});
const work = () => tasks.worker(runner.run, { times: { stop: 9_000 } });

const costs = (taskId: string) =>
  db.many<{ spent: bigint; uncovered: bigint }>(sql`
    select spent_nano as spent, uncovered_nano as uncovered
      from task_turn where task_id = ${taskId} order by number`);

test('what a cap did not cover is recorded, and not charged when the session reports its total again', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  const cap = (amount: number) =>
    db.many(sql`update task set spend_cap = ${amount} where id = ${id}`);
  await cap(300_000);
  const first = await tasks.queue(id, 'prompt');
  work();
  await tasks.untilStatus(id, 'paused');
  assert.equal((await tasks.status(id)).reason, 'spend_cap');
  assert.deepEqual(await costs(id), [{ spent: 300_000_000n, uncovered: 100_000_000n }]);

  // The turn begins again, and its agent has cost $0.80 in all: $0.40 of it now.
  await cap(800_000);
  await tasks.untilTurn(first, 'done');
  assert.deepEqual(await costs(id), [{ spent: 700_000_000n, uncovered: 100_000_000n }]);

  // $1.20, of which $0.10 are left until the cap.
  const second = await tasks.queue(id, 'prompt');
  await tasks.untilStatus(id, 'paused');
  assert.deepEqual((await costs(id))[1], { spent: 100_000_000n, uncovered: 300_000_000n });

  // $1.60
  await cap(5_000_000);
  await tasks.untilTurn(second, 'done');
  const all = await costs(id);
  assert.deepEqual(all[1], { spent: 500_000_000n, uncovered: 300_000_000n });
  const { balance, held } = await db.one<{ balance: bigint; held: bigint }>(sql`
    select balance, held from billing_account where organization_id = ${workspace}`);
  assert.deepEqual([balance, held], [10_000_000n - 1_200_000n, 0n]);
  assert.deepEqual((await auditLedger(db)).violations, []);
});
