import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { boolean, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { timestamp } from '../../http/timestamps.ts';

const maybe = Type.Optional;

const REPOSITORY = '019aa2b5-3c4d-7e5f-8a6b-7c8d9e0f1a2b';
const LFS =
  'The default branch has files in Git LFS, which are not imported: the repository has their ' +
  'pointers. Put the files themselves into the branch, or leave them where they are.';

/** An import, from a row `t` of `repository_import`. Its credential is never shown. */
export const repositoryImport = resource(
  'RepositoryImport',
  {
    id: [uuid(), sql`t.id`, '019aa2b5-4d5e-7f60-9a7b-8c9d0e1f2a3b'],
    repository_id: [uuid(), sql`t.repository_id`, REPOSITORY],
    url: [Type.String(), sql`t.url`, 'https://example.com/shop/web.git'],
    state: [oneOf(['queued', 'running', 'done', 'failed']), sql`t.state`, 'done'],
    phase: [
      maybe(
        oneOf(['connecting', 'receiving', 'checking', 'placing'], {
          description:
            'What a worker does now, while it is `running`. Until `placing` it can be cancelled.',
        }),
      ),
      sql`t.phase`,
      undefined,
    ],
    received_bytes: [
      Type.Integer({ description: 'How much has been received, in this attempt.' }),
      sql`t.received_bytes`,
      48_210_338,
    ],
    default_branch: [
      maybe(Type.String({ description: 'The default branch of what was imported.' })),
      sql`t.default_branch`,
      'main',
    ],
    branches: [
      maybe(Type.Integer({ description: 'How many branches were imported.' })),
      sql`t.branches`,
      12,
    ],
    tags: [maybe(Type.Integer({ description: 'How many tags were imported.' })), sql`t.tags`, 40],
    left_out: [
      maybe(
        Type.Integer({
          description:
            'How many branches were not imported, because their names begin with `task/`, as ' +
            'those of tasks do, or cannot be shown.',
        }),
      ),
      sql`t.left_out`,
      0,
    ],
    lfs: [
      maybe(boolean({ description: 'Whether the default branch has files in Git LFS.' })),
      sql`t.lfs`,
      false,
    ],
    notice: [
      maybe(Type.String({ description: 'What was not imported and should be known.' })),
      sql`case when t.lfs then ${LFS} end`,
      undefined,
    ],
    failure_code: [
      maybe(Type.String({ pattern: '^[a-z_]+$', description: 'Why it has failed.' })),
      sql`t.failure_code`,
      undefined,
    ],
    failure_message: [
      maybe(Type.String({ description: 'The same as a sentence, with what to do next.' })),
      sql`t.failure_message`,
      undefined,
    ],
    requested_by_user_id: [
      uuid(),
      sql`t.requested_by_user_id`,
      '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    ],
    created_at: [timestamp(), sql`t.created_at`, '2026-11-20T09:00:00.000Z'],
    ended_at: [maybe(timestamp()), sql`t.ended_at`, '2026-11-20T09:01:12.000Z'],
  },
  { project: 'project_id' },
);

/** What the audit trail keeps of one. */
export const importSnapshot = (row: Sql): Sql => sql`
  jsonb_build_object('repository_id', (${row}).repository_id, 'source', regexp_replace((${row}).url, '^https?://', ''),
                     'state', (${row}).state)`;

export const importState = Type.Object(
  {
    takes_history: maybe(
      boolean({
        description:
          'Whether the repository holds nothing but the first commit of this server, so that it ' +
          'can be imported into, and takes one push of any history to its default branch. Absent ' +
          'where this server does not have the repository.',
      }),
    ),
    import: maybe(repositoryImport.schema),
  },
  { $id: 'RepositoryImportState' },
);

export const importUnderWay = apiError(
  409,
  'repository_import_under_way',
  'Something is being imported into this repository: wait until it has ended, or cancel it',
);

export const repositoryNotEmpty = apiError(
  409,
  'repository_not_empty',
  'This repository has commits already: attach another repository to the project, or create a ' +
    'project, and import into that',
);

export const importNotHere = apiError(
  409,
  'import_not_here',
  'Only a repository of this server that is not a copy of one on GitHub can be imported into: ' +
    'choose another one',
);
