import Type from 'typebox';
import { cloneUrl, type HostUrls, taskRepository } from '../code/index.ts';
import { type Sql, sql } from '../db/sql.ts';
import { revision } from '../http/change.ts';
import { apiError, type FieldErrorKind, fieldError } from '../http/errors.ts';
import { type ErrorItem, itemAt, type Location } from '../http/input/error-item.ts';
import { boolean, list, object, oneOf, uuid } from '../http/input/fields.ts';
import { LOCAL_REPOSITORY } from '../http/input/repository-names.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

/** What a project may use, so that a list of them stays short. */
export const MOST_REPOSITORIES = 20;

const HOSTS = ['local', 'github', 'gitea'] as const;

const host = () =>
  oneOf([...HOSTS], {
    description:
      'Where the code is: `local` is this server, `gitea` a Gitea or Forgejo server; `get_config` ' +
      'lists those that can be used.',
  });

const REASONS = [
  'installation_gone',
  'installation_suspended',
  'not_connected',
  'permission_missing',
  'repository_gone',
  'token_refused',
] as [string, ...string[]];

// A project keeps its repositories when it is transferred or released, and its next owner may not
// use the installation.
const unavailableReason = sql`
  case when t.host = 'github' and not exists (
              select from github_connection c join project p on p.id = t.project_id
               where c.installation_id = t.installation_id
                 and (c.organization_id = p.organization_id or c.user_id = p.owner_user_id))
         or t.host = 'gitea' and not exists (
              select from gitea_connection c join project p on p.id = t.project_id
               where c.id = t.connection_id and c.organization_id = p.organization_id)
       then 'not_connected' else t.unavailable_reason end`;

/**
 * A repository that a project uses, from a row `t` of `repository`. One on another host
 * follows what its owner does to it there.
 */
export const repositoryOf = (urls: HostUrls) =>
  resource(
    'Repository',
    {
      id: [uuid(), sql`t.id`, '019aa2b5-3c4d-7e5f-8a6b-7c8d9e0f1a2b'],
      project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
      host: [host(), sql`t.host`, 'local'],
      full_name: [Type.String({ description: 'Its name on its host.' }), sql`t.full_name`, 'main'],
      default_branch: [Type.String(), sql`t.default_branch`, 'main'],
      clone_url: [
        Type.String({
          description:
            'For `git clone`: of `local` with an API key as the password, of another host with ' +
            'your own credential there.',
        }),
        cloneUrl(sql`t`, urls),
        'http://127.0.0.1:8080/git/c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11/main.git',
      ],
      used_by_tasks: [
        boolean({
          description:
            'Whether the tasks of the project work in it: in one repository of each project. Of the ' +
            'others, they get what is a submodule of it.',
        }),
        taskRepository(sql`t`),
        true,
      ],
      unavailable_reason: [
        Type.Optional(
          oneOf(REASONS, {
            description:
              'Why it cannot be used now; absent if it can. `not_connected`: the owner of the ' +
              'project may not use its installation, or has no connection to its server.',
          }),
        ),
        unavailableReason,
        undefined,
      ],
      created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
      updated_at: [timestamp(), sql`t.updated_at`, '2026-11-20T09:00:00.000Z'],
    },
    { project: 'project_id', revision: revision(sql`t.updated_at`) },
  );

export type RepositoryResource = ReturnType<typeof repositoryOf>;

/** What the audit trail keeps of one. */
export const repositorySnapshot = (row: Sql): Sql => sql`
  jsonb_build_object('host', (${row}).host, 'full_name', (${row}).full_name,
                     'default_branch', (${row}).default_branch)`;

/** The name of a new repository, on this server or on another host. */
const fullName = () =>
  Type.String({
    minLength: 1,
    maxLength: 140,
    pattern: `^(?:${LOCAL_REPOSITORY}|[A-Za-z0-9_-][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._-]{1,100})$`,
    description: 'A name such as `library`, or `owner/name` on another host.',
  });

const newRepository = () => object({ host: host(), full_name: fullName() });

/** One that is attached may be of a server that the workspace has connected. */
export const attachedRepository = () =>
  object({
    host: host(),
    full_name: fullName(),
    connection_id: Type.Optional(
      uuid({ description: 'Of `gitea`: the connection to its server (`list_gitea_connections`).' }),
    ),
  });

/** Those of a new project, beside the one that it begins with. */
export const moreRepositories = () =>
  list(newRepository(), {
    maxItems: MOST_REPOSITORIES - 1,
    default: [],
    description: 'Repositories beside `main`, which every project begins with.',
  });

export const repositoryNameTaken = fieldError(
  'repository_name_taken',
  ['body', 'full_name'],
  'The project already has a repository with this name: choose a different one',
);

export const repositoryAttached = fieldError(
  'repository_attached',
  ['body', 'full_name'],
  'The project already uses this repository: list_repositories shows under which name',
);

export const hostNotConnected = fieldError(
  'host_not_connected',
  ['body', 'host'],
  'This server is not connected to this code host: use `local`, or ask its operator',
);

export const hostAttachedLater = fieldError(
  'host_attached_later',
  ['body', 'repositories', 0, 'host'],
  'A new project begins with repositories of `local`: attach others with attach_repository',
);

export const nameOfOtherHost = fieldError(
  'repository_name_invalid',
  ['body', 'full_name'],
  'Names on this host look different: on `local` such as `library`, on others `owner/name`',
);

export const connectionOfOtherHost = fieldError(
  'connection_of_other_host',
  ['body', 'connection_id'],
  'Only a repository of `gitea` has a connection: leave `connection_id` out',
);

const NAMES = {
  local: /^[^/]+$/,
  github: /^[A-Za-z0-9_-]{1,39}\//,
  gitea: /^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}\//,
};

type NewRepository = Type.Static<ReturnType<typeof newRepository>>;

/** What is wrong with the name of a new repository at this place of a request. */
export const nameErrors = ({ host, full_name }: NewRepository, at: Location): ErrorItem[] =>
  NAMES[host].test(full_name) ? [] : [refused(nameOfOtherHost, [...at, 'full_name'])];

/** What is wrong with those of a new project. One on another host must be looked for there first. */
export function moreRepositoriesErrors(repositories: readonly NewRepository[]): ErrorItem[] {
  const taken = new Set(['main']);
  return repositories.flatMap((each, i) => {
    const at = ['body', 'repositories', i];
    if (taken.has(each.full_name)) return [refused(repositoryNameTaken, [...at, 'full_name'])];
    taken.add(each.full_name);
    const wrong = nameErrors(each, at);
    return wrong.length > 0 || each.host === 'local'
      ? wrong
      : [refused(hostAttachedLater, [...at, 'host'])];
  });
}

const refused = ({ item }: FieldErrorKind, loc: Location): ErrorItem =>
  itemAt(item.type, loc, item.msg);

export const tooManyRepositories = apiError(
  409,
  'too_many_repositories',
  `A project uses at most ${MOST_REPOSITORIES} repositories: detach one first`,
);

export const projectArchived = apiError(
  409,
  'project_archived',
  'The repositories of an archived project stay as they are: take it back with update_project first',
);

export const repositoryInUse = apiError(
  409,
  'repository_in_use',
  'Tasks of the project work in this repository: `main` stays, and any other can be detached ' +
    'once the tasks that have pull requests in it are deleted',
);
