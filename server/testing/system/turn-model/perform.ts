import { setTimeout as pause } from 'node:timers/promises';
import { settlePending } from '../../../billing/settle-pending.ts';
import { sql } from '../../../db/sql.ts';
import { claimTurn } from '../../../runner/worker/claim.ts';
import { turnMoney } from '../../../runner/worker/money.ts';
import type { TurnStep } from './steps.ts';
import type { TurnTenant, TurnWorld } from './world.ts';

/** Carries out one step. A request may be refused; a test of its operation says when. */
export async function performTurn(world: TurnWorld, t: TurnTenant, s: TurnStep): Promise<void> {
  const { db, request } = world;
  const send = (method: string, path: string, body?: object) =>
    request(method, `/api/${path}`, { key: t.user.key, ...(body === undefined ? {} : { body }) });
  const taskOf = (index: number) => t.tasks[index] as string;
  switch (s.do) {
    case 'message':
      return void (await send('POST', `tasks/${taskOf(s.task)}/messages`, {
        text: JSON.stringify(s.script),
      }));
    case 'lose':
      return void (await db.many(sql`
        update task_turn set lease_until = now() - interval '1 second'
         where task_id = ${taskOf(s.task)} and state in ('running', 'waiting')`));
    case 'vanish':
      return vanish(world, s.charges);
    case 'cancel':
    case 'resume':
      return void (await send('POST', `tasks/${taskOf(s.task)}/${s.do}`));
    case 'cap': {
      // Only of those that are capped, and never above what they had at first.
      const cap = { spend_cap: `0.${String(s.cents).padStart(2, '0')}` };
      const path =
        s.of === 'task' ? `tasks/${taskOf(2 + (s.task % 2))}` : `projects/${t.projects[1]}`;
      return void (await send('PUT', path, cap));
    }
    case 'transfer': {
      const to = { workspace: t.workspace, other: t.other, person: undefined }[s.to];
      const body = to === undefined ? {} : { organization_id: to };
      return void (await send('POST', `projects/${t.projects[s.project]}/transfer`, body));
    }
    case 'claim':
      return void (await send('POST', `projects/${t.projects[s.project]}/claim`, {}));
    case 'deleteTask':
      return void (await send('DELETE', `tasks/${taskOf(s.task)}`));
    case 'deleteProject':
      return void (await send('DELETE', `projects/${t.projects[s.project]}`));
    case 'settle':
      return void (await settlePending(db, world.quiet));
    case 'wait':
      return void (await pause(s.ms));
  }
}

/** A worker that claims a turn, spends something, and is never heard of again. */
async function vanish(world: TurnWorld, charges: number): Promise<void> {
  const { db, note, isLoss, scriptOf } = world;
  const turn = await claimTurn(db, { owner: 'vanished', lease: 50, deadline: 60_000 });
  if (turn === undefined) return;
  const { costs } = await scriptOf(turn.taskId, turn.prompt);
  const money = turnMoney(db, turn, { lost: () => false });
  try {
    await money.begin();
    for (const nano of costs.slice(0, charges)) await note(turn.turnId, nano, money.charge(nano));
  } catch (error) {
    if (!isLoss(error)) throw error;
  }
}
