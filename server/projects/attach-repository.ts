import { onProject } from '../access/project.ts';
import {
  answered,
  type Branches,
  type Gitea,
  type GithubServices,
  githubBusy,
  gitLate,
  hasBuilt,
  hostErrors,
} from '../code/index.ts';
import { sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { apiError, ValidationError } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { actor, auditRow } from '../platform/audit/audit.ts';
import { connectionMissing, findOnGitea, notOnGitea } from './find-on-gitea.ts';
import {
  accountNotConnected,
  type Found,
  findOnGithub,
  repositoryNotFound,
} from './find-on-github.ts';
import {
  attachedRepository,
  connectionOfOtherHost,
  hostNotConnected,
  MOST_REPOSITORIES,
  nameErrors,
  nameOfOtherHost,
  projectArchived,
  type RepositoryResource,
  repositoryAttached,
  repositoryNameTaken,
  repositorySnapshot,
  tooManyRepositories,
} from './repository.ts';

/** Lets a project use another repository. */
export const attachRepository = ({
  repository,
  branches,
  github,
  githubTransfers,
  gitea,
}: GithubServices & {
  repository: RepositoryResource;
  branches: Branches;
  gitea: Gitea | undefined;
}) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/repositories',
    area: 'Projects',
    operationId: 'attach_repository',
    summary: 'Attach a repository',
    description:
      'Adds a repository to the project, which has at most ' +
      `${MOST_REPOSITORIES}: of this server, or of an account on GitHub that is connected to the ` +
      'workspace, or to the person of a personal project (`list_github_repositories`), or of a ' +
      'Gitea or Forgejo server that the workspace has connected. One of ' +
      'this server that was detached comes back with its code. Tasks work in the first one on ' +
      'another host, or in `main` without any; once a task has built something, that stays. The others ' +
      'are for people, and for tasks where they are submodules of it. Admins of the project, and the ' +
      'owner and admins of its workspace only.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: attachedRepository(),
    sample: () => ({ body: { host: 'local', full_name: 'library' } }),
    responses: { 201: repository.shown('The repository.', ['ETag', 'Location']) },
    errors: [
      hostNotConnected,
      nameOfOtherHost,
      repositoryNameTaken,
      repositoryAttached,
      accountNotConnected,
      repositoryNotFound,
      projectArchived,
      tooManyRepositories,
      tasksHaveCode,
      githubBusy,
      gitLate,
      connectionMissing,
      connectionOfOtherHost,
      notOnGitea,
      ...hostErrors,
    ],
    handle: async ({ params: { project_id }, body, requestId, load, begin, transaction }) => {
      const errors = nameErrors(body, ['body']);
      if (errors.length > 0) throw new ValidationError(errors);
      if (body.host !== 'gitea' && body.connection_id !== undefined) throw connectionOfOtherHost();
      const found =
        body.host === 'local'
          ? { ...LOCAL, full_name: body.full_name }
          : body.host === 'github'
            ? await findOnGithub({ github, githubTransfers }, await load(), body.full_name, begin)
            : await findOnGitea(gitea, await load(), body, begin);
      // What was pushed or merged here would be lost when `main` becomes a copy.
      const code = body.host !== 'local' && (await answered(branches.haveCode(project_id)));
      return transaction(async (tx, project) => {
        const { id, open, has_room, connected, has_code, ...shown } = await tx.one<Attached>(
          attached(repository, project, { ...found, code }, requestId),
        );
        if (!open) throw projectArchived();
        if (!has_room) throw tooManyRepositories();
        // The connection ended while the host was being asked.
        if (!connected) throw body.host === 'gitea' ? connectionMissing() : accountNotConnected();
        if (has_code) throw tasksHaveCode();
        return shownAs(201, shown, `/api/projects/${project.project_id}/repositories/${id}`);
      });
    },
  });

const tasksHaveCode = apiError(
  409,
  'tasks_have_code',
  'Tasks of this project have code in `main` of this server, and it stays in one place: ' +
    'create another project for the repository on the other host',
);

const LOCAL = {
  host: 'local',
  default_branch: 'main',
  host_repository_id: null,
  installation_id: null,
  connection_id: null,
  host_url: null,
};

type Attached = Shown & {
  id: string;
  open: boolean;
  has_room: boolean;
  connected: boolean;
  has_code: boolean;
};

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

// The project is locked, so what is counted here stays until the commit. The time is of this
// moment, and so later than that of a repository for which the lock was waited for.
const attached = (
  repository: RepositoryResource,
  { project_id, organization_id, ...caller }: Place,
  found: Found & { code: boolean },
  requestId: string,
) => sql`
  with ${actor(caller)},
  place as materialized (
    select p.id, p.archived_at is null as open,
           (select count(*) from repository r
             where r.project_id = p.id) < ${MOST_REPOSITORIES} as has_room,
           ${found.host} <> 'local'
           and not exists (select from repository r
                            where r.project_id = p.id and r.host <> 'local') as first_elsewhere,
           ${found.code} or ${hasBuilt(sql`p.id`)} as built,
           case ${found.host}
             when 'github' then exists (
               select from github_connection c
                where c.installation_id = ${found.installation_id}
                  and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
             when 'gitea' then exists (
               select from gitea_connection c
                where c.id = ${found.connection_id} and c.organization_id = p.organization_id)
             else true end as connected
      from project p where p.id = ${project_id}),
  changed as (
    insert into repository as t (project_id, host, full_name, default_branch, host_repository_id,
                                 installation_id, connection_id, host_url, created_at, updated_at)
    select place.id, ${found.host}, ${found.full_name}, ${found.default_branch},
           ${found.host_repository_id}, ${found.installation_id}, ${found.connection_id},
           ${found.host_url}, clock_timestamp(), clock_timestamp()
      from place
     where place.open and place.has_room and place.connected
       and not (place.first_elsewhere and place.built)
    returning t as row),
  -- The one target that every project begins with is the default branch.
  aimed as (
    update merge_target m set branch = ${found.default_branch}
      from place, changed
     where place.first_elsewhere and m.project_id = place.id and m.branch = 'main'
       and not exists (select from merge_target other
                        where other.project_id = place.id and other.branch <> 'main')),
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
  select place.open, place.has_room, place.connected,
         place.first_elsewhere and place.built as has_code, t.id, ${repository.columns}
    from place
    left join changed on true
    cross join lateral (select (changed.row).*) t`;
