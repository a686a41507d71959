import type { Static } from 'typebox';
import type { Project } from '../../access/project.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { type Shown, shownAs } from '../../http/change.ts';
import { ids, route } from '../../http/route.ts';
import { actor, auditRow } from '../../platform/audit/audit.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import { withSealedSecret, withSecret } from '../../platform/sealing/shown-once.ts';
import { isOffered, modelNotOffered } from '../model-offered.ts';
import {
  LARGEST_ROUTINE,
  MOST_ROUTINES,
  onBehalfOfWrong,
  routine,
  scheduleWrong,
  startWrong,
  timeZoneWrong,
  tooManyRoutines,
  unknownField,
} from './routine.ts';
import { hashToken, newToken } from './token.ts';
import { onRoutines, requireOnBehalfOf, requireStart } from './wanted.ts';

/** Makes a routine, which begins tasks from now on. */
export const createRoutine = ({
  catalog,
  routineSealing,
}: {
  catalog: Catalog;
  routineSealing: Sealing;
}) =>
  route({
    method: 'POST',
    path: '/api/projects/{project_id}/routines',
    area: 'Tasks',
    operationId: 'create_routine',
    summary: 'Add a routine',
    description:
      'From now on the routine begins a task with its message at each of its times, calls, labels or ' +
      'mentions, as `create_task` does, on behalf of you or of a service account, who must be ' +
      'allowed to at that time. The token of one that is called is shown in this answer and never ' +
      `again. At most ${MOST_ROUTINES}. Admins of the project, and the owner and admins of its workspace only.`,
    access: onRoutines,
    params: ids('project_id'),
    body: routine.added,
    bodyLimit: LARGEST_ROUTINE,
    sample: () => ({
      body: {
        name: 'Weekly update',
        message: 'Update what is outdated, as of {{date}}.',
        starts_by: 'schedule',
        schedule: '0 6 * * 1',
        time_zone: 'Europe/Berlin',
        spend_cap: '5.00',
      },
    }),
    responses: { 201: routine.shownOnce('The routine.', ['ETag', 'Location']) },
    errors: [
      modelNotOffered,
      unknownField,
      startWrong,
      scheduleWrong,
      timeZoneWrong,
      onBehalfOfWrong,
      tooManyRoutines,
    ],
    completeAnswer: withSecret(routineSealing),
    handle: ({ body, requestId, transaction }) => {
      if (!isOffered(catalog, body.model)) throw modelNotOffered(body.model);
      const { schedule = null, time_zone = null, label = null } = body;
      const start = {
        message: body.message,
        starts_by: body.starts_by,
        schedule,
        time_zone,
        label,
      };
      const nextAt = requireStart(start, new Date());
      return transaction(async (tx, place) => {
        await requireOnBehalfOf(tx, place, body.on_behalf_of_user_id ?? place.userId);
        const token = body.starts_by === 'call' ? newToken() : undefined;
        const made = await insert(tx, place, { ...body, nextAt, token, requestId });
        if (made === undefined) throw tooManyRoutines();
        const path = `/api/projects/${place.project_id}/routines`;
        const { item } = made;
        if (token === undefined) return shownAs(201, made, path);
        const shown = withSealedSecret(routineSealing, item, token, 'token');
        return shownAs(201, { ...made, item: shown }, path);
      });
    },
  });

type Wanted = Static<typeof routine.added> & {
  nextAt: Date | null;
  token: string | undefined;
  requestId: string;
};

const insert = (
  tx: Tx,
  { project_id, organization_id, ...caller }: Project & Caller,
  { nextAt, token, requestId, ...wanted }: Wanted,
): Promise<Shown | undefined> =>
  tx.maybeOne(sql`
    with ${actor(caller)},
    changed as (
      insert into routine as t
             (project_id, name, message, title, model, spend_cap, on_behalf_of_user_id, starts_by,
              schedule, time_zone, next_at, token_hash, label, per_hour, at_once)
      select ${project_id}::uuid, ${wanted.name}, ${wanted.message}, ${wanted.title ?? null},
             ${wanted.model ?? null}, ${(wanted.spend_cap as bigint | undefined) ?? null}::bigint,
             ${wanted.on_behalf_of_user_id ?? caller.userId}::uuid, ${wanted.starts_by},
             ${wanted.schedule ?? null}, ${wanted.time_zone ?? null}, ${nextAt}::timestamptz,
             ${token === undefined ? null : (hashToken(token) ?? null)}::bytea,
             ${wanted.label ?? null}, ${wanted.per_hour ?? 10}::int, ${wanted.at_once ?? 1}::int
       where (select count(*) from routine where project_id = ${project_id}) < ${MOST_ROUTINES}
      returning t as row),
    audited as (${auditRow({
      action: 'routine.create',
      requestId,
      target: sql`(changed.row).id`,
      organization: sql`${organization_id}::uuid`,
      project: sql`(changed.row).project_id`,
      before: sql`null::jsonb`,
      after: routine.snapshot(sql`changed.row`),
      from: sql`changed`,
    })})
    select ${routine.columns} from changed, lateral (select (changed.row).*) t`);
