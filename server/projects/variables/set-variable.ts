import { onProject } from '../../access/project.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import { PURPOSES } from '../../platform/pods/purposes.ts';
import type { Sealed, Sealing } from '../../platform/sealing/sealing.ts';
import { contextOf } from '../../platform/variables/sealed-variables.ts';
import { isReserved } from './names.ts';
import {
  checkVariable,
  MOST_OF_PROJECT,
  MOST_VARIABLES,
  nameReserved,
  purposeRepeated,
  secretTooShort,
  stageNeedsDeploy,
  tooManyVariables,
  valueTooLarge,
  variable,
  variablesTooLarge,
} from './variable.ts';

/** The most that escapes of JSON make of a value, and room for the rest. */
const BODY_LIMIT = 256 * 1024;

/** Gives a variable of a project its value. */
export const setVariable = ({ variableSealing: sealing }: { variableSealing: Sealing }) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/variables/{name}',
    area: 'Projects',
    operationId: 'set_variable',
    summary: 'Set a variable of a project',
    description:
      'Makes the variable, or replaces the one of this name and stage as a whole. It is in the ' +
      'environment of the processes that it is for, from the next one on. A secret is stored ' +
      'encrypted, never shown again, and hidden in logs and events. A turn that plans gets no ' +
      'secret. Checks run code that nobody has approved yet, and agents work on what people ask ' +
      'for: only a value for deploys alone stays with commits that were merged. At most 100 ' +
      'variables, of 256 KiB in all. Admins of the project, and the owner and admins of its ' +
      'workspace only.',
    access: onProject('update_project'),
    params: variable.params,
    body: variable.set,
    bodyLimit: BODY_LIMIT,
    sample: () => ({
      body: {
        value: 'https://packages.example.com/simple',
        secret: false,
        purposes: ['setup', 'checks'],
      },
    }),
    responses: { 200: variable.shown('The variable.', []) },
    errors: [
      nameReserved,
      purposeRepeated,
      stageNeedsDeploy,
      valueTooLarge,
      secretTooShort,
      tooManyVariables,
      variablesTooLarge,
    ],
    handle: ({ params: { name }, body, requestId, transaction }) => {
      if (isReserved(name)) throw nameReserved();
      checkVariable(body.value, body);
      const { value, secret, stage = null } = body;
      return transaction(async (tx, project) => {
        const { project_id } = project;
        const wanted = {
          name,
          stage,
          purposes: PURPOSES.filter((purpose) => body.purposes.includes(purpose)),
          size: Buffer.byteLength(value),
          value: secret ? undefined : value,
          sealed: secret
            ? sealing.seal(Buffer.from(value), contextOf({ project_id, name, stage }))
            : undefined,
        };
        const stored = await tx.one<Stored>(set(project, wanted, requestId));
        if (!stored.is_one_more_possible) throw tooManyVariables();
        if (stored.item === null) throw variablesTooLarge();
        return { status: 200, body: stored.item };
      });
    },
  });

interface Place extends Caller {
  project_id: string;
  organization_id: string | null;
}

interface Wanted {
  name: string;
  stage: string | null;
  purposes: readonly string[];
  /** Bytes. */
  size: number;
  value: string | undefined;
  sealed: Sealed | undefined;
}

interface Stored {
  is_one_more_possible: boolean;
  item: string | null;
}

// The project is locked, so what is counted stays until the commit.
const set = (
  { project_id, organization_id, ...caller }: Place,
  { name, stage, purposes, size, value, sealed }: Wanted,
  requestId: string,
): Sql => sql`
  with ${actor(caller)},
  place as materialized (
    select ${project_id}::uuid as project_id, ${name}::text as name, ${stage}::text as stage),
  current as materialized (
    select t as row from project_variable t join place p
        on t.project_id = p.project_id and t.name = p.name and t.stage is not distinct from p.stage),
  room as materialized (
    select count(t.id) < ${MOST_VARIABLES} as is_one_more_possible,
           coalesce(sum(coalesce(octet_length(t.value), octet_length(t.sealed) - 28)), 0)
             + ${size}::integer <= ${MOST_OF_PROJECT} as fits
      from place p left join project_variable t
        on t.project_id = p.project_id
       and (t.name, coalesce(t.stage, '')) <> (p.name, coalesce(p.stage, ''))),
  changed as (
    insert into project_variable as t
           (project_id, name, stage, purposes, value, sealed, sealed_key_id, updated_at,
            updated_by_user_id)
    select p.project_id, p.name, p.stage, ${purposes}::text[], ${value ?? null}::text,
           ${sealed?.sealed ?? null}::bytea, ${sealed?.keyId ?? null}::text, clock_timestamp(),
           caller.user_id
      from place p, room, caller
     where room.is_one_more_possible and room.fits
    on conflict (project_id, name, stage) do update
       set purposes = excluded.purposes, value = excluded.value, sealed = excluded.sealed,
           sealed_key_id = excluded.sealed_key_id, updated_at = excluded.updated_at,
           updated_by_user_id = excluded.updated_by_user_id
    returning t as row),
  audited as (${auditRow({
    action: 'variable.set',
    requestId,
    target: sql`(changed.row).id`,
    organization: sql`${organization_id}::uuid`,
    project: sql`(changed.row).project_id`,
    before: sql`case when current.row is not null then ${variable.snapshot(sql`current.row`)} end`,
    after: variable.snapshot(sql`changed.row`),
    from: sql`changed left join current on true`,
  })})
  select room.is_one_more_possible,
         (select ${variable.json} from changed, lateral (select (changed.row).*) t) as item
    from room`;
