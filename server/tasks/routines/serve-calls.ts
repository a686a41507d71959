import { hash, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { apiError, rateLimited } from '../../http/errors.ts';
import { readIdempotencyKey } from '../../http/idempotency.ts';
import { parseUuid } from '../../http/input/uuid.ts';
import { DROPPED_AT_MOST } from '../../http/read-body.ts';
import { bodyReceiver } from '../../http/receive-body.ts';
import { routineRun } from './routine.ts';
import { hashToken } from './token.ts';

/** Where a program calls a routine. */
export const ROUTINE_CALLS = '/webhooks/routines/{routine_id}';

const tokenInvalid = apiError(
  401,
  'routine_token_invalid',
  'Send the token of this routine as `Authorization: Bearer gldr_…`; an admin of its project can make a new one',
);

const LIMITS = { atOnce: 32, maxBytes: 64 * 1024, timeout: 10_000 };
/** Runs of one routine that may wait to begin. */
const MOST_WAITING = 100;
/** Calls of one routine within a minute: twice as many as its runs may begin within an hour. */
const MOST_A_MINUTE = 120;

/**
 * `POST /webhooks/routines/{routine_id}` makes a run of a routine, with what was sent as its
 * `{{body}}`, and answers before it begins. The token opens nothing else; it stands in a header,
 * so that no log of addresses has it. The body is received once the token has proven right.
 */
export function serveRoutineCalls(
  app: FastifyInstance,
  db: Database,
  { onCall }: { onCall: () => void },
): void {
  const receive = bodyReceiver(LIMITS);
  app.post('/webhooks/routines/:routine_id', async (request, reply) => {
    const { routine_id } = request.params as { routine_id: string };
    const id = parseUuid(routine_id);
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const tokenHash = hashToken(token);
    const known =
      id.ok && tokenHash !== undefined
        ? await db.many(sql`
            select from routine where id = ${id.uuid} and token_hash = ${tokenHash}`)
        : [];
    if (known.length === 0 || !id.ok || tokenHash === undefined) {
      if (Number(request.headers['content-length'] ?? 0) > DROPPED_AT_MOST)
        reply.header('connection', 'close');
      throw tokenInvalid();
    }
    const key = readIdempotencyKey(request.headers['idempotency-key'] as string | undefined);
    const body = (await receive(request.raw)).toString().toWellFormed().replaceAll('\0', '');
    const run = await makeRun(db, id.uuid, tokenHash, {
      key: key === undefined ? randomUUID() : hash('sha256', key),
      body,
    });
    if (run === 'too many') throw rateLimited({}, { 'retry-after': '60' });
    if (run === undefined) throw tokenInvalid();
    onCall();
    return reply.code(202).type('application/json').send(run);
  });
}

/** The run, or the one that was made under this key before. */
async function makeRun(
  db: Database,
  routineId: string,
  tokenHash: Buffer,
  { key, body }: { key: string; body: string },
): Promise<string | 'too many' | undefined> {
  const row = await db.maybeOne<{ item: string | null }>(sql`
    with routine_of as (
      select id,
             (select count(*) from routine_run w
               where w.routine_id = r.id and w.state = 'waiting') < ${MOST_WAITING}
             and (select count(*) from routine_run w
                   where w.routine_id = r.id and w.started_by = 'call'
                     and w.created_at > now() - interval '1 minute') < ${MOST_A_MINUTE} as has_room
        from routine r where id = ${routineId} and token_hash = ${tokenHash}),
    made as (
      insert into routine_run (routine_id, key, started_by, fields)
      select id, ${`call:${key}`}, 'call', jsonb_build_object('body', ${body}::text)
        from routine_of where has_room
      on conflict on constraint routine_run_once do nothing
      returning *)
    select (select ${routineRun.json}
              from (select * from made
                    union all
                    select * from routine_run
                     where routine_id = ${routineId} and key = ${`call:${key}`} limit 1) t) as item
      from routine_of`);
  if (row === undefined) return undefined;
  if (row.item !== null) return row.item;
  // One that was made at the same time is not seen by the statement that waited for it.
  const there = await db.maybeOne<{ item: string }>(sql`
    select ${routineRun.json} as item from routine_run t
     where routine_id = ${routineId} and key = ${`call:${key}`}`);
  return there?.item ?? 'too many';
}
