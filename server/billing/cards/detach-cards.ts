import type { Database, Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { CardKeeper } from './card-keeper.ts';
import { testCard } from './test-cards.ts';

const BATCH = 20;

/**
 * Has the background work remove a card at the processor once this transaction is committed. A
 * published test card belongs to everyone and stays.
 */
export async function requestDetach(tx: Tx, token: string): Promise<void> {
  if (testCard(token) !== undefined) return;
  await tx.many(sql`
    insert into outbox (topic, key, payload)
    values ('card_detach', ${token}, jsonb_build_object('token', ${token}::text))
    on conflict (topic, key) do nothing`);
}

/**
 * Removes at the processor what was removed here. Any number of processes may do so, because a card
 * that is removed twice is removed. What fails stays for the next call. Returns how many were
 * removed, and whether any could not be.
 */
export async function detachCards(
  db: Database,
  cards: CardKeeper,
): Promise<{ done: number; failed: boolean }> {
  const total = { done: 0, failed: false };
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const open = await db.many<{ id: string; token: string }>(sql`
      select id, payload ->> 'token' as token from outbox
       where topic = 'card_detach' and done_at is null and id > ${after}
       order by id limit ${BATCH}`);
    for (const { id, token } of open) {
      after = id;
      if (await cards.detach(token)) {
        await db.many(sql`update outbox set done_at = now() where id = ${id}`);
        total.done++;
      } else total.failed = true;
    }
    if (open.length < BATCH) return total;
  }
}
