import { randomUUID } from 'node:crypto';
import { onRoutine } from '../../access/routine.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { auditRow } from '../../platform/audit/audit.ts';
import { routineRun } from './routine.ts';

/** Runs a routine now, within its limits. */
export const runRoutine = route({
  method: 'POST',
  path: '/api/projects/{project_id}/routines/{routine_id}/run',
  area: 'Tasks',
  operationId: 'run_routine',
  summary: 'Run a routine now',
  description:
    'Begins a task with the message of the routine within seconds, also while it is paused; the ' +
    'fields of calls and issues are empty. Its limits hold. Admins of the project, and the owner ' +
    'and admins of its workspace only.',
  access: onRoutine('manage_routines'),
  params: ids('project_id', 'routine_id'),
  sample: () => ({}),
  responses: {
    201: {
      description: 'The run, which begins within seconds.',
      schema: routineRun.schema,
      example: routineRun.example,
    },
  },
  errors: [],
  handle: ({ requestId, statement }) =>
    statement<{ item: string }>(
      {
        with: sql`
          made as (
            insert into routine_run (routine_id, key, started_by)
            select routine_id, ${`person:${randomUUID()}`}, 'person' from authorized
            returning *),
          audited as (${auditRow({
            action: 'routine.run',
            requestId,
            target: sql`authorized.routine_id`,
            organization: sql`authorized.organization_id`,
            project: sql`authorized.project_id`,
            before: sql`null::jsonb`,
            after: sql`jsonb_build_object('run', made.id)`,
            from: sql`made cross join authorized`,
          })})`,
        select: sql`select ${routineRun.json} as item from made t`,
      },
      ({ item }) => ({ status: 201, body: item }),
    ),
});
