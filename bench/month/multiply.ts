import type pg from 'pg';
import { SHAPES, SUBJECT } from './workshop.ts';

/** A row that a task has left, as text by column; `of` is the place of its task's shape. */
export interface Row extends Table {
  of: number;
  values: Record<string, string | null>;
}

interface Table {
  table: string;
  key: string[];
  /** Of the columns that are not generated. */
  types: Record<string, string>;
}

/** One more than a month, which is due to be removed after thirty and seven days. */
export const DAYS = 31;
const DAYS_OF_EVENTS = 8;
/** How many times each event is there: a turn of the sandbox agent has few. */
const EVENTS_TIMES = 5;

/** SQL: of which copies rows are still there. */
const KEPT: Record<string, string> = {
  task_event: 'c.has_events',
  task_change: `c.earlier < interval '1 hour'`,
};

/** Ids, those of commits, and the Idempotency-Keys of the client. */
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?:[0-9a-f]{40}|[0-9a-f]{32})\b/g;

/** The rows that have been inserted since the last call of what it returns. */
export async function newRows(owner: pg.Client): Promise<(of: number) => Promise<Row[]>> {
  const { rows: tables } = await owner.query<Table>(TABLES);
  await owner.query('create temp table seen (name text, key text[], primary key (name, key))');
  const read = async (of: number): Promise<Row[]> => {
    const all: Row[] = [];
    for (const { table, key, types } of tables) {
      const keyOf = `array[${key.map((column) => `${column}::text`)}]`;
      const { rows } = await owner.query<Row['values']>(`
        with new as (insert into seen select '${table}', ${keyOf} from ${table}
                     on conflict do nothing returning key)
        select ${Object.keys(types).map((column) => `"${column}"::text`)} from ${table}
         where ${of >= 0} and ${keyOf} in (select key from new) order by ctid`);
      for (const values of rows) all.push({ table, key, types, of, values });
    }
    return all;
  };
  await read(-1);
  return read;
}

const TABLES = `
  select c.relname as table,
         array_agg(a.attname::text order by a.attnum) filter (where a.attnum = any(k.conkey)) as key,
         json_object_agg(a.attname, format_type(a.atttypid, null) order by a.attnum)
           filter (where a.attgenerated = '') as types
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where k.contype = 'p' and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     and c.relname not in ('task_worker', 'schema_migration', 'schema_view', 'hourly_work',
                           'retention_work', 'project_storage', 'last_ledger_audit')
   group by c.relname order by c.relname`;

/**
 * Makes of what tasks have left a month of so many a day: inserts it once for each, with ids of its
 * own, in its project, and as much earlier as it is. Keys and triggers are not looked at meanwhile,
 * and every index is made again at the end.
 */
export async function multiply(
  owner: pg.Client,
  rows: readonly Row[],
  perDay: number,
  say: (line: string) => void,
): Promise<void> {
  const shapes = SHAPES.flatMap(({ of }, at) => Array.from({ length: of }, () => at));
  await owner.query(PLACES);
  await owner.query(COPIES, [perDay * DAYS, shapes, DAYS, DAYS_OF_EVENTS]);
  const tables = [...new Set(rows.map(({ table }) => table))];
  const otherId = await otherIds(owner);
  await owner.query("set session_replication_role = 'replica'");
  await owner.query(SWITCH_INDEXES, [tables, false]);
  for (const [at, row] of rows.entries()) {
    say(`row ${at} of ${rows.length}: ${row.table}`);
    const alike = rows.filter(({ table, of }) => table === row.table && of === row.of);
    await owner.query(insertion(owner, row, alike, otherId));
  }
  say('the chain of each balance');
  for (const text of CHAINS) await owner.query(text);
  await owner.query(SWITCH_INDEXES, [tables, true]);
  for (const table of tables) {
    say(`indexes of ${table}`);
    await owner.query(`reindex table ${table}`);
  }
  await owner.query("set session_replication_role = 'origin'");
  await owner.query('drop table copy, place');
  say('vacuum analyze');
  await owner.query('vacuum analyze');
  await owner.query('checkpoint');
}

/** Where tasks are; the first one is where the tasks were carried out. */
const PLACES = `
  create unlogged table place as
  select row_number() over (order by u.email <> 'w0-0@example.com', p.name <> 'Project 0', p.id) - 1 as n,
         p.id as project_id, o.id as organization_id, o.owner_user_id as user_id,
         a.id as account_id, k.id as key_id, r.id as repository_id, e.id as endpoint_id
    from project p
    join organization o on o.id = p.organization_id
    join app_user u on u.id = o.owner_user_id
    join billing_account a on a.organization_id = o.id
    join api_key k on k.user_id = u.id
    join repository r on r.project_id = p.id
    join webhook_endpoint e on e.organization_id = o.id`;

// From the oldest to the newest, so that rows and ids are in the order in which they come about.
const COPIES = `
  create unlogged table copy as
  select t.n, ($2::int[])[1 + t.n % cardinality($2::int[])] as of, t.earlier,
         (extract(epoch from t.earlier) * 1000)::bigint as earlier_ms,
         t.earlier < $4::int * interval '1 day' as has_events,
         row_number() over (partition by p.account_id order by t.n) as of_account,
         'a ' || (array['better', 'new', 'faster', 'missing', 'monthly', 'printed', 'shared'])[1 + t.n % 7]
           || ' ' || (array['invoice', 'report', 'price list', 'calendar', 'warehouse', 'approval', 'label',
                            'reminder', 'import', 'total', 'discount'])[1 + t.n % 11]
           || ' ' || t.n as subject,
         p.project_id, p.organization_id, p.user_id, p.account_id, p.key_id, p.repository_id,
         p.endpoint_id
    from (select n, (1 - n / $1::float8) * ($3::int * interval '1 day') as earlier
            from generate_series(0, $1::int - 1) n) t
    join place p on p.n = (t.n * 7919::bigint) % (select count(*) from place)`;

const SWITCH_INDEXES = `
  update pg_index set indisready = $2
   where indrelid = any(select t::regclass from unnest($1::text[]) t)`;

/** What refers to the row before it, of the same account. */
const CHAINS = [
  `update usage_settlement s set number = chain.number
     from (select id, row_number() over (partition by account_id order by number) as number
             from usage_settlement) chain
    where chain.id = s.id and chain.number <> s.number`,
  `update ledger_transfer t
      set version = chain.version, balance = chain.balance,
          previous_balance = chain.balance - chain.moved
     from (select id, moved, row_number() over account as version, sum(moved) over account as balance
             from (select id, account_id, version,
                          case when account_id = credit_account_id then amount else -amount end as moved
                     from ledger_transfer) moved
           window account as (partition by account_id order by version)) chain
    where chain.id = t.id and (chain.version <> t.version or chain.balance <> t.balance)`,
  `update billing_account a set version = last.version, balance = last.balance
     from (select distinct on (account_id) account_id, version, balance
             from ledger_transfer order by account_id, version desc) last
    where last.account_id = a.id and last.version > a.version`,
];

/** SQL: the id that stands for another one in a copy; undefined if it stands for itself. */
type OtherId = (id: string) => string | undefined;

/** Ids of the first project and its people are those of the copy's; others are made for it. */
async function otherIds(owner: pg.Client): Promise<OtherId> {
  const { rows } = await owner.query('select * from place order by n limit 1');
  const ids = new Map<string, string>();
  for (const [name, id] of Object.entries<string>(rows[0])) ids.set(id, `c.${name}`);
  return (id) => {
    if (id.startsWith('00000000-')) return undefined;
    const other = ids.get(id) ?? copied(id, ids.size);
    ids.set(id, other);
    return other;
  };
}

/** Of another id for each copy; one that begins with the time still does. */
function copied(id: string, at: number): string {
  const random = `md5(c.n || ' ${at}')`;
  if (id.length === 32) return random;
  if (id.length === 40) return `(${random} || substr(${random}, 1, 8))`;
  if (id[14] !== '7') return `${random}::uuid`;
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return `(lpad(to_hex(${ms} - c.earlier_ms), 12, '0') || '7' || substr(${random}, 1, 3) || '8'
           || substr(${random}, 4, 15))::uuid`;
}

function insertion(owner: pg.Client, row: Row, alike: readonly Row[], otherId: OtherId): string {
  const { table, of, values, types } = row;
  const special = specialOf(table, values, alike.indexOf(row), alike.length);
  const cells = Object.entries(values).map(([name, value]) => {
    const type = types[name] as string;
    if (special[name] !== undefined) return special[name];
    if (value === null) return 'null';
    if (type.startsWith('timestamp')) return `'${value}'::${type} - c.earlier`;
    if (type === 'date') return `('${value}'::date - c.earlier)::date`;
    if (type === 'uuid') return otherId(value) ?? `'${value}'::uuid`;
    return `${textOf(owner, value, otherId)}::${type}`;
  });
  const many = table === 'task_event' ? `, generate_series(0, ${EVENTS_TIMES - 1}) again` : '';
  return `insert into ${table} (${Object.keys(values).map((name) => `"${name}"`)})
          select ${cells.join(', ')} from copy c${many}
           where c.of = ${of} and ${KEPT[table] ?? true} order by c.n`;
}

/** What is not the same for all copies, besides ids, times and titles, of one of so many rows. */
function specialOf(
  table: string,
  { seq, last_seq }: Row['values'],
  at: number,
  count: number,
): Record<string, string> {
  // Of an account, one row follows the other.
  const number = `1000000 + c.of_account * 10 + ${at}`;
  const events = `${last_seq} * ${EVENTS_TIMES}`;
  if (table === 'ledger_transfer') return { version: number };
  if (table === 'usage_settlement') return { number, carried_in: '0', carried_out: '0' };
  if (table === 'pull_request') return { number };
  // A day after its last turn a pod is removed, and its time was counted long before.
  if (table === 'pod')
    return {
      state: `case when c.earlier > '1 day' then 'absent' else 'paused' end`,
      counted_until: 'null',
      uncounted_ms: '0',
    };
  if (table === 'task_event') return { seq: `${seq} + again * ${count}` };
  if (table === 'task_log')
    return { last_seq: events, first_seq: `case when c.has_events then 1 else ${events} + 1 end` };
  return {};
}

/** SQL of a text with the copy's ids and subject. */
function textOf(owner: pg.Client, text: string, otherId: OtherId): string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: id, index } of text.matchAll(ID)) {
    const other = otherId(id);
    if (other === undefined) continue;
    parts.push(owner.escapeLiteral(text.slice(from, index)), `${other}::text`);
    from = index + id.length;
  }
  parts.push(owner.escapeLiteral(text.slice(from)));
  const whole = `(${parts.join(' || ')})`;
  return text.includes(SUBJECT) ? `replace(${whole}, '${SUBJECT}', c.subject)` : whole;
}
