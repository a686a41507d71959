import { onProject } from '../access/project.ts';
import { type Sql, sql } from '../db/sql.ts';
import { changedAt, revision, type Shown, shownAs } from '../http/change.ts';
import { notFound, ValidationError } from '../http/errors.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { audited } from '../platform/audit/audit.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import { erpErrors, modelErrors, notOffered, offeredErps, offeredModels } from './offered.ts';
import { asSeenByCaller, project, projectChanged } from './project.ts';

/** The row of the statement: the project, and why it was not changed, if it was not. */
type Updated = Shown & {
  expected: boolean | null;
  erp_offered: boolean;
  model_offered: boolean;
  erp_version: string;
  erp_edition: string;
};

/**
 * Changes a project, archives it, or takes it back; a field left out keeps its value (ruling 4).
 */
export const updateProject = ({ catalog }: { catalog: Catalog }) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}',
    area: 'Projects',
    operationId: 'update_project',
    summary: 'Update a project',
    description:
      'Changes the project. Admins of the project, and the owner and admins of its workspace ' +
      'only. A field that is omitted keeps its value; `null` removes the default model or the ' +
      'spend cap; `{}` changes nothing. `archived: true` hides the project from lists and ' +
      'takes no new tasks; it can still be changed, and `archived: false` brings it back. Send ' +
      'the `ETag` of the project you have read as `If-Match` to avoid overwriting a later ' +
      'change.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: project.changes,
    sample: () => ({ body: { name: 'Web shop 2', spend_cap: '250.00' } }),
    responses: { 200: project.shown('The current project.') },
    headers: { 'If-Match': 'The ETag of the project that you have read.' },
    errors: [...notOffered, projectChanged],
    handle: ({ body, headers, requestId, statement }) =>
      statement<Updated>(
        updated(catalog, body, headers['if-match'], requestId),
        ({ expected, erp_offered, model_offered, ...row }) => {
          if (expected === null) throw notFound();
          if (!expected) throw projectChanged();
          const errors = [
            ...(erp_offered ? [] : erpErrors(catalog, row)),
            ...(model_offered ? [] : modelErrors(catalog, body.default_model)),
          ];
          if (errors.length > 0) throw new ValidationError(errors);
          return shownAs(200, row);
        },
      ),
  });

interface Changes {
  archived?: boolean;
  spend_cap?: bigint | null;
  [field: string]: unknown;
}

// A version, an edition and a model that the catalog no longer offers stay, until they are changed.
// The update repeats that the project belongs where it did when the right was checked.
function updated(
  catalog: Catalog,
  { archived, spend_cap, ...fields }: Changes,
  ifMatch: string | undefined,
  requestId: string,
): { with: Sql; select: Sql } {
  const changes = JSON.stringify({
    ...fields,
    ...(spend_cap === undefined ? {} : { spend_cap: spend_cap?.toString() ?? null }),
    ...(archived === false ? { archived_at: null } : {}),
  });
  return {
    with: sql`
      current as materialized (
        select t as row,
               ${matches(ifMatch, revision(sql`t.updated_at`))}
               and t.organization_id is not distinct from authorized.organization_id
               and t.owner_user_id is not distinct from authorized.owner_user_id as expected
          from project t join authorized on t.id = authorized.project_id for update of t),
      wanted as materialized (
        select jsonb_populate_record(
                 row,
                 case when ${archived === true} and (row).archived_at is null
                      then jsonb_build_object('archived_at', clock_timestamp())
                      else '{}' end || ${changes}::jsonb) as row
          from current),
      verdict as (
        select old.erp_version = new.erp_version and old.erp_edition = new.erp_edition
               or new.erp_version || ' ' || new.erp_edition = any(${offeredErps(catalog)}::text[])
                 as erp_offered,
               new.default_model is null
               or new.default_model is not distinct from old.default_model
               or new.default_model = any(${offeredModels(catalog)}::text[]) as model_offered
          from current, lateral (select (current.row).*) old,
               wanted, lateral (select (wanted.row).*) new),
      changed as (
        update project t
           set name = (wanted.row).name,
               erp_version = (wanted.row).erp_version,
               erp_edition = (wanted.row).erp_edition,
               default_model = (wanted.row).default_model,
               plan_approval = (wanted.row).plan_approval,
               direct_push = (wanted.row).direct_push,
               spend_cap = (wanted.row).spend_cap,
               archived_at = (wanted.row).archived_at,
               updated_at = ${changedAt(sql`(current.row).updated_at`)}
          from wanted, current, verdict
         where t.id = (wanted.row).id and current.expected
           and verdict.erp_offered and verdict.model_offered
           and wanted.row is distinct from current.row
        returning t as row),
      audited as (${audited('project.update', requestId, project, sql`current`)})`,
    select: sql`
      select current.expected, verdict.erp_offered, verdict.model_offered,
             (wanted.row).erp_version, (wanted.row).erp_edition, ${project.columns}
        from authorized
        cross join current
        cross join wanted
        cross join verdict
        left join changed on true
        cross join lateral (select (coalesce(changed.row, current.row)).*) t
        ${asSeenByCaller}`,
  };
}
