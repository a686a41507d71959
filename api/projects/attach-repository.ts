import { onProject } from '../access/project.ts';
import { actor, auditRow } from '../audit/audit.ts';
import { sql } from '../db/sql.ts';
import { githubErrors } from '../github/errors.ts';
import { githubBusy } from '../github/listing.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ValidationError } from '../http/errors.ts';
import { type Caller, ids, route } from '../http/route.ts';
import {
  accountNotConnected,
  type Found,
  findOnGithub,
  type Hosts,
  repositoryNotFound,
} from './find-on-github.ts';
import {
  hostNotConnected,
  MOST_REPOSITORIES,
  nameErrors,
  nameOfOtherHost,
  newRepository,
  projectArchived,
  type RepositoryResource,
  repositoryAttached,
  repositoryNameTaken,
  repositorySnapshot,
  tooManyRepositories,
} from './repository.ts';

/** Lets a project use another repository. */
export const attachRepository = (repository: RepositoryResource, hosts: Hosts) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/repositories',
    area: 'Projects',
    operationId: 'attach_repository',
    summary: 'Attach a repository',
    description:
      'Adds a repository to the project, which has at most ' +
      `${MOST_REPOSITORIES}: of this server, or of an account on GitHub that is connected to the ` +
      'workspace, or to the person of a personal project (`list_github_repositories`). One of ' +
      'this server that was detached comes back with its code. Admins of the project, and the ' +
      'owner and admins of its workspace only.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: newRepository(),
    sample: () => ({ body: { host: 'local', full_name: 'library' } }),
    responses: { 201: repository.shown('The repository.', ['ETag', 'Location']) },
    errors: [
      ...[hostNotConnected, nameOfOtherHost, repositoryNameTaken, repositoryAttached],
      ...[accountNotConnected, repositoryNotFound, projectArchived, tooManyRepositories],
      ...[githubBusy, ...githubErrors],
    ],
    handle: async ({ body, requestId, load, begin, transaction }) => {
      const errors = nameErrors(body, ['body']);
      if (errors.length > 0) throw new ValidationError(errors);
      const found =
        body.host === 'local'
          ? { ...LOCAL, full_name: body.full_name }
          : await findOnGithub(hosts, await load(), body.full_name, begin);
      return transaction(async (tx, project) => {
        const { id, open, has_room, connected, ...shown } = await tx.one<Attached>(
          attached(repository, project, found, requestId),
        );
        if (!open) throw projectArchived();
        if (!has_room) throw tooManyRepositories();
        // The connection ended while GitHub was being asked.
        if (!connected) throw accountNotConnected();
        return shownAs(201, shown, `/api/projects/${project.project_id}/repositories/${id}`);
      });
    },
  });

const LOCAL = {
  ...{ host: 'local', default_branch: 'main', host_repository_id: null, installation_id: null },
};

type Attached = Shown & { id: string; open: boolean; has_room: boolean; connected: boolean };

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

// The project is locked, so what is counted here stays until the commit. The time is of this
// moment, and so later than that of a repository for which the lock was waited for.
const attached = (
  repository: RepositoryResource,
  { project_id, organization_id, ...caller }: Place,
  found: Found,
  requestId: string,
) => sql`
  with ${actor(caller)},
  place as materialized (
    select p.id, p.archived_at is null as open,
           (select count(*) from repository r
             where r.project_id = p.id) < ${MOST_REPOSITORIES} as has_room,
           ${found.installation_id}::bigint is null
           or exists (select from github_connection c
                       where c.installation_id = ${found.installation_id}
                         and (c.organization_id = p.organization_id
                              or c.user_id = p.owner_user_id)) as connected
      from project p where p.id = ${project_id}),
  changed as (
    insert into repository as t (project_id, host, full_name, default_branch, host_repository_id,
                                 installation_id, created_at, updated_at)
    select place.id, ${found.host}, ${found.full_name}, ${found.default_branch},
           ${found.host_repository_id}, ${found.installation_id}, clock_timestamp(),
           clock_timestamp()
      from place where place.open and place.has_room and place.connected
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
  select place.open, place.has_room, place.connected, t.id, ${repository.columns}
    from place
    left join changed on true
    cross join lateral (select (changed.row).*) t`;
