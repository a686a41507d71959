import Type from 'typebox';
import { acrossWorkspaces } from '../../access/account.ts';
import { projectsOfCaller } from '../../access/project.ts';
import type { Permission } from '../../access/roles.ts';
import { seesBilling } from '../../billing/index.ts';
import { sameMailbox } from '../../db/addresses.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { boolean, oneOf, uuid } from '../../http/input/fields.ts';
import { type Listed, type ListParts, listed, type Part, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { resource } from '../../http/resource.ts';
import { route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { fundsWaiting } from './funds-waiting.ts';

/** The mark with which the caller has set aside the entries of a task that are not newer. */
const marks = (taskId: Sql): Sql => sql`
  inbox_mark m
   where m.user_id = (select user_id from caller) and m.task_id = ${taskId}
     and date_trunc('milliseconds', e.since) <= m.seen
     and (m.snoozed_until is null or m.snoozed_until > now())`;

/** Something that waits for the caller, from a row `e` of the union below. */
const entry = resource('InboxEntry', {
  kind: [
    oneOf(
      ['plan_approval', 'question', 'invitation', 'funds', 'failed_checks', 'ready', 'failed'],
      {
        description:
          '`plan_approval`: a plan that you may approve. `question`: what an agent asks in a task ' +
          'that you work on. `invitation`: one that you may accept. `funds`: a balance that is ' +
          'frozen, or whose auto-reload is paused, or a task that is paused for lack of funds, or at ' +
          'a spend limit that you may change. ' +
          '`failed_checks`: an open pull request whose last commit has failed, unless its agent is ' +
          'at work. `ready`, `failed`: a task that you began and whose agent has ended so in the ' +
          'last 30 days, unless its pull request is merged or closed.',
      },
    ),
    sql`e.kind`,
    'plan_approval',
  ],
  task_id: [Type.Optional(uuid()), sql`e.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  project_id: [Type.Optional(uuid()), sql`e.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
  organization_id: [
    Type.Optional(uuid({ description: 'The workspace; left out for what is personal.' })),
    sql`e.organization_id`,
    '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  ],
  invitation_id: [Type.Optional(uuid()), sql`e.invitation_id`, undefined],
  title: [
    Type.String({
      description: 'The title of the task, the name of what one is invited to, or what to do.',
    }),
    sql`e.title`,
    'Sale order approval',
  ],
  since: [timestamp(), sql`e.since`, '2026-11-21T08:15:30.123Z'],
  snoozed_until: [
    Type.Optional(
      timestamp({ description: 'Until when you have set it aside; only with `set_aside`.' }),
    ),
    sql`(select m.snoozed_until from ${marks(sql`e.task_id`)})`,
    undefined,
  ],
});

/** What waits for the caller, newest first. */
export const listInbox = route({
  method: 'GET',
  path: '/api/inbox',
  area: 'Account',
  operationId: 'list_inbox',
  summary: 'List what waits for you',
  description:
    'Plans to approve, questions of agents, failed checks, tasks that lack funds or are at a ' +
    'spend limit, tasks of yours that are ready or failed, invitations to answer and balances that ' +
    'need you, newest first. Archived projects are left out, and so is what you have set aside. A ' +
    'key that is limited to one workspace lists what is in it.',
  access: acrossWorkspaces,
  query: Type.Object({
    ...paging,
    set_aside: boolean({
      default: false,
      description: '`true` lists what you have set aside, instead of the rest.',
    }),
  }),
  responses: { 200: entry.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(inbox(query.set_aside), query) }, page(url, query.limit)),
});

const projects = (permission: Permission): Sql => sql`
  ${projectsOfCaller(permission)} and p.archived_at is null`;

// Of each project only what the page can need is read, in the order of an index.
const plans = ({ after, first }: Part, shown: (taskId: Sql) => Sql): Sql => sql`
  select 'plan_approval' as kind, e.id, e.id as task_id, p.id as project_id, p.organization_id,
         null::uuid as invitation_id, e.title, e.since
    from ${projects('approve_plan')}
   cross join lateral (
     select * from (
       select l.task_id as id, t.title, l.revised_at as since
         from plan l
         join task t on t.id = l.task_id and t.status = 'awaiting_approval'
                    and t.archived_at is null
        where l.project_id = p.id and l.approved_version is distinct from l.version) e
      where ${shown(sql`e.id`)} ${after} ${first}) e`;

// The agent of a ready task may have checks to repair, which are an entry of their own.
const outcomes = ({ after, first }: Part, shown: (taskId: Sql) => Sql): Sql => sql`
  select e.status, e.id, e.id, p.id, p.organization_id, null::uuid, e.title, e.since
    from ${projects('open_project')}
   cross join lateral (
     select * from (
       select o.task_id as id, t.title, t.status, o.since
         from task_outcome o
         join task t on t.id = o.task_id and t.status in ('ready', 'failed')
                    and t.archived_at is null
        where o.project_id = p.id and o.user_id = (select user_id from caller)
          and o.since > now() - interval '30 days'
          and not exists (
            select from pull_request pr
              left join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
             where pr.task_id = o.task_id
               and case pr.state when 'open' then t.status = 'ready' and s.conclusion = 'failed'
                                 else pr.updated_at >= o.since end)) e
      where ${shown(sql`e.id`)} ${after} ${first}) e`;

const questions = sql`
  select 'question', r.id, t.id, p.id, p.organization_id, null::uuid, t.title, r.created_at
    from ${projects('work_on_task')}
    join task t on t.project_id = p.id and t.status = 'awaiting_answer'
    join agent_request r on r.task_id = t.id and r.state = 'open'`;

const unfunded = sql`
  select 'funds', t.id, t.id, p.id, p.organization_id, null::uuid, t.title, t.updated_at
    from ${projects('work_on_task')}
    join task t on t.project_id = p.id and t.status = 'paused'
               and t.status_reason = 'insufficient_funds'`;

// A limit is changed by those who see the billing of whoever the project belongs to.
const limited = sql`
  select 'funds', t.id, t.id, p.id, p.organization_id, null::uuid, t.title, t.updated_at
    from ${projects('open_project')}
    join task t on t.project_id = p.id and t.status = 'paused' and t.status_reason = 'spend_limit'
    join billing_account a on a.organization_id = p.organization_id or a.user_id = p.owner_user_id
    join app_user u on u.id = person.user_id and ${seesBilling}`;

const failedChecks = sql`
  select 'failed_checks', s.id, t.id, p.id, p.organization_id, null::uuid, t.title, s.ended_at
    from ${projects('work_on_task')}
    join repository r on r.project_id = p.id
    join pull_request pr on pr.repository_id = r.id and pr.state = 'open'
    join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
               and s.conclusion = 'failed'
    join task t on t.id = pr.task_id and t.archived_at is null
               and t.status not in ('queued', 'planning', 'building', 'awaiting_answer')`;

const invitations = sql`
  select 'invitation', i.id, null::uuid, i.project_id, coalesce(i.organization_id,
    p.organization_id),
         i.id, coalesce(o.name, p.name), i.created_at
    from authorized
    cross join caller
    join app_user u on u.id = caller.user_id
    join invitation i on ${sameMailbox(sql`i.email`, sql`u.email`)}
    left join organization o on o.id = i.organization_id
    left join project p on p.id = i.project_id
   where i.status = 'pending' and i.expires_at > now()
     and (authorized.organization_id is null
          or authorized.organization_id = coalesce(i.organization_id, p.organization_id))`;

const inbox = (setAside: boolean): ListParts => {
  const shown = (taskId: Sql): Sql => sql`exists (select from ${marks(taskId)}) = ${setAside}`;
  return {
    json: entry.json,
    rows: (part) => sql`
      from (${plans(part, shown)} union all ${outcomes(part, shown)} union all ${questions}
            union all ${unfunded} union all ${limited} union all ${failedChecks}
            union all ${invitations} union all ${fundsWaiting}) e
     where ${shown(sql`e.task_id`)}`,
    order: [
      { by: sql`e.since`, type: 'timestamptz' },
      { by: sql`e.id`, type: 'uuid' },
    ],
    descending: true,
  };
};
