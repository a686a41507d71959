import Type from 'typebox';
import { onRoutine } from '../../access/routine.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { routineRun } from './routine.ts';

/** The runs of a routine. */
export const listRoutineRuns = route({
  method: 'GET',
  path: '/api/projects/{project_id}/routines/{routine_id}/runs',
  area: 'Tasks',
  operationId: 'list_routine_runs',
  summary: 'List the runs of a routine',
  description:
    'What the routine was asked to do and what came of it: the last 500, for 90 days. Everyone who ' +
    'can open the project may see them. The complete list, unless `limit` is given.',
  access: onRoutine('open_project'),
  params: ids('project_id', 'routine_id'),
  query: Type.Object(paging),
  responses: { 200: routineRun.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(runs, query) }, page(url, query.limit)),
});

const runs = {
  json: routineRun.json,
  rows: sql`
    from authorized join routine_run t on t.routine_id = authorized.routine_id where true`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
} as const;
