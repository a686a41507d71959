import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { uuid } from '../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { resource } from '../http/resource.ts';
import { route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';

/** A row `w` of `task_worker`. */
const worker = resource('OperatedWorker', {
  id: [uuid(), sql`w.id`, '3d5c7b9a-1e2f-4a3b-8c4d-5e6f70819203'],
  host: [
    Type.Optional(Type.String({ description: 'What its machine or container calls itself.' })),
    sql`w.host`,
    'worker-1',
  ],
  version: [Type.Optional(Type.String()), sql`w.version`, '0.1.0'],
  driver: [
    Type.Optional(Type.String({ description: 'What its pods are made of.' })),
    sql`w.driver`,
    'docker',
  ],
  confined: [
    Type.Optional(
      Type.Boolean({
        description: 'Whether what agents run is kept apart from its machine; left out if unknown.',
      }),
    ),
    sql`w.confined`,
    true,
  ],
  fault: [
    Type.Optional(
      Type.Enum(['worker_unable', 'pods_unavailable'], {
        description: 'Why it carries out no tasks; its log has the sentence.',
      }),
    ),
    sql`w.fault`,
    undefined,
  ],
  is_gone: [
    Type.Boolean({ description: 'It has not been heard of for 30 seconds.' }),
    sql`w.seen_at < now() - interval '30 seconds'`,
    false,
  ],
  seen_at: [
    timestamp({ description: 'It tells every ten seconds that it is there.' }),
    sql`w.seen_at`,
    '2026-11-21T08:15:30.123Z',
  ],
});

/** The processes that carry out tasks, or try to. */
export const listWorkers = route({
  method: 'GET',
  path: '/api/operator/workers',
  area: 'Operation',
  operationId: 'list_workers',
  summary: 'List workers',
  description:
    'The processes that carry out tasks, or try to, heard of last first; those that are gone are ' +
    'listed for an hour. Operators only.',
  access: asOperator,
  query: Type.Object(pages),
  responses: { 200: worker.listed('Heard of last first.') },
  errors: [operatorRequired, cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(workers, query) }, page(url, query.limit)),
});

const workers: ListParts = {
  json: worker.json,
  rows: sql`from authorized cross join task_worker w where true`,
  order: [
    { by: sql`w.seen_at`, type: 'timestamptz' },
    { by: sql`w.id`, type: 'uuid' },
  ],
  descending: true,
};
