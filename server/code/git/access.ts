import {
  allowed,
  deniedBecause,
  deniedUnless,
  type InProject,
  standing,
} from '../../access/project.ts';
import { teamMayMerge } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import type { Access } from '../../http/route.ts';
import { localMain, taskRepository } from '../repositories/task-repository.ts';

/** A repository of this server, for someone who can open its project. */
export interface GitRepository extends InProject {
  name: string;
  repository_id: string;
  default_branch: string;
  archived: boolean;
  /** The tasks of the project work on GitHub, and this is the server's copy. */
  is_copy: boolean;
  /** Whether the caller's key may only read. */
  read_only: boolean;
  /** Whether the caller's role may push to branches of tasks. */
  may_push: boolean;
  /** Whether the caller may merge into the default branch, and so push to it first. */
  may_push_first: boolean;
  /** Whether the project lets the caller push to branches that are not of tasks. */
  may_push_directly: boolean;
}

type OfRepository = { params: { project_id: string; name: string } };

/** The repository in the path, for people who can open its project. */
export const onGitRepository: Access<OfRepository, GitRepository> = {
  permission: 'open_project',
  sql: ({ params: { project_id, name } }) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.id as repository_id, r.full_name as name, r.default_branch, p.archived_at is not null as archived,
             (${localMain(sql`r`)} and not ${taskRepository(sql`r`)}) as is_copy, caller.read_only, (${deniedUnless(allowed('work_on_task'))}) is null as may_push,
             coalesce((${deniedBecause('merge_task')}) is null
                      or (${deniedBecause('work_on_task')}) is null
                         and ${teamMayMerge(sql`target.stage`)}, false) as may_push_first,
             p.direct_push = 'admins'
             and (${deniedBecause('update_project')}) is null
             and (${deniedBecause('merge_task')}) is null as may_push_directly,
             ${deniedBecause('open_project')} as denied_because
        from (select * from project where id = ${project_id}) p
        join repository r on r.project_id = p.id and r.host = 'local' and r.full_name = ${name}
             left join merge_target target
                    on target.project_id = p.id and target.branch = r.default_branch
             ${standing})`,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const FOLDER = /^([a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?)\.git$/;

/** The ids in the path `/git/{project_id}/{name}.git`; undefined where nothing can be. */
export function repositoryAt(given: Record<string, string>): OfRepository['params'] | undefined {
  const { project_id = '', folder = '' } = given;
  const name = FOLDER.exec(folder)?.[1];
  return UUID.test(project_id) && name !== undefined ? { project_id, name } : undefined;
}
