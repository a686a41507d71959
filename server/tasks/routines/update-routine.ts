import type { Static } from 'typebox';
import { type OfRoutine, onRoutine } from '../../access/routine.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { changedAt, revision, type Shown, shownAs } from '../../http/change.ts';
import { matches } from '../../http/preconditions.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';
import { isOffered, modelNotOffered } from '../model-offered.ts';
import {
  onBehalfOfWrong,
  routine,
  routineChanged,
  routineOfAnother,
  scheduleWrong,
  startWrong,
  timeZoneWrong,
  unknownField,
} from './routine.ts';
import { requireOnBehalfOf, requireStart, type Start } from './wanted.ts';

/** Changes, pauses or resumes a routine. */
export const updateRoutine = ({ catalog }: { catalog: Catalog }) =>
  route({
    method: 'PUT',
    path: '/api/projects/{project_id}/routines/{routine_id}',
    area: 'Tasks',
    operationId: 'update_routine',
    summary: 'Update a routine',
    description:
      'A field that is omitted keeps its value, and null clears one; `{}` changes nothing. ' +
      '`enabled` pauses and resumes it; what it has missed meanwhile is not made up for. One that ' +
      'acts for another person only lets itself be renamed, limited, paused and resumed, unless ' +
      '`on_behalf_of_user_id` makes it act for you or a service account. Send the `ETag` of the ' +
      'routine you have read as `If-Match` to avoid overwriting a later change. Admins of the ' +
      'project, and the owner and admins of its workspace only.',
    access: onRoutine('manage_routines'),
    params: ids('project_id', 'routine_id'),
    body: routine.changes,
    sample: () => ({ body: { name: 'Monthly update', per_hour: 5 } }),
    responses: { 200: routine.shown('The current routine.') },
    headers: { 'If-Match': 'The ETag of the routine that you have read.' },
    errors: [
      modelNotOffered,
      unknownField,
      startWrong,
      scheduleWrong,
      timeZoneWrong,
      onBehalfOfWrong,
      routineChanged,
      routineOfAnother,
    ],
    handle: ({ body, headers, requestId, transaction }) => {
      if (!isOffered(catalog, body.model)) throw modelNotOffered(body.model);
      return transaction(async (tx, place) => {
        const current = await read(tx, place.routine_id, headers['if-match']);
        if (!current.expected) throw routineChanged();
        const behalf = body.on_behalf_of_user_id ?? current.on_behalf_of_user_id;
        if (body.on_behalf_of_user_id !== undefined) await requireOnBehalfOf(tx, place, behalf);
        else if (speaks(body) && !current.is_service && behalf !== place.userId)
          throw routineOfAnother();
        const start = { ...current.start, ...(body as Partial<Start>) };
        const nextAt = requireStart(
          {
            message: start.message,
            starts_by: current.start.starts_by,
            schedule: start.schedule,
            time_zone: start.time_zone,
            label: start.label,
          },
          new Date(),
        );
        return shownAs(200, await write(tx, place, { ...body, nextAt, requestId }));
      });
    },
  });

/** What a change says in the name of whom the routine acts for. */
const SPOKEN = [
  'message',
  'title',
  'model',
  'spend_cap',
  'schedule',
  'time_zone',
  'label',
] as const;
const speaks = (body: object): boolean => SPOKEN.some((field) => field in body);

interface Current {
  start: Start;
  on_behalf_of_user_id: string;
  is_service: boolean;
  expected: boolean;
}

const read = (tx: Tx, id: string, ifMatch: string | undefined): Promise<Current> =>
  tx.one(sql`
    select to_jsonb(t) as start, t.on_behalf_of_user_id, u.kind = 'service' as is_service,
           ${matches(ifMatch, revision(sql`t.updated_at`))} as expected
      from routine t join app_user u on u.id = t.on_behalf_of_user_id
     where t.id = ${id}`);

type Changes = Static<typeof routine.changes> & { nextAt: Date | null; requestId: string };

// Its row is locked. One that a person resumes begins anew.
const write = (
  tx: Tx,
  { routine_id, organization_id, ...caller }: OfRoutine & Caller,
  { nextAt, requestId, ...changes }: Changes,
): Promise<Shown> => {
  const kept = <Value>(field: keyof typeof changes, value: Value) =>
    field in changes ? value : null;
  const clears = (field: keyof typeof changes) => changes[field] === null;
  return tx.one(sql`
    with ${actor(caller)},
    before as materialized (select t as row from routine t where t.id = ${routine_id}),
    changed as (
      update routine t
         set name = coalesce(${kept('name', changes.name)}, t.name),
             message = coalesce(${kept('message', changes.message)}, t.message),
             title = case when ${clears('title')} then null
                          else coalesce(${kept('title', changes.title)}, t.title) end,
             model = case when ${clears('model')} then null
                          else coalesce(${kept('model', changes.model)}, t.model) end,
             spend_cap = case when ${clears('spend_cap')} then null
                              else coalesce(${kept('spend_cap', changes.spend_cap)}::bigint,
                                            t.spend_cap) end,
             on_behalf_of_user_id = coalesce(
               ${changes.on_behalf_of_user_id ?? null}::uuid, t.on_behalf_of_user_id),
             schedule = coalesce(${changes.schedule ?? null}, t.schedule),
             time_zone = coalesce(${changes.time_zone ?? null}, t.time_zone),
             label = coalesce(${changes.label ?? null}, t.label),
             per_hour = coalesce(${changes.per_hour ?? null}::int, t.per_hour),
             at_once = coalesce(${changes.at_once ?? null}::int, t.at_once),
             next_at = case when t.enabled and t.schedule is not distinct from
                                   coalesce(${changes.schedule ?? null}, t.schedule)
                             and t.time_zone is not distinct from
                                   coalesce(${changes.time_zone ?? null}, t.time_zone)
                            then t.next_at else ${nextAt}::timestamptz end,
             enabled = coalesce(${changes.enabled ?? null}::boolean, t.enabled),
             paused_reason = case when ${changes.enabled === undefined} then t.paused_reason end,
             failures = case when ${changes.enabled === true} then 0 else t.failures end,
             updated_at = ${changedAt(sql`t.updated_at`)}
       where t.id = ${routine_id} and ${Object.keys(changes).length > 0}
      returning t as row),
    audited as (${auditRow({
      action: 'routine.update',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`${organization_id}::uuid`,
      project: sql`(changed.row).project_id`,
      before: routine.snapshot(sql`before.row`),
      after: routine.snapshot(sql`changed.row`),
      from: sql`changed cross join before`,
    })})
    select ${routine.columns}
      from before left join changed on true
           cross join lateral (select (coalesce(changed.row, before.row)).*) t`);
};
