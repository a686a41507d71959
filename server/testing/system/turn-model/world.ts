import { pino } from 'pino';
import { sql } from '../../../db/sql.ts';
import { LostLease } from '../../../runner/worker/lease.ts';
import { TurnFailed, type TurnRunner, TurnStopped } from '../../../runner/worker/runner.ts';
import { workersOn } from '../../fixtures/runner/worker.ts';
import { startWorld, type Tenant } from '../money-model/world.ts';
import type { Script } from './steps.ts';

/** What a task or project of the capped ones may cost at most, in cents. */
export const CAPS = { task: 60, project: 90 };

/**
 * A tenant with two workspaces, and with four tasks in two projects, of which the second is capped.
 */
export interface TurnTenant extends Tenant {
  other: string;
  projects: [string, string];
  /** Two of each project, in their order. */
  tasks: string[];
}

/** A charge of an agent: whether it was recorded, as far as the agent can know. */
interface Charge {
  turnId: string;
  nano: bigint;
  recorded: 'yes' | 'perhaps';
}

export type TurnWorld = Awaited<ReturnType<typeof startTurnWorld>>;

export async function startTurnWorld() {
  const world = await startWorld();
  const { db, fixtures } = world;
  const workers = workersOn(world);
  const charges: Charge[] = [];

  /** Notes what a charge was answered. Whoever has lost the turn cannot know whether it counts. */
  async function note(turnId: string, nano: bigint, charge: Promise<void>): Promise<void> {
    try {
      await charge;
      charges.push({ turnId, nano, recorded: 'yes' });
    } catch (error) {
      const recorded = error instanceof TurnStopped ? 'yes' : 'perhaps';
      charges.push({ turnId, nano, recorded });
      throw error;
    }
  }

  const run: TurnRunner['run'] = async ({ turnId, taskId, prompt }, { charge, signal }) => {
    const { costs, end } = await scriptOf(taskId, prompt);
    for (const nano of costs) {
      signal.throwIfAborted();
      await note(turnId, nano, charge(nano));
    }
    if (end === 'hang')
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        if (signal.aborted) reject(signal.reason);
      });
    if (end === 'fail') throw new TurnFailed('The script says so.');
    return { text: 'Done' };
  };

  // Tasks with a cap pay in cents, so that they can reach it exactly.
  async function scriptOf(taskId: string, prompt: string) {
    const { costs, end } = JSON.parse(prompt) as Script;
    const [capped] = await db.many(sql`
      select from task where id = ${taskId} and spend_cap is not null`);
    const inCents = (nano: number) => (capped === undefined ? BigInt(nano) : 10_000_000n);
    return { costs: costs.map(inCents), end };
  }

  return {
    ...world,
    charges,
    note,
    scriptOf,
    quiet: pino({ level: 'silent' }),
    /** Two workers, until `close`, which interrupts what is still at work. */
    startWorkers: () => {
      const started = [0, 1].map(() => workers.worker(run, { concurrency: 3 }));
      return { close: () => Promise.all(started.map((worker) => worker.close())) };
    },
    turnTenant: async (): Promise<TurnTenant> => {
      const tenant = await world.tenant();
      const { user, workspace } = tenant;
      await fixtures.fund({ organizationId: workspace }, '3.00');
      await fixtures.fund({ userId: user.id }, '1.00');
      const other = await fixtures.workspace(user, { balance: '1.20' });
      const projects: [string, string] = [
        await fixtures.project({ organizationId: workspace }),
        await fixtures.project({ organizationId: workspace }),
      ];
      const tasks: string[] = [];
      for (const project of [projects[0], projects[0], projects[1], projects[1]])
        tasks.push(await fixtures.task(project, user));
      await db.many(sql`
        update project set spend_cap = ${CAPS.project * 10_000} where id = ${projects[1]}`);
      await db.many(sql`
        update task set spend_cap = ${CAPS.task * 10_000} where project_id = ${projects[1]}`);
      return { ...tenant, other, projects, tasks };
    },
    isLoss: (error: unknown) => error instanceof LostLease || error instanceof TurnStopped,
  };
}
