import { onRepository, type RepositoryOfProject } from '../../access/repository.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { apiError } from '../../http/errors.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { importSnapshot } from './import.ts';

const noImport = apiError(
  404,
  'repository_import_not_found',
  'Nothing is being imported into this repository: get_repository_import shows what was',
);

const importPlaced = apiError(
  409,
  'repository_import_placed',
  'Everything was received and is being put in place, which ends in a moment: it cannot be ' +
    'cancelled any more',
);

const CANCELLED = 'It was cancelled: import again when you are ready.';

/** Ends an import that is under way. The repository stays as it was. */
export const cancelImport = route({
  method: 'DELETE',
  path: '/api/projects/{project_id}/repositories/{repository_id}/import',
  area: 'Projects',
  operationId: 'cancel_repository_import',
  summary: 'Cancel the import of a repository',
  description:
    'Ends the import, which is `failed` then, and forgets its user name and password. Nothing of ' +
    'it is kept, and the repository stays as it was. Once everything was received and checked ' +
    '(`placing`), it is too late. Admins of the project, and the owner and admins of its ' +
    'workspace only.',
  access: onRepository('update_project'),
  params: ids('project_id', 'repository_id'),
  responses: { 204: { description: 'Nothing is imported any more.' } },
  errors: [noImport, importPlaced],
  handle: ({ requestId, transaction }) =>
    transaction(async (tx, repository) => {
      const { under_way, cancelled } = await tx.one<{ under_way: boolean; cancelled: boolean }>(
        cancel(repository, requestId),
      );
      if (!under_way) throw noImport();
      if (!cancelled) throw importPlaced();
      return { status: 204 };
    }),
});

const cancel = (
  { repository_id, organization_id, ...caller }: RepositoryOfProject & Caller,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  current as materialized (
    select t as row from repository_import t
     where t.repository_id = ${repository_id} and t.state in ('queued', 'running') for update),
  changed as (
    update repository_import t
       set state = 'failed', failure_code = 'cancelled', failure_message = ${CANCELLED},
           ended_at = clock_timestamp(), phase = null, held_by = null, held_until = null,
           credential = null, credential_key_id = null
      from current where t.id = (current.row).id and t.copy_id is null
    returning t as row),
  audited as (${auditRow({
    action: 'repository.import_cancel',
    requestId,
    target: sql`(changed.row).repository_id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: importSnapshot(sql`current.row`),
    after: importSnapshot(sql`changed.row`),
    from: sql`changed cross join current`,
  })})
  select exists (select from current) as under_way, exists (select from changed) as cancelled`;
