import Type from 'typebox';
import { type HostedRepository, hostColumns, isConnected } from '../access/hosted-repository.ts';
import {
  answered,
  asking,
  type Branches,
  type CodeHosts,
  hasBuilt,
  repositoryElsewhere,
  requireHost,
  taskRepository,
} from '../code/index.ts';
import type { Tx } from '../db/database/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { fieldError } from '../http/errors.ts';
import { branchName } from '../http/input/branch-names.ts';

/** What tells which branches there are. */
export interface BranchHosts {
  branches: Branches;
  hosts: CodeHosts;
}

export const base = () =>
  Type.Optional(
    branchName({
      description:
        'The branch that the task begins with, at its newest commit, and that its pull request is ' +
        'to be merged into; the default branch without it.',
    }),
  );

export const baseNotFound = fieldError(
  'branch_not_found',
  ['body', 'base'],
  "The repository of the project's tasks has no branch of this name: `list_branches` lists them",
);

export const baseOfTask = fieldError(
  'branch_of_task',
  ['body', 'base'],
  'A task cannot begin with the branch of a task: merge that one first, or name another branch',
);

/** How long git and another host may take, in milliseconds. */
const WITHIN_MS = 10_000;

/**
 * Refuses a branch that the repository of the project's tasks does not have. Errors: 422
 * branch_not_found, branch_of_task, 503 repository_elsewhere, git_busy, those of its host.
 */
export async function requireBase(
  hosts: BranchHosts,
  projectId: string,
  branch: string,
  begin: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>,
): Promise<void> {
  if (branch.startsWith('task/')) throw baseOfTask(branch);
  const place = await begin((tx) => tx.maybeOne<Place>(placeFor(projectId)));
  // Deleted meanwhile, as the statement that follows says.
  if (place === undefined) return;
  if (!(await exists(hosts, projectId, branch, place))) throw baseNotFound(branch);
}

interface Place extends HostedRepository {
  connected: boolean | null;
  default_branch: string;
  built: boolean;
}

const placeFor = (projectId: string): Sql => sql`
  select r.default_branch, ${hostColumns}, ${isConnected} as connected,
         ${hasBuilt(sql`p.id`)} as built
    from project p
    join repository r on r.project_id = p.id and ${taskRepository(sql`r`)}
   where p.id = ${projectId}`;

async function exists(
  { branches, hosts }: BranchHosts,
  projectId: string,
  branch: string,
  place: Place,
): Promise<boolean> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  if (place.host !== 'local') {
    const host = requireHost(hosts, place);
    return asking(() => host.hasBranch(place, branch, signal));
  }
  // Every repository has it, one that nothing was done in too.
  if (branch === place.default_branch) return true;
  const found = await answered(branches.has({ projectId, name: 'main' }, branch, signal));
  if (found === undefined && place.built) throw repositoryElsewhere();
  return found === true;
}
