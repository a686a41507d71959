import { onProject } from '../access/project.ts';
import { onRepository, type RepositoryOfProject } from '../access/repository.ts';
import { hasBuilt, localMain, taskRepository } from '../code/index.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { actor, auditRow } from '../platform/audit/audit.ts';
import { projectArchived, repositoryInUse, repositorySnapshot } from './repository.ts';

/** Ends that a project uses a repository. Its code stays (decision 41). */
export const detachRepository = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/repositories/{repository_id}',
  area: 'Projects',
  operationId: 'detach_repository',
  summary: 'Detach a repository',
  description:
    'Takes the repository out of the project. Its code is not deleted: attaching it again under ' +
    'the same name brings it back. The repository `main` cannot be detached, because tasks of ' +
    'the project work in it, nor can one that has a pull request, so that what was merged stays known. Admins of the project, ' +
    'and the owner and admins of its workspace only.',
  access: onRepository('update_project'),
  // The repository is gone by then.
  replayAccess: onProject('update_project'),
  params: ids('project_id', 'repository_id'),
  responses: { 204: { description: 'The project no longer uses the repository.' } },
  errors: [projectArchived, repositoryInUse],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, repository) => {
      const { open, in_use, detached } = await tx.one<{
        open: boolean;
        in_use: boolean;
        detached: boolean;
      }>(detach(repository, requestId));
      if (in_use) throw repositoryInUse();
      if (!open) throw projectArchived();
      // Another request detached it while this one waited for the project.
      if (!detached) throw notFound();
      return { status: 204 };
    }),
});

const detach = (
  { repository_id, project_id, organization_id, ...caller }: RepositoryOfProject & Caller,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  place as materialized (
    select p.archived_at is null as open,
           exists (select from repository r
                    where r.id = ${repository_id}
                      and (${localMain(sql`r`)}
                           or ${taskRepository(sql`r`)} and ${hasBuilt(sql`r.project_id`)}))
           or exists (select from pull_request
                       where repository_id = ${repository_id}) as in_use
      from project p where p.id = ${project_id}),
  deleted as (
    delete from repository t using place
     where t.id = ${repository_id} and place.open and not place.in_use
    returning t as row),
  audited as (${auditRow({
    action: 'repository.detach',
    requestId,
    target: sql`(deleted.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(deleted.row).project_id`,
    before: repositorySnapshot(sql`deleted.row`),
    after: sql`null::jsonb`,
    from: sql`deleted`,
  })})
  select place.open, place.in_use, exists (select from deleted) as detached from place`;
