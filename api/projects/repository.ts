import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';
import { revision } from '../http/change.ts';
import { apiError, type FieldErrorKind, fieldError } from '../http/errors.ts';
import { type ErrorItem, itemAt, type Location } from '../http/input/error-item.ts';
import { list, object, oneOf, uuid } from '../http/input/fields.ts';
import { LOCAL_REPOSITORY } from '../http/input/repository-names.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

/** What a project may use, so that a list of them stays short. */
export const MOST_REPOSITORIES = 20;

export const HOSTS = ['local', 'github'] as const;

const host = () =>
  oneOf([...HOSTS], {
    description: 'Where the code is: `local` is this server; `get_config` lists the others.',
  });

/** Where Git clones a repository from. `publicUrl`: the address of this server. */
const cloneUrl = (publicUrl: string): Sql => sql`
  case t.host
    when 'local' then ${`${publicUrl}/git/`} || t.project_id || '/' || t.full_name || '.git'
    when 'github' then 'https://github.com/' || t.full_name || '.git' end`;

/** A repository that a project uses, from a row `t` of `repository`. It never changes. */
export const repositoryOf = (publicUrl: string) =>
  resource(
    'Repository',
    {
      id: [uuid(), sql`t.id`, '019aa2b5-3c4d-7e5f-8a6b-7c8d9e0f1a2b'],
      project_id: [uuid(), sql`t.project_id`, 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11'],
      host: [host(), sql`t.host`, 'local'],
      full_name: [Type.String({ description: 'Its name on its host.' }), sql`t.full_name`, 'main'],
      default_branch: [Type.String(), sql`t.default_branch`, 'main'],
      clone_url: [
        Type.String({ description: 'For `git clone`, with an API key as the password.' }),
        cloneUrl(publicUrl),
        'http://127.0.0.1:8080/git/c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11/main.git',
      ],
      created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    },
    { project: 'project_id', revision: revision(sql`t.created_at`) },
  );

export type RepositoryResource = ReturnType<typeof repositoryOf>;

/** What the audit trail keeps of one. */
export const repositorySnapshot = (row: Sql): Sql => sql`
  jsonb_build_object('host', (${row}).host, 'full_name', (${row}).full_name,
                     'default_branch', (${row}).default_branch)`;

/** The name of a new repository, on this server or on another host. */
export const fullName = () =>
  Type.String({
    minLength: 1,
    maxLength: 140,
    pattern: `^(?:${LOCAL_REPOSITORY}|[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100})$`,
    description: 'A name such as `library`, or `owner/name` on GitHub.',
  });

export const newRepository = () => object({ host: host(), full_name: fullName() });

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

export const hostNotConnected = fieldError(
  'host_not_connected',
  ['body', 'host'],
  'This server is not connected to this code host: use `local`, or ask its operator',
);

export const nameOfOtherHost = fieldError(
  'repository_name_invalid',
  ['body', 'full_name'],
  'Names on this host look different: on `local` such as `library`, on `github` `owner/name`',
);

type NewRepository = Type.Static<ReturnType<typeof newRepository>>;

/** What is wrong with a new repository at this place of a request. */
export function newRepositoryErrors({ host, full_name }: NewRepository, at: Location): ErrorItem[] {
  if (full_name.includes('/') !== (host === 'github'))
    return [refused(nameOfOtherHost, [...at, 'full_name'])];
  return host === 'local' ? [] : [refused(hostNotConnected, [...at, 'host'])];
}

/** The same for those of a new project. */
export function moreRepositoriesErrors(repositories: readonly NewRepository[]): ErrorItem[] {
  const taken = new Set(['main']);
  return repositories.flatMap((each, i) => {
    const at = ['body', 'repositories', i];
    if (taken.has(each.full_name)) return [refused(repositoryNameTaken, [...at, 'full_name'])];
    taken.add(each.full_name);
    return newRepositoryErrors(each, at);
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
    'once its open pull requests are merged or their tasks deleted',
);
