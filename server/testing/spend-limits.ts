import assert from 'node:assert/strict';
import { sql } from '../db/sql.ts';
import type { TurnRunner } from '../runner/worker/runner.ts';
import type { Harness } from './harness.ts';
import { until } from './until.ts';
import type { workersOn } from './worker.ts';

/** For tests of spend limits: tasks of a workspace that has limits. */

export const CENT = 10_000_000n; // nano-USD

/** An agent that costs so many times this many cents. */
export const costing =
  (times: number, cents = 1): TurnRunner['run'] =>
  async (_, { charge }) => {
    for (let i = 0; i < times; i++) await charge(CENT * BigInt(cents));
    return { text: 'Done' };
  };

/** Sets spend limits of a workspace. */
export const limitsOf =
  ({ request }: Pick<Harness, 'request'>, workspace: string, { key }: { key: string }) =>
  async (...limits: object[]) => {
    const path = `/api/organizations/${workspace}/billing/spend-limits`;
    const reply = await request('PUT', path, { key, body: { limits } });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.limits;
  };

export function limitsOn(
  { db, fixtures, request }: Harness,
  tasks: Pick<ReturnType<typeof workersOn>, 'queue'>,
) {
  /** A workspace with a project and so many tasks in it, each with a turn, and its limits. */
  async function limited(count: number, prompt = 'Do it') {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '50.00' });
    const project = await fixtures.project({ organizationId: workspace });
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await fixtures.task(project, owner));
    const start = async () => {
      for (const id of ids) await tasks.queue(id, 'prompt', prompt);
    };
    const put = limitsOf({ request }, workspace, owner);
    const cents = async (ofWorkspace = workspace) =>
      (
        await db.one<{ spent: bigint }>(sql`
          select coalesce(sum(e.amount), 0)::bigint / 10000000 as spent
            from usage_event e join billing_account a on a.id = e.account_id
           where a.organization_id = ${ofWorkspace}`)
      ).spent;
    const statuses = async () =>
      (
        await db.many<{ status: string }>(sql`
          select status || coalesce(':' || status_reason, '') as status
            from task where id = any(${ids}::uuid[]) order by 1`)
      ).map(({ status }) => status);
    const untilAll = (...wanted: string[]) =>
      until(`all are ${wanted}`, async () =>
        (await statuses()).every((status) => wanted.includes(status)),
      );
    return { owner, workspace, project, ids, start, put, cents, statuses, untilAll };
  }

  return { limited };
}
