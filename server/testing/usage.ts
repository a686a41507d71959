import { randomUUID } from 'node:crypto';
import { recordUsage, type UsageEvent } from '../billing/ledger/usage.ts';
import { sql } from '../db/sql.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

/** The day of now, in UTC. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** For tests of usage: lines that were recorded for a task, as workers do. */
export function usageOn({ db, fixtures }: Pick<Harness, 'db' | 'fixtures'>) {
  /** The account that pays for a task now. */
  const payerOf = async (task: string): Promise<string> =>
    (
      await db.one<{ id: string }>(sql`
        select a.id from task t join project p on p.id = t.project_id
          join billing_account a
            on a.organization_id = p.organization_id or a.user_id = p.owner_user_id
         where t.id = ${task}`)
    ).id;

  /** Nano-USD of a task on a day, for a turn that `by` asked for; null is a policy. */
  async function use(
    task: string,
    by: User | null,
    line: Partial<Omit<UsageEvent, 'amount'>> & { nano: bigint | number; day?: string },
  ): Promise<string> {
    const { nano, day = '2026-03-04', ...more } = line;
    const { id } = await db.one<{ id: string }>(sql`
      insert into task_turn (task_id, number, kind, source, prompt, requested_by_user_id)
      select ${task}, 1 + coalesce(max(number), 0), 'prompt', gen_random_uuid()::text, 'x',
             ${by?.id ?? null}::uuid
        from task_turn where task_id = ${task}
      returning id`);
    const accountId = more.accountId ?? (await payerOf(task));
    const reference = { type: 'task_turn', id };
    await db.transaction((tx) =>
      recordUsage(tx, [
        {
          key: randomUUID(),
          reference,
          occurredAt: new Date(`${day}T12:00:00Z`),
          ...more,
          accountId,
          amount: BigInt(nano),
        },
      ]),
    );
    return id;
  }

  /** A workspace with people of every standing and two projects with a task each. */
  async function tenant() {
    const owner = await fixtures.user();
    const workspace = await fixtures.workspace(owner, { balance: '5.00' });
    const person = async (role: 'admin' | 'member' | 'viewer') => {
      const user = await fixtures.user();
      await fixtures.member(workspace, user, role);
      return user;
    };
    const [admin, member, viewer] = [
      await person('admin'),
      await person('member'),
      await person('viewer'),
    ];
    const [collaborator, stranger] = [await fixtures.user(), await fixtures.user()];
    const project = await fixtures.project({ organizationId: workspace });
    const other = await fixtures.project({ organizationId: workspace });
    await fixtures.grant(project, collaborator, 'member');
    const [task, otherTask] = [
      await fixtures.task(project, owner),
      await fixtures.task(other, owner),
    ];
    const people = { owner, admin, member, viewer, collaborator, stranger };
    return { ...people, workspace, project, other, task, otherTask };
  }

  return { use, tenant, payerOf };
}
