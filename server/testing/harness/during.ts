import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Harness } from './harness.ts';

/**
 * Makes `during`, which begins what must wait for what `work` has locked, one after the other, and
 * then lets `work` commit.
 */
export function duringOn({ db, owner }: Harness) {
  /** Until so many wait for a lock. Only the owner of the tables may see that. */
  async function waiting(count: number): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const [row] = await owner<{ blocked: number }>(sql`
        select count(*)::int as blocked from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`);
      if ((row?.blocked ?? 0) >= count) return;
      await setTimeout(5);
    }
    assert.fail(`fewer than ${count} wait`);
  }

  return async function during<Result>(
    work: (tx: Tx) => Promise<unknown>,
    ...begins: (() => Promise<Result>)[]
  ): Promise<Result[]> {
    const results: Promise<Result>[] = [];
    await db.transaction(async (tx) => {
      await work(tx);
      for (const begin of begins) {
        results.push(begin());
        await waiting(results.length);
      }
      // A write that has to wait starts again on another connection, where it waits for longer.
      await setTimeout(300);
    });
    return Promise.all(results);
  };
}
