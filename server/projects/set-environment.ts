import { onProject } from '../access/project.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Caller } from '../http/caller.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { ValidationError } from '../http/errors.ts';
import { matches } from '../http/preconditions.ts';
import { ids, route } from '../http/route.ts';
import { actor, auditRow } from '../platform/audit/audit.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import {
  type EnvironmentSettings,
  environment,
  environmentChanged,
  environmentJson,
  environmentRevision,
  environmentShown,
} from './environment.ts';
import { imageErrors, imageNotOffered } from './offered.ts';

/** Says where the commands of a project run, whatever its commits say. */
export const setEnvironment = ({ catalog }: { catalog: Catalog }) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/environment',
    area: 'Projects',
    operationId: 'set_environment',
    summary: 'Set the environment',
    description:
      'Replaces the settings: a field that is given is used whatever `environment` of ' +
      '`.guildhall.yml` says, and one that is left out is what the commit says. They are used ' +
      'in pods that are made from now on. Admins of the project, and the owner and admins of ' +
      'its workspace only. Send the `ETag` of the environment you have read as `If-Match` to ' +
      'avoid overwriting a later change.',
    access: onProject('update_project'),
    params: ids('project_id'),
    body: environment,
    sample: () => ({ body: { setup: 'npm ci', cache: ['package-lock.json'] } }),
    responses: { 200: environmentShown('The current settings.') },
    headers: { 'If-Match': 'The ETag of the environment that you have read.' },
    errors: [imageNotOffered, environmentChanged],
    // The lock on the project comes first: this statement then sees what the last change wrote.
    handle: ({ body, headers, requestId, transaction }) => {
      const errors = imageErrors(catalog, body.image);
      if (errors.length > 0) throw new ValidationError(errors);
      return transaction(async (tx, project) => {
        const { expected, ...shown } = await tx.one<Shown & { expected: boolean }>(
          replaced(project, body, headers['if-match'], requestId),
        );
        if (!expected) throw environmentChanged();
        return shownAs(200, shown);
      });
    },
  });

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

const replaced = (
  { project_id, organization_id, ...caller }: Place,
  settings: EnvironmentSettings,
  ifMatch: string | undefined,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  wanted as materialized (
    select * from json_to_record(${JSON.stringify(settings)}::json)
           e(image text, setup text, setup_timeout_minutes integer, cache text[])),
  change as materialized (
    select before.item as before, after.item as after,
           ${matches(ifMatch, environmentRevision(sql`before.item`))} as expected
      from (select ${environmentJson} as item
              from (values (${project_id}::uuid)) p(id)
              left join project_environment e on e.project_id = p.id) before,
           (select ${environmentJson} as item from wanted e) after),
  changed as (
    select * from change where expected and before <> after),
  written as (
    insert into project_environment (project_id, image, setup, setup_timeout_minutes, cache)
    select ${project_id}, e.image, e.setup, e.setup_timeout_minutes, e.cache
      from wanted e cross join changed
    on conflict (project_id) do update
       set image = excluded.image, setup = excluded.setup,
           setup_timeout_minutes = excluded.setup_timeout_minutes, cache = excluded.cache),
  audited as (${auditRow({
    action: 'environment.update',
    requestId,
    target: sql`${project_id}::uuid`,
    organization: sql`${organization_id}::uuid`,
    project: sql`${project_id}::uuid`,
    before: sql`changed.before::jsonb`,
    after: sql`changed.after::jsonb`,
    from: sql`changed`,
  })})
  select expected, after as item, ${environmentRevision(sql`after`)} as revision from change`;
