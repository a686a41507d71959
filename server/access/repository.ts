import { nothing, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';
import { deniedBecause, type InProject, standing } from './project.ts';
import type { Permission } from './roles.ts';

/** A repository of a project, and where its code is. */
export interface RepositoryOfProject extends InProject {
  repository_id: string;
  host: 'local' | 'github' | 'gitea';
  full_name: string;
  default_branch: string;
}

/**
 * The repository in the path, of the project in the path, by the permissions on the project. Both
 * are locked: the repositories of a project change one at a time, and no pull request is opened in
 * this one meanwhile.
 */
export const onRepository = (
  permission: Permission,
): Access<{ params: { project_id: string; repository_id: string } }, RepositoryOfProject> => ({
  permission,
  sql: ({ params: { project_id, repository_id } }, lock) => sql`
    access as materialized (
      select true as found, p.id as project_id, p.organization_id, standing.acts_as,
             r.id as repository_id, r.host, r.full_name, r.default_branch,
             ${deniedBecause(permission)} as denied_because
        from (select * from project where id = ${project_id}
              ${lock ? sql`for no key update` : nothing}) p
        join (select * from repository
               where id = ${repository_id} and project_id = ${project_id}
                     ${lock ? sql`for update` : nothing}) r on r.project_id = p.id ${standing})`,
});
