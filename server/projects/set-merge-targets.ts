import { onProject } from '../access/project.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { actor, auditRow } from '../platform/audit/audit.ts';
import {
  branchOfTask,
  branchRepeated,
  checkTargets,
  type MergeTarget,
  mergeTargets,
  mergeTargetsChanged,
  targetsJson,
  targetsOf,
  targetsRevision,
  targetsShown,
} from './merge-targets.ts';

/** Says into which branches the tasks of a project may be merged. */
export const setMergeTargets = route({
  method: 'PUT',
  path: '/api/projects/{project_id}/merge-targets',
  area: 'Projects',
  operationId: 'set_merge_targets',
  summary: 'Set the merge targets',
  description:
    'Replaces the whole list, at most 20: a branch that is left out is no target any more. ' +
    'Branches need not exist yet. Merging into `staging` takes `can_merge_staging` of a team, ' +
    'into `production` `can_merge_production`. Admins of the project, and the owner and admins ' +
    'of its workspace only. Send the `ETag` of the list you have read as `If-Match` to avoid ' +
    'overwriting a later change.',
  access: onProject('update_project'),
  params: ids('project_id'),
  body: mergeTargets(),
  sample: () => ({
    body: [
      { branch: 'main', stage: 'production' },
      { branch: 'staging', stage: 'staging' },
      { branch: 'next', stage: 'staging' },
    ],
  }),
  responses: { 200: targetsShown('The current list, by name.') },
  headers: { 'If-Match': 'The ETag of the list that you have read.' },
  errors: [branchRepeated, branchOfTask, mergeTargetsChanged],
  // The lock on the project comes first: this statement then sees what the last change wrote.
  handle: ({ body, headers, requestId, transaction }) => {
    checkTargets(body);
    return transaction(async (tx, project) => {
      const { expected, ...shown } = await tx.one<Shown & { expected: boolean }>(
        replaced(project, body, headers['if-match'], requestId),
      );
      if (!expected) throw mergeTargetsChanged();
      return shownAs(200, shown);
    });
  },
});

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

const replaced = (
  { project_id, organization_id, ...caller }: Place,
  targets: readonly MergeTarget[],
  ifMatch: string | undefined,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  wanted as materialized (
    select * from json_to_recordset(${JSON.stringify(targets)}::json) r(branch text, stage text)),
  change as materialized (
    select before.items as before, after.items as after,
           ${matches(ifMatch, targetsRevision(sql`before.items`))} as expected
      from (select ${targetsOf(sql`${project_id}::uuid`)} as items) before,
           (select ${targetsJson(sql`from wanted m`)} as items) after),
  removed as (
    delete from merge_target t using change
     where t.project_id = ${project_id} and change.expected
       and not exists (select from wanted where wanted.branch = t.branch)),
  written as (
    insert into merge_target as t (project_id, branch, stage)
    select ${project_id}, wanted.branch, wanted.stage
      from wanted cross join change
     where change.expected
    on conflict (project_id, branch) do update
       set stage = excluded.stage where t.stage <> excluded.stage),
  changed as (
    select * from change where expected and before <> after),
  audited as (${auditRow({
    action: 'merge_target.update',
    requestId,
    target: sql`${project_id}::uuid`,
    organization: sql`${organization_id}::uuid`,
    project: sql`${project_id}::uuid`,
    before: sql`jsonb_build_object('merge_targets', changed.before::jsonb)`,
    after: sql`jsonb_build_object('merge_targets', changed.after::jsonb)`,
    from: sql`changed`,
  })})
  select expected, after as item, ${targetsRevision(sql`after`)} as revision from change`;
