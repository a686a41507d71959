import Type from 'typebox';
import { rolesThatMay } from '../../access/roles.ts';
import { teamMayMerge } from '../../access/task.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { boolean, oneOf } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { checksPassed } from './checks.ts';

/** SQL: whether the caller, who is `authorized` on the project `p`, may merge into a stage. */
const mayMerge = (stage: Sql): Sql => sql`
  (authorized.acts_as = any(${rolesThatMay('merge_task')}::text[])
   or (authorized.acts_as = any(${rolesThatMay('work_on_task')}::text[])
       and ${teamMayMerge(stage)}))`;

const REASONS = [
  'no_pull_request',
  'pull_request_not_open',
  'project_archived',
  'not_permitted',
  'checks_not_passed',
] as const;

/**
 * A branch that a task may be merged into, and whether the caller may: from rows `t` of
 * `merge_target`, `p` of `project`, and `pr` of the task's pull request, if any.
 */
export const taskMergeTarget = resource('TaskMergeTarget', {
  branch: [Type.String(), sql`t.branch`, 'main'],
  stage: [oneOf(['staging', 'production']), sql`t.stage`, 'production'],
  is_base: [
    boolean({ description: 'Whether the pull request of the task is to be merged into it.' }),
    sql`coalesce(pr.base = t.branch, false)`,
    true,
  ],
  can_merge: [
    boolean({ description: 'Whether the caller may merge the task into it now.' }),
    sql`coalesce(pr.state = 'open' and p.archived_at is null and ${mayMerge(sql`t.stage`)}
                 and ${checksPassed(sql`pr.task_id`, sql`pr.head_sha`)}, false)`,
    false,
  ],
  reason: [
    Type.Optional(
      oneOf(REASONS, {
        description:
          'Why not. `not_permitted`: ask an owner, an admin or a team that may. ' +
          '`checks_not_passed`: owners and admins may merge with `force`.',
      }),
    ),
    sql`case when pr.task_id is null then 'no_pull_request'
             when pr.state <> 'open' then 'pull_request_not_open'
             when p.archived_at is not null then 'project_archived'
             when not ${mayMerge(sql`t.stage`)} then 'not_permitted'
             when not ${checksPassed(sql`pr.task_id`, sql`pr.head_sha`)}
             then 'checks_not_passed' end`,
    'not_permitted',
  ],
});
