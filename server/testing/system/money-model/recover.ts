import { settleUsage } from '../../../billing/ledger/usage.ts';
import { sql } from '../../../db/sql.ts';
import type { World } from './world.ts';

/** Ends what is open: the processor works again, and all events arrive, in any order. */
export async function recover(world: World): Promise<void> {
  const { db, fake, background } = world;
  fake.clearFaults();
  fake.forgetKeys(); // a day later
  world.dieBefore(undefined);
  for (let i = 0; i < 4; i++) {
    // Older by a second each time, so that the last rounds are past the schedule and end the
    // top-up.
    await db.many(sql`update top_up set next_check_at = now(),
      created_at = created_at - interval '1 second'
      where status in ('created', 'processing')`);
    await db.many(sql`update refund set next_check_at = now() where status = 'created'`);
    await fake.deliver({ order: 'shuffled', again: true });
    await db.many(
      sql`update processor_event set next_attempt_at = now() where processed_at is null`,
    );
    await background.round();
  }
  while ((await settleUsage(db)).settlements > 0);
}
