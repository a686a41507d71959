import type { Database } from '../../../db/database/database.ts';
import type { RetentionRule } from '../../../db/retention-rule.ts';
import { sql } from '../../../db/sql.ts';

/** Where others may have named a person: see the function `erase_traces` of the database. */
const PLACES = [
  'audit_event',
  'idempotency_key',
  'mail',
  'invitation',
  'sign_in_link',
  'billing_details',
  'webhook_event',
  'webhook_delivery',
  'notification',
  'notification_event',
  'github_delivery',
  'task_event_outbox',
  'task_message',
  'task_turn',
  'agent_request',
  'plan_comment',
  'diff_comment',
  'github_review',
  'pull_request',
  'routine',
];

/** Blocks of 8 KiB that one statement reads. */
const BLOCKS = 1_000;

/** A row that changes meanwhile may move behind the walk, so it is repeated until it finds nothing. */
const WALKS = 3;

/**
 * The name and the address of people who deleted their account, where others wrote them or something
 * was recorded about them. Not in the transaction of the deletion, because tables are read whole for
 * it. A walk that was interrupted begins again: what is a pseudonym already does not change.
 */
export const tracesOfPeople: RetentionRule = {
  name: 'traces of people who deleted their account',
  setting: '–',
  days: 0,
  due: async (db) => {
    const { people } = await db.one<{ people: number }>(sql`
      select count(*)::int as people from outbox where topic = 'erase_person' and done_at is null`);
    return people;
  },
  remove: async (db) => {
    const [open] = await db.many<{ id: string; person: string; address: string; name: string }>(sql`
      select id, payload ->> 'person' as person, payload ->> 'address' as address,
             payload ->> 'name' as name
        from outbox where topic = 'erase_person' and done_at is null order by id limit 1`);
    if (open === undefined) return 0;
    for (let walk = 1, changed = 1; walk <= WALKS && changed > 0; walk += 1) {
      changed = 0;
      for (const place of PLACES) changed += await erase(db, place, open);
    }
    await db.many(sql`delete from outbox where id = ${open.id}`);
    return 1;
  },
};

async function erase(
  db: Pick<Database, 'one'>,
  place: string,
  { person, address, name }: { person: string; address: string; name: string | null },
): Promise<number> {
  for (let first = 0, total = 0; ; first += BLOCKS) {
    const { changed, ended } = await db.one<{ changed: bigint; ended: boolean }>(sql`
      select changed, ended
        from erase_traces(${place}, ${first}, ${BLOCKS}, ${person}, ${address}, ${name})`);
    total += Number(changed);
    if (ended) return total;
  }
}
