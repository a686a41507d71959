import { randomUUID } from 'node:crypto';
import Type from 'typebox';
import { onRepository, type RepositoryOfProject } from '../../access/repository.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { fieldError } from '../../http/errors.ts';
import { multilineText, object, text } from '../../http/input/fields.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Sealed, Sealing } from '../../platform/sealing/sealing.ts';
import { answered, gitLate } from '../repositories/answered.ts';
import type { Branches } from '../repositories/branches.ts';
import { projectArchived } from '../repositories/errors.ts';
import { localMain, taskRepository } from '../repositories/task-repository.ts';
import {
  importNotHere,
  importSnapshot,
  importUnderWay,
  repositoryImport,
  repositoryNotEmpty,
} from './import.ts';
import { contextOf } from './sealed-imports.ts';
import { importUrlInvalid, importUrlNotHttps, readSourceUrl, sourceUrl } from './source-url.ts';

export interface ImportServices {
  branches: Branches;
  importSealing: Sealing;
  httpImports: boolean;
}

const passwordMissing = fieldError(
  'import_password_missing',
  ['body', 'password'],
  'A user name needs a password or an access token: send both, or neither for a public repository',
);

const WITHIN_MS = 10_000;

/** Copies what is in a repository elsewhere into one that holds nothing yet. */
export const importRepository = ({
  branches,
  importSealing: sealing,
  httpImports: allowHttp,
}: ImportServices) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/repositories/{repository_id}/import',
    area: 'Projects',
    operationId: 'import_repository',
    wakes: true,
    summary: 'Import a repository',
    description:
      'Copies all branches and tags of a repository elsewhere into this one, which must be of ' +
      'this server and hold nothing but its first commit, which is gone afterwards. A worker ' +
      'does it; `get_repository_import` shows how far it is. The default branch becomes that of ' +
      'the source. A failure leaves the repository as it was. User name and password are ' +
      'forgotten when the import has ended. Admins of the project, and the owner and admins of ' +
      'its workspace only.',
    access: onRepository('update_project'),
    params: ids('project_id', 'repository_id'),
    body: object({
      url: sourceUrl(),
      username: Type.Optional(
        text({
          minLength: 1,
          maxLength: 200,
          description: 'For Git at the source; most hosts take any beside an access token.',
        }),
      ),
      // Taken as it was sent: spaces count in passwords.
      password: Type.Optional(
        multilineText({
          minLength: 1,
          maxLength: 2_000,
          writeOnly: true,
          description: 'A password or an access token that may read the source.',
        }),
      ),
    }),
    sample: () => ({ body: { url: 'https://127.0.0.1:9/shop/web.git' } }),
    responses: {
      201: {
        description: 'The import, which a worker begins at once.',
        schema: repositoryImport.schema,
        example: {
          id: repositoryImport.example.id,
          repository_id: repositoryImport.example.repository_id,
          url: repositoryImport.example.url,
          state: 'queued',
          received_bytes: 0,
          requested_by_user_id: repositoryImport.example.requested_by_user_id,
          created_at: repositoryImport.example.created_at,
        },
      },
    },
    errors: [
      importUrlInvalid,
      importUrlNotHttps,
      passwordMissing,
      importNotHere,
      repositoryNotEmpty,
      importUnderWay,
      projectArchived,
      gitLate,
    ],
    handle: async ({ body, requestId, load, transaction }) => {
      const { username, password } = body;
      const url = readSourceUrl(body.url, { allowHttp });
      if (username !== undefined && password === undefined) throw passwordMissing();
      const { project_id, full_name, host, userId } = await load();
      if (host !== 'local') throw importNotHere();
      const asker = { userId, signal: AbortSignal.timeout(WITHIN_MS) };
      const repository = { projectId: project_id, name: full_name };
      const empty = await answered(branches.takesHistory(repository, asker));
      // A worker checks again before it changes anything: it may be the only one that has the folder.
      if (empty === false) throw repositoryNotEmpty();
      const id = randomUUID();
      const login = password && JSON.stringify({ username: username ?? 'git', password });
      const sealed = login && sealing.seal(Buffer.from(login), contextOf({ id, url }));
      return transaction(async (tx, repository) => {
        const { open, here, item } = await tx.one<Queued>(
          queued(repository, { id, url, ...(sealed || NOTHING_SEALED) }, requestId),
        );
        if (!open) throw projectArchived();
        if (!here) throw importNotHere();
        return { status: 201, body: item };
      });
    },
  });

interface Queued {
  open: boolean;
  here: boolean;
  item: string;
}

const NOTHING_SEALED = { keyId: null, sealed: null };

const queued = (
  { repository_id, project_id, organization_id, ...caller }: RepositoryOfProject & Caller,
  { id, url, keyId, sealed }: { id: string; url: string } & (Sealed | typeof NOTHING_SEALED),
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  place as materialized (
    select p.archived_at is null as open,
           r.host = 'local' and (not ${localMain(sql`r`)} or ${taskRepository(sql`r`)}) as here
      from repository r join project p on p.id = r.project_id where r.id = ${repository_id}),
  changed as (
    insert into repository_import as t (id, project_id, repository_id, requested_by_user_id, url,
                                        credential, credential_key_id, created_at)
    select ${id}, ${project_id}, ${repository_id}, ${caller.userId}, ${url}, ${sealed}, ${keyId},
           clock_timestamp()
      from place where place.open and place.here
    returning t as row),
  audited as (${auditRow({
    action: 'repository.import',
    requestId,
    target: sql`(changed.row).repository_id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: sql`null::jsonb`,
    after: importSnapshot(sql`changed.row`),
    from: sql`changed`,
  })})
  select place.open, place.here, ${repositoryImport.json} as item
    from place left join changed on true cross join lateral (select (changed.row).*) t`;
