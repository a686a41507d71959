import { onProject } from '../access/project.ts';
import { actor, auditRow } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ValidationError } from '../http/errors.ts';
import { type Caller, ids, route } from '../http/route.ts';
import {
  hostNotConnected,
  MOST_REPOSITORIES,
  nameOfOtherHost,
  newRepository,
  newRepositoryErrors,
  projectArchived,
  type RepositoryResource,
  repositoryNameTaken,
  repositorySnapshot,
  tooManyRepositories,
} from './repository.ts';

/** Lets a project use another repository. */
export const attachRepository = (repository: RepositoryResource) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/repositories',
    area: 'Projects',
    operationId: 'attach_repository',
    summary: 'Attach a repository',
    description:
      'Adds a repository of this server to the project, which has at most ' +
      `${MOST_REPOSITORIES}. One that was detached comes back with its code. Tasks work in ` +
      '`main`. Admins of the project, and the owner and admins of its workspace only.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: newRepository(),
    sample: () => ({ body: { host: 'local', full_name: 'library' } }),
    responses: { 201: repository.shown('The repository.', ['ETag', 'Location']) },
    errors: [
      ...[hostNotConnected, nameOfOtherHost, repositoryNameTaken],
      ...[projectArchived, tooManyRepositories],
    ],
    handle: ({ body, requestId, transaction }) => {
      const errors = newRepositoryErrors(body, ['body']);
      if (errors.length > 0) throw new ValidationError(errors);
      return transaction(async (tx, project) => {
        const { id, open, has_room, ...shown } = await tx.one<Attached>(
          attached(repository, project, body, requestId),
        );
        if (!open) throw projectArchived();
        if (!has_room) throw tooManyRepositories();
        return shownAs(201, shown, `/api/projects/${project.project_id}/repositories/${id}`);
      });
    },
  });

type Attached = Shown & { id: string; open: boolean; has_room: boolean };

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

// The project is locked, so what is counted here stays until the commit. The time is of this
// moment, and so later than that of a repository for which the lock was waited for.
const attached = (
  repository: RepositoryResource,
  { project_id, organization_id, ...caller }: Place,
  { host, full_name }: { host: string; full_name: string },
  requestId: string,
) => sql`
  with ${actor(caller)},
  place as materialized (
    select p.id, p.archived_at is null as open,
           (select count(*) from repository r
             where r.project_id = p.id) < ${MOST_REPOSITORIES} as has_room
      from project p where p.id = ${project_id}),
  changed as (
    insert into repository as t (project_id, host, full_name, created_at)
    select place.id, ${host}, ${full_name}, clock_timestamp()
      from place where place.open and place.has_room
    returning t as row),
  audited as (${auditRow({
    action: 'repository.attach',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: sql`null::jsonb`,
    after: repositorySnapshot(sql`changed.row`),
    from: sql`changed`,
  })})
  select place.open, place.has_room, t.id, ${repository.columns}
    from place
    left join changed on true
    cross join lateral (select (changed.row).*) t`;
