import Type from 'typebox';
import { jsonObject, jsonText, jsonToken } from '../db/json.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError, fieldError, ValidationError } from '../http/errors.ts';
import { branchName } from '../http/input/branch-names.ts';
import { type ErrorItem, itemAt } from '../http/input/error-item.ts';
import { list, object, oneOf } from '../http/input/fields.ts';
import type { DeclaredAnswer } from '../http/route.ts';

/** So that a person can choose from them. */
const MOST_TARGETS = 20;

/** What the branches of tasks begin with. */
const OF_TASKS = 'task/';

const mergeTarget = object(
  {
    branch: branchName({ description: 'A branch of the repository in which tasks work.' }),
    stage: oneOf(['staging', 'production'], {
      description: 'Which right merging into it takes, and where what is merged is deployed.',
    }),
  },
  { $id: 'MergeTarget' },
);

export type MergeTarget = Type.Static<typeof mergeTarget>;

export const mergeTargets = () => list(mergeTarget, { maxItems: MOST_TARGETS });

const example: MergeTarget[] = [
  { branch: 'main', stage: 'production' },
  { branch: 'staging', stage: 'staging' },
];

/** The declared answer that lists them. */
export const targetsShown = (description: string): DeclaredAnswer => ({
  description,
  headers: ['ETag'],
  schema: Type.Array(mergeTarget),
  example,
});

/** The JSON text of a list of rows `m` with `branch` and `stage`. */
export const targetsJson = (from: Sql): Sql => sql`
  (select '[' || coalesce(string_agg(${jsonObject({
    branch: jsonText(sql`m.branch`),
    stage: jsonToken(sql`m.stage`),
  })}, ',' order by m.branch collate "C"), '') || ']' ${from})`;

/** The same for the targets of a project. */
export const targetsOf = (projectId: Sql): Sql =>
  targetsJson(sql`from merge_target m where m.project_id = ${projectId}`);

/** What the ETag is made of, of the JSON text. */
export const targetsRevision = (items: Sql): Sql => sql`md5(${items})`;

export const branchRepeated = fieldError(
  'branch_repeated',
  ['body', 1, 'branch'],
  'This branch is already in the list: remove it',
);

export const branchOfTask = fieldError(
  'branch_of_task',
  ['body', 0, 'branch'],
  'Branches of tasks are what is merged: choose one that does not begin with task/',
);

export const mergeTargetsChanged = apiError(
  412,
  'merge_targets_changed',
  'The merge targets have changed since you read them: read them again, then set them',
);

/** Throws all that is wrong with a list, beyond the form of its items. */
export function checkTargets(targets: readonly MergeTarget[]): void {
  const seen = new Set<string>();
  const errors = targets.flatMap(({ branch }, i): ErrorItem[] => {
    const kind = seen.has(branch)
      ? branchRepeated
      : branch.startsWith(OF_TASKS)
        ? branchOfTask
        : undefined;
    seen.add(branch);
    if (kind === undefined) return [];
    return [itemAt(kind.item.type, ['body', i, 'branch'], kind.item.msg)];
  });
  if (errors.length > 0) throw new ValidationError(errors);
}
