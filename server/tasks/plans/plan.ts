import Type, { type TSchema } from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../../access/actions.ts';
import { seesBillingOf } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { integer, multilineText, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { isIdle, isOpen } from './task-state.ts';

/** Code points of a plan, whoever writes it. */
export const LONGEST_PLAN = 100_000;

/** The number of a version of a plan. */
export const versionNumber = (description: string) =>
  integer({ minimum: 1, maximum: 2_147_483_647, description });

const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/** What a person may do to a plan. */
export const planActions: Actions = {
  get_plan: 'open_project',
  approve_plan: {
    permission: 'approve_plan',
    when: sql`t.approved_version is distinct from t.version and r.body <> ''`,
  },
  revise_plan: { permission: 'work_on_task', when: isOpen },
  request_plan_changes: { permission: 'work_on_task', when: isIdle },
  reject_plan: {
    permission: 'work_on_task',
    when: sql`${isIdle} and t.approved_version is distinct from t.version`,
  },
  get_plan_estimate: { permission: 'see_billing', when: seesBillingOf(sql`task.project_id`) },
  list_plan_versions: 'open_project',
  get_plan_diff: 'open_project',
  list_plan_comments: 'open_project',
  create_plan_comment: 'work_on_task',
};

const EXAMPLE = {
  task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  text: '# Sale order approval\n\n1. Add the field `approved_by` to the order.\n',
  sha256: '780fb12be95843e9a577ead308c3f6793803c4c5e6cbdeeedf4bf8e69db5bee1',
  person: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  at: '2026-11-21T08:15:30.123Z',
};

/** Who wrote the version `r` of `plan_revision`, and when. */
const author = {
  author: [
    oneOf(['agent', 'person']),
    sql`case when r.author_user_id is null then 'agent' else 'person' end`,
    'agent',
  ],
  author_user_id: [
    maybe(uuid({ description: 'The person who wrote this version.' })),
    sql`r.author_user_id`,
    undefined,
  ],
  created_at: [timestamp(), sql`r.created_at`, EXAMPLE.at],
} as const;

/** The text of the version `r` of `plan_revision`. */
export const planText = {
  text: [
    Type.String({ description: 'Markdown; empty once it was removed.' }),
    sql`r.body`,
    EXAMPLE.text,
  ],
  text_removed_at: [
    maybe(
      timestamp({
        description:
          'When the text was removed because the task had been archived for long; `sha256` is that ' +
          'of the text still.',
      }),
    ),
    sql`case when r.body = ''
             then (select conversation_removed_at from task where id = r.task_id) end`,
    undefined,
  ],
  sha256: [
    Type.String({ description: 'Of the text in UTF-8, in hexadecimal digits.' }),
    sql`encode(r.sha256, 'hex')`,
    EXAMPLE.sha256,
  ],
} as const;

const bySource = (description: string) => oneOf(['person', 'policy'], { description });

const APPROVAL_SOURCE =
  'Who approved: a `person`, or the `policy` of a project that approves plans automatically.';

/**
 * The current plan of a task, from rows `t` of `plan` and `r` of `plan_revision`, and what the
 * caller may do with it. The approval is that of `approved_version`, which may be older.
 */
export const plan = resource(
  'Plan',
  {
    task_id: [uuid(), sql`t.task_id`, EXAMPLE.task_id],
    version: [Type.Integer(), sql`t.version`, 2],
    approved_version: [maybe(Type.Integer()), sql`t.approved_version`, 1],
    ...planText,
    ...author,
    approved_at: [maybe(timestamp()), sql`t.approved_at`, EXAMPLE.at],
    approved_by_user_id: [
      maybe(uuid({ description: 'Left out where a policy approved.' })),
      sql`case when t.policy_version is distinct from t.approved_version
               then t.approved_by_user_id end`,
      EXAMPLE.person,
    ],
    approval_source: [
      maybe(bySource(APPROVAL_SOURCE)),
      sql`case when t.approved_version is null then null
               when t.approved_version = t.policy_version then 'policy' else 'person' end`,
      'person',
    ],
    available_actions: [
      actionsSchema(),
      availableActions(sql`authorized.acts_as`, planActions),
      Object.keys(planActions),
    ],
  },
  { revision: sql`t.version::text` },
);

/** The body of a revision: the text, and what else was read, which is ignored. */
export const planChanges = Type.Object(
  {
    ...plan.changes.properties,
    text: maybe(multilineText({ minLength: 1, maxLength: LONGEST_PLAN, description: 'Markdown.' })),
  },
  { additionalProperties: false },
);

/** Joins to `authorized` what `plan` shows; without a plan, all of it is null. */
export const shownPlan = sql`
  cross join caller
  left join task on task.id = authorized.task_id
  left join plan t on t.task_id = task.id
  left join plan_revision r on r.task_id = t.task_id and r.version = t.version`;

/** The fields of a version, from rows `r` of `plan_revision` and `a` of its approval, if any. */
export const versionFields = {
  task_id: [uuid(), sql`r.task_id`, EXAMPLE.task_id],
  version: [Type.Integer(), sql`r.version`, 1],
  ...author,
  approved_at: [maybe(timestamp()), sql`a.approved_at`, EXAMPLE.at],
  approved_by_user_id: [
    maybe(uuid({ description: 'Left out where a policy approved.' })),
    sql`case a.approval_source when 'person' then a.approved_by_user_id end`,
    EXAMPLE.person,
  ],
  approval_source: [maybe(bySource(APPROVAL_SOURCE)), sql`a.approval_source`, 'person'],
} as const;

export const planNotFound = apiError(404, 'plan_not_found', 'This task has no plan yet');

export const versionNotFound = apiError(
  404,
  'plan_version_not_found',
  'The plan has no such version: `list_plan_versions` says which there are',
);
