import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../testing/database/database.ts';

// Rules that hold for every table, so also for the next one.

const clone = await cloneDatabase();
const client = new pg.Client(clone.url);
await client.connect();
after(async () => {
  await client.end();
  await clone.drop();
});

const listed = async (query: string): Promise<string[]> =>
  (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);

/** Foreign keys that no index serves, because nothing looks for their rows that way. */
const WITHOUT_INDEX: Record<string, string> = {
  hold_account_id_fkey: 'accounts are never deleted; only open holds are looked for: hold_open',
  hold_transfer_key_fkey: 'rows of the ledger are never deleted',
  usage_settlement_transfer_key_fkey: 'rows of the ledger are never deleted',
  top_up_key_id_fkey: 'keys are revoked, never deleted',
  top_up_payment_method_id_fkey: 'cards are detached, never deleted',
};

test('each foreign key has an index that finds its rows, or a reason why nothing looks for them', async () => {
  // The first column of the index is enough: the other columns of a key follow from it.
  const without = await listed(`
    select conname::text as name from pg_constraint c
     where contype = 'f' and connamespace = 'public'::regnamespace
       and not exists (select from pg_index i
                        where i.indrelid = c.conrelid and i.indpred is null
                          and i.indkey[0] = any (c.conkey))
     order by 1`);
  assert.deepEqual(without, Object.keys(WITHOUT_INDEX).sort());
});

test('a check of several columns has a name that says what it is about', async () => {
  const unnamed = await listed(`
    select conname::text as name from pg_constraint
     where contype = 'c' and connamespace = 'public'::regnamespace and cardinality(conkey) > 1
       and conname ~ '_check[0-9]*$' order by 1`);
  assert.deepEqual(unnamed, []);
});

test('no name is cut off at the 63 characters of PostgreSQL', async () => {
  const cut = await listed(`
    select conname::text as name from pg_constraint
     where connamespace = 'public'::regnamespace and length(conname) >= 63 order by 1`);
  assert.deepEqual(cut, []);
});

test('each table, view and function has a comment', async () => {
  const without = await listed(`
    select name from (
      select oid, relname::text as name, obj_description(oid, 'pg_class') as comment from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
      union all
      select oid, oid::regprocedure::text, obj_description(oid, 'pg_proc') from pg_proc
       where pronamespace = 'public'::regnamespace) made
     where comment is null and not exists (select from pg_depend
       where objid = made.oid and deptype = 'e')
     order by 1`);
  assert.deepEqual(without, []);
});

test('each constraint is validated and each index is complete', async () => {
  const unfinished = await listed(`
    select conname::text as name from pg_constraint
     where connamespace = 'public'::regnamespace and not convalidated
    union all
    select indexrelid::regclass::text from pg_index where not indisvalid
     order by 1`);
  assert.deepEqual(unfinished, []);
});
