import {
  allowed,
  deniedBecause,
  deniedUnless,
  type InProject,
  standing,
} from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import type { Access } from '../../http/route.ts';
import { localMain, taskRepository } from '../repositories/task-repository.ts';

/** A repository of this server, for someone who can open its project. */
export interface GitRepository extends InProject {
  name: string;
  default_branch: string;
  archived: boolean;
  /** The tasks of the project work on GitHub, and this is the server's copy. */
  is_copy: boolean;
  /** Whether the caller's key may only read. */
  read_only: boolean;
  /** Whether the caller's role may push to branches of tasks. */
  may_push: boolean;
}

type OfRepository = { params: { project_id: string; name: string } };

/** The repository in the path, for people who can open its project. */
export const onGitRepository: Access<OfRepository, GitRepository> = {
  permission: 'open_project',
  sql: ({ params: { project_id, name } }) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.full_name as name, r.default_branch, p.archived_at is not null as archived,
             (${localMain(sql`r`)} and not ${taskRepository(sql`r`)}) as is_copy, caller.read_only, (${deniedUnless(allowed('work_on_task'))}) is null as may_push,
             ${deniedBecause('open_project')} as denied_because
        from (select * from project where id = ${project_id}) p
        join repository r on r.project_id = p.id and r.host = 'local' and r.full_name = ${name}
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
