import type pg from 'pg';

/**
 * Credits of one cent, spread over every account, as the ledger's trigger would have posted them one
 * after the other. The trigger and the checks of each row take a quarter of an hour for a million:
 * here the rows are written at once, and every key and index is made again afterwards, which checks
 * all of them. Nothing stays if one of them does not hold.
 */
export async function post(owner: pg.Client, transfers: number): Promise<void> {
  await owner.query('begin');
  try {
    await owner.query(GIFTS);
    await owner.query('alter table ledger_transfer disable trigger ledger_transfer_posts');
    const keys = await definitions(owner, KEYS);
    const indexes = await definitions(owner, INDEXES);
    for (const { name } of keys)
      await owner.query(`alter table ledger_transfer drop constraint ${name}`);
    for (const { name } of indexes) await owner.query(`drop index ${name}`);
    await owner.query(TRANSFERS, [transfers]);
    await owner.query(ACCOUNTS);
    for (const { definition } of indexes) await owner.query(definition);
    for (const { name, definition } of keys)
      await owner.query(`alter table ledger_transfer add constraint ${name} ${definition}`);
    await owner.query('alter table ledger_transfer enable trigger ledger_transfer_posts');
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
}

const definitions = async (owner: pg.Client, text: string) =>
  (await owner.query<{ name: string; definition: string }>(text)).rows;

const KEYS = `
  select quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where conrelid = 'ledger_transfer'::regclass and contype = 'f'`;

const INDEXES = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index i
   where indrelid = 'ledger_transfer'::regclass
     and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;

const GIFTS = `
  insert into audit_event (id, action, outcome, target_id, request_id)
  select id, 'bench.gift', 'done', id::text, 'bench' from billing_account where kind <> 'system'`;

// The number of accounts is known before the join, which can therefore be a hash join: with
// `count(*) over ()` beside the account it compared each transfer with all of them.
const TRANSFERS = `
  with account as materialized (
    select id, version, balance, row_number() over (order by id) - 1 as place
      from billing_account where kind <> 'system'),
  accounts as materialized (select count(*) as of from account)
  insert into ledger_transfer
         (idempotency_key, kind, debit_account_id, credit_account_id, amount, account_id, version,
          previous_balance, balance, reference_type, reference_id)
  select 'bench:' || n, 'promotion', '00000000-0000-4000-9000-000000000005', a.id, 10000, a.id,
         a.version + 1 + n / accounts.of, a.balance + 10000 * (n / accounts.of),
         a.balance + 10000 * (n / accounts.of + 1), 'bench', a.id
    from generate_series(0, $1::bigint - 1) n
   cross join accounts
    join account a on a.place = n % accounts.of
   order by n`;

const ACCOUNTS = `
  update billing_account a set version = last.version, balance = last.balance
    from (select distinct on (account_id) account_id, version, balance
            from ledger_transfer order by account_id, version desc) last
   where last.account_id = a.id and last.version > a.version`;
