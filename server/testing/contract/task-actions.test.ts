import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Route } from '../../http/route.ts';
import { messageActions } from '../../tasks/message.ts';
import { planActions } from '../../tasks/plans/plan.ts';
import { requestActions } from '../../tasks/request.ts';
import { taskActions } from '../../tasks/task-actions.ts';
import { startGithub } from '../fixtures/code/github.ts';
import type { User } from '../fixtures/tenants.ts';
import { type Reply, startHarness } from '../harness/harness.ts';
import { makeTenant, requestSample, type Tenant } from './tenant.ts';

// In every state of a task, and for everyone: each change that the task, its plan, its messages and
// its agent's requests list as available succeeds, and each that they do not list is refused.

const harness = await startHarness({ github: await startGithub() });
const { db, fixtures, routes, request } = harness;

const routeOf = (operationId: string): Route =>
  routes.find((each) => each.operationId === operationId) ?? assert.fail(`no ${operationId}`);
const changes = (actions: object) =>
  Object.keys(actions).filter((name) => routeOf(name).method !== 'GET');

const owner = await makeTenant(harness);
const project = owner.ids.project_id as string;
const { key } = owner.caller;

/** Brings a task of this author, whose plan waits for approval, into a state. */
type Bring = (task: string, author: User) => Promise<unknown>;

const approve = (task: string) => request('POST', `/api/tasks/${task}/plan/approve`, { key });
const started = (task: string) =>
  db.many(sql`update outbox set done_at = now() where key like ${`${task}:%`}`);
const running = async (task: string, status: 'planning' | 'building' | 'awaiting_answer') => {
  await fixtures.taskStatus(task, status);
  return fixtures.turn(task, {
    state: status === 'awaiting_answer' ? 'waiting' : 'running',
    attempt: 1,
  });
};
const resting = async (
  task: string,
  status: 'ready' | 'failed' | 'cancelled',
  last: 'done' | 'failed' | 'cancelled',
) => {
  await fixtures.turn(task, { state: last, attempt: 1 });
  await fixtures.taskStatus(task, status);
};

const STATES: Record<string, Bring> = {
  'waits for approval': async () => {},
  'waits for its start': approve,
  'has a message that waits': (task, author) => fixtures.message(task, author),
  'has messages that were read, cancelled and wait': async (task, author) => {
    for (const state of ['done', 'cancelled', 'queued']) {
      await fixtures.message(task, author);
      await db.many(sql`
        update task_turn set state = ${state}, attempt = ${state === 'done' ? 1 : 0},
               ended_at = case when ${state} <> 'queued' then now() end
         where task_id = ${task} and state = 'queued' and ${state} <> 'queued'`);
    }
  },
  'is planned': (task) => running(task, 'planning'),
  'is planned and to be cancelled': async (task) => {
    await running(task, 'planning');
    await request('POST', `/api/tasks/${task}/cancel`, { key });
  },
  'is built': async (task) => {
    await approve(task);
    await started(task);
    await running(task, 'building');
  },
  'is built and revised': async (task) => {
    await approve(task);
    await started(task);
    await running(task, 'building');
    await fixtures.revision(task);
  },
  'waits for an answer': async (task) => {
    await running(task, 'awaiting_answer');
    await fixtures.request(task);
  },
  'has requests that have ended': async (task, author) => {
    for (const state of ['answered', 'withdrawn']) {
      const id = await fixtures.request(task);
      await db.many(sql`
        update agent_request
           set state = ${state}, ended_at = now(),
               answer_option_id = case when ${state} = 'answered' then 'yes' end,
               answered_by_user_id = case when ${state} = 'answered' then ${author.id}::uuid end
         where id = ${id}`);
    }
  },
  'is paused': async (task) => {
    await fixtures.turn(task, { state: 'interrupted', attempt: 1 });
    await fixtures.taskStatus(task, 'paused');
  },
  'is ready': async (task) => {
    await approve(task);
    await started(task);
    await resting(task, 'ready', 'done');
  },
  'has failed': (task) => resting(task, 'failed', 'failed'),
  'has failed, and waits for its start': async (task) => {
    await resting(task, 'failed', 'failed');
    await approve(task);
  },
  'was cancelled': (task) => resting(task, 'cancelled', 'cancelled'),
  'was cancelled, and waits for its start': async (task) => {
    await resting(task, 'cancelled', 'cancelled');
    await approve(task);
  },
  'was cancelled before anything ran': (task) => fixtures.taskStatus(task, 'cancelled'),
  'has an ERP instance': (task) => fixtures.erpInstance(task),
  'has an ERP instance that is being removed': (task) => fixtures.erpInstance(task, 'stopping'),
  'has an ERP instance that has failed': (task) => fixtures.erpInstance(task, 'failed'),
  'is archived': (task) => db.many(sql`update task set archived_at = now() where id = ${task}`),
};

async function tenantAs(standing: 'admin' | 'member' | 'viewer'): Promise<Tenant> {
  const caller = await fixtures.user();
  await fixtures.member(owner.ids.org_id as string, caller, standing);
  return { ...owner, caller, otherIds: {} };
}

/** Who calls, and whether the task and its messages are their own. */
interface Caller {
  tenant: Tenant;
  own: boolean;
}

const CALLERS: Record<string, Caller> = {
  'an admin': { tenant: await tenantAs('admin'), own: false },
  'its author': { tenant: await tenantAs('member'), own: true },
  'another member': { tenant: await tenantAs('member'), own: false },
  'its author, now a viewer': { tenant: await tenantAs('viewer'), own: true },
};

interface Seen {
  ids: Record<string, string>;
  available: string[];
}

type Kind = keyof typeof ACTIONS;

const ACTIONS = {
  task: changes(taskActions),
  plan: changes(planActions),
  messages: changes(messageActions),
  requests: changes(requestActions),
};
const KINDS = Object.keys(ACTIONS) as Kind[];

/** What each thing of this kind of the task lists, in their order. */
async function shown(kind: Kind, task: string, { caller }: Tenant): Promise<Seen[]> {
  const path = `/api/tasks/${task}${kind === 'task' ? '' : `/${kind}`}`;
  const { body } = await request('GET', path, { key: caller.key });
  return [body].flat().map(({ id, number, available_actions }) => ({
    ids: {
      task_id: task,
      ...(kind === 'messages' && { number: String(number) }),
      ...(kind === 'requests' && { request_id: id }),
    },
    available: available_actions,
  }));
}

const isOnceMore = ({ body }: Reply) =>
  // What is approved can be approved again, which changes nothing (spec 5).
  body?.newly_approved === false;

// The sample of a comment names a commit that no task here has, which is found out after the rights.
const isNoCommit = ({ status, body }: Reply) =>
  status === 422 && body.detail[0].type === 'commit_not_compared';

for (const [stateIndex, [state, bring]] of Object.entries(STATES).entries())
  test(`a task that ${state}: what is available succeeds, and nothing else`, async () => {
    const make = async ({ tenant, own }: Caller) => {
      const author = own ? tenant.caller : owner.caller;
      const task = await fixtures.task(project, author);
      await fixtures.revision(task);
      await bring(task, author);
      return task;
    };
    const perform = (name: string, { tenant }: Caller, { ids }: Seen) =>
      requestSample(harness, routeOf(name), tenant, { ids: { ...tenant.ids, ...ids } });
    /** Who may do what, by the kind of thing, its place among them, and the action. */
    const listed = new Map<string, { kind: Kind; index: number; name: string; by: string[] }>();

    for (const [who, caller] of Object.entries(CALLERS)) {
      // What is refused changes nothing.
      const task = await make(caller);
      for (const kind of KINDS)
        for (const [index, seen] of (await shown(kind, task, caller.tenant)).entries())
          for (const name of ACTIONS[kind]) {
            const what = `${kind} ${index}, ${name}`;
            if (seen.available.includes(name)) {
              const by = [...(listed.get(what)?.by ?? []), who];
              listed.set(what, { kind, index, name, by });
              continue;
            }
            const reply = await perform(name, caller, seen);
            if (isOnceMore(reply)) continue;
            assert.ok(
              [403, 409].includes(reply.status) || reply.body.code === 'odoo_instance_not_found',
              `${who}, ${what}: ${reply.status} ${reply.text}`,
            );
          }
    }
    // One of those who may do it, in turn: the list decides by who asks and by the state apart.
    for (const [turn, [what, { kind, index, name, by }]] of [...listed].entries()) {
      const who = by[(stateIndex + turn) % by.length] as string;
      const caller = CALLERS[who] as Caller;
      const seen = (await shown(kind, await make(caller), caller.tenant))[index] as Seen;
      assert.ok(seen.available.includes(name), what);
      const reply = await perform(name, caller, seen);
      assert.ok(
        reply.status < 300 || isNoCommit(reply),
        `${who}, ${what}: ${reply.status} ${reply.text}`,
      );
    }
  });
