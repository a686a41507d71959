import Type, { type Static } from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../../access/actions.ts';
import { rolesThatMay } from '../../access/roles.ts';
import { type OfPullRequest, teamMayMerge } from '../../access/task.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';
import { mayFix } from '../repositories/check-fixes.ts';
import { branchOf } from '../repositories/git.ts';
import type { Compared } from '../repositories/merging.ts';
import { PULL_REQUEST_STATES } from '../repositories/pull-request-states.ts';
import { checksOf, checksPassed, checksSchema, NOT_BEGUN } from './checks.ts';

const maybe = Type.Optional;

export const sha = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{40}$', maxLength: 40, description });

const active = sql`
  (select a.archived_at is null from project a where a.id = authorized.project_id)`;

/** What a person may do to the pull request of a task. */
export const pullRequestActions: Actions = {
  get_pull_request: 'open_project',
  list_checks: 'open_project',
  set_task_merge_target: {
    permission: 'work_on_task',
    when: sql`
      t.state = 'open' and ${active}
      and not exists (select from merge m where m.task_id = t.task_id and m.state = 'queued')`,
  },
  fix_checks: {
    permission: 'work_on_task',
    when: sql`t.state = 'open' and ${active} and ${mayFix(sql`t`)}`,
  },
  merge_task: {
    permission: 'merge_task',
    // One that is merged or about to be answers that merge.
    when: sql`
      (t.state = 'open' and ${active}
       and (authorized.acts_as = any(${rolesThatMay('force_merge')}::text[])
            or ${checksPassed(sql`t.task_id`, sql`t.head_sha`)})
       or exists (select from merge m where m.task_id = t.task_id and m.state <> 'failed'))`,
    or: sql`(authorized.acts_as = any(${rolesThatMay('work_on_task')}::text[])
             and (select ${teamMayMerge(sql`target.stage`)}
                    from project p cross join caller
                    join merge_target target on target.project_id = p.id and target.branch = t.base
                   where p.id = authorized.project_id))`,
  },
  get_merge: {
    permission: 'open_project',
    when: sql`exists (select from merge m where m.task_id = t.task_id)`,
  },
};

const TASK = '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f';

/** What the database has of a pull request, from a row `t` of `pull_request`. */
export const stored = resource(
  'StoredPullRequest',
  {
    task_id: [uuid(), sql`t.task_id`, TASK],
    number: [Type.Integer({ description: 'Counted within the repository.' }), sql`t.number`, 7],
    state: [oneOf([...PULL_REQUEST_STATES]), sql`t.state`, 'open'],
    title: [Type.String(), sql`t.title`, 'Sale order approval'],
    body: [
      Type.String({
        description: 'Markdown: the approved plan, of which at most 65,536 characters.',
      }),
      sql`t.body`,
      '# Sale order approval\n\n1. Add the field `approved_by` to the order.\n',
    ],
    base: [
      Type.String({ description: 'The branch that it is to be merged into.' }),
      sql`t.base`,
      'main',
    ],
    head_sha: [
      maybe(sha('The last commit of `head`: name it as `expected_head_sha` to merge it.')),
      sql`t.head_sha`,
      '8098d1895c045b0d672c07a79b3f857a8381ff12',
    ],
    checks: [
      checksSchema,
      checksOf(sql`t.task_id`, sql`t.head_sha`),
      { state: 'passed', passed: 2, failed: 0, pending: 0 },
    ],
    url: [
      maybe(Type.String({ format: 'uri', description: 'Where it is shown.' })),
      sql`t.url`,
      undefined,
    ],
    opened_by_user_id: [uuid(), sql`t.opened_by_user_id`, '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-22T09:00:00.000Z'],
    updated_at: [timestamp(), sql`t.updated_at`, '2026-11-22T09:00:00.000Z'],
    available_actions: [
      actionsSchema(),
      availableActions(sql`authorized.acts_as`, pullRequestActions),
      Object.keys(pullRequestActions),
    ],
  },
  {},
);

const fromGit = Type.Object({
  url: Type.String({ format: 'uri', description: 'Where it is shown.' }),
  head: Type.String({ description: 'The branch of the task.' }),
  base_sha: maybe(sha('The last commit of `base`.')),
  mergeable: Type.Union([Type.Boolean(), Type.Literal('unknown')], {
    description:
      'Whether it can be merged: without conflicts, and with no more files together than a branch ' +
      'may have. `unknown` when it is not open, when the branch ' +
      'of the task does not exist, and where comparing takes too long. Only `get_pull_request` ' +
      'compares the branches.',
  }),
  conflicts: Type.Array(Type.String(), { description: 'Paths in conflict, at most 100.' }),
  not_mergeable_reason: maybe(
    Type.String({
      description:
        'Why it cannot be merged and what to do, as the merge would say it. Absent where it can be, ' +
        'where that is not known, and on other hosts.',
    }),
  ),
});

/** How the branch of a task stands to the branch that it is to be merged into. */
export const schema = Type.Object(
  { ...stored.schema.properties, ...fromGit.properties },
  { $id: 'PullRequest' },
);

/**
 * Its JSON, from what the database has and what is known of its branches. `mayMerge`: whether the
 * caller may merge it although its checks have not passed, or is only answered a merge.
 */
export function shownPullRequest(
  item: string,
  taskId: string,
  publicUrl: string,
  git: Compared | undefined,
  mayMerge: boolean,
): object {
  const { head, base } = git?.heads ?? {};
  const onHost = JSON.parse(item);
  const known: Static<typeof fromGit> = {
    url: onHost.url ?? `${publicUrl}/api/tasks/${taskId}/pull-request`,
    head: branchOf(taskId),
    ...(base === undefined ? {} : { base_sha: base }),
    mergeable: git?.tried?.mergeable ?? 'unknown',
    conflicts: git?.tried?.conflicts ?? [],
    ...(git?.tried?.reason === undefined ? {} : { not_mergeable_reason: git.tried.reason }),
  };
  const { available_actions: actions, ...before } = onHost;
  if (head === undefined || head === before.head_sha)
    return { ...before, ...known, available_actions: actions };
  // Its checks are those of another commit.
  const available_actions = actions.filter((name: string) => mayMerge || name !== 'merge_task');
  return { ...before, ...known, head_sha: head, checks: NOT_BEGUN, available_actions };
}

/** How it stood on its host when that was last refreshed: no host says which paths conflict. */
export const seenOnHost = ({
  head_sha,
  base_sha,
  mergeable,
}: Pick<OfPullRequest, 'head_sha' | 'base_sha' | 'mergeable'>): Compared => ({
  heads: { head: head_sha ?? undefined, base: base_sha ?? undefined },
  ...(mergeable === null ? {} : { tried: { mergeable, conflicts: [] } }),
});

/**
 * Selects the stored part inside a transaction, as its caller sees it: one who may write, since they
 * have just done so.
 */
export const showStored = (
  taskId: string,
  caller: Caller & { acts_as: string; project_id: string },
): Sql => sql`
  with caller as (select ${caller.userId}::uuid as user_id, false as read_only),
  authorized as (
    select ${caller.acts_as}::text as acts_as, ${caller.project_id}::uuid as project_id)
  select ${stored.json} as item
    from authorized join pull_request t on t.task_id = ${taskId}`;

export const example = {
  ...stored.example,
  url: `https://guildhall.example.com/api/tasks/${TASK}/pull-request`,
  head: branchOf(TASK),
  base_sha: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  mergeable: true,
  conflicts: [],
};

export const pullRequestNotFound = apiError(
  404,
  'pull_request_not_found',
  'This task has no pull request yet: open it with POST once its agent has built something',
);

export const gitBusy = apiError(
  503,
  'git_busy',
  'Too many branches are being compared, or too many for you: wait a moment, then try again',
  { 'retry-after': '5' },
);

export { notOpen, projectArchived } from '../repositories/errors.ts';
