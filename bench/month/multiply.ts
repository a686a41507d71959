import type pg from 'pg';

/** A row that a task has left, as text by column; `of` is the place of its task's shape. */
export interface Row {
  table: string;
  of: number;
  values: Record<string, string | null>;
}

/** How many times each event is there: a turn of the sandbox agent has few. */
export const EVENTS_TIMES = 5;

/** SQL: of which copies rows are still there. */
const KEPT: Record<string, string> = {
  task_event: 'c.has_events',
  task_change: `c.earlier < interval '1 hour'`,
};

/** Ids, and those of commits. */
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])/g;

/** The rows that have been inserted since the last call of what it returns. */
export async function newRows(owner: pg.Client): Promise<(of: number) => Promise<Row[]>> {
  const keys = (await owner.query<{ table: string; key: string[] }>(KEYS)).rows;
  const seen = new Map<string, Set<string>>();
  const read = async (of: number): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const { table, key } of keys) {
      const before = seen.get(table) ?? new Set();
      seen.set(table, before);
      const { rows: found } = await owner.query(
        `select to_jsonb(array[${key.map((column) => `t.${column}::text`)}])::text as key, t.ctid
           from ${table} t`,
      );
      const added = found.filter(({ key: one }) => !before.has(one));
      for (const { key: one } of added) before.add(one);
      if (of < 0 || added.length === 0) continue;
      const columns = (await owner.query<{ name: string }>(COLUMNS, [table])).rows;
      const { rows: whole } = await owner.query(
        `select ${columns.map(({ name }) => `"${name}"::text`)} from ${table}
          where ctid = any($1::tid[]) order by ctid`,
        [added.map(({ ctid }) => ctid)],
      );
      for (const values of whole) rows.push({ table, of, values });
    }
    return rows;
  };
  await read(-1);
  return read;
}

const KEYS = `
  select c.relname as table, array_agg(a.attname::text order by a.attnum) as key
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(k.conkey)
   where k.contype = 'p' and c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     and c.relname not in ('task_worker', 'schema_migration', 'schema_view', 'hourly_work',
                           'retention_work', 'project_storage', 'last_ledger_audit')
   group by c.relname order by c.relname`;

const COLUMNS = `
  select attname as name from pg_attribute
   where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
   order by attnum`;

/**
 * Inserts what the tasks have left once for each row of `copy`: with ids of its own, in its project,
 * and as much earlier as the copy is. Keys and triggers are not looked at meanwhile, and every index
 * is made again at the end.
 */
export async function multiply(
  owner: pg.Client,
  rows: readonly Row[],
  subject: string,
  say: (line: string) => void,
): Promise<void> {
  const tables = [...new Set(rows.map(({ table }) => table))];
  const ids = new Map<string, string>();
  const places = await placesOf(owner);
  const expression = (id: string) => {
    const known = places.get(id);
    if (known !== undefined) return known;
    if (id.startsWith('00000000-')) return undefined;
    const found = ids.get(id) ?? copied(id, ids.size);
    ids.set(id, found);
    return found;
  };
  await owner.query("set session_replication_role = 'replica'");
  await owner.query(SWITCH_INDEXES, [tables, false]);
  for (const [at, row] of rows.entries()) {
    say(`row ${at} of ${rows.length}: ${row.table}`);
    await owner.query(await insertion(owner, row, { rows, subject, expression }));
  }
  say('the chain of each balance');
  for (const text of CHAINS) await owner.query(text);
  await owner.query(SWITCH_INDEXES, [tables, true]);
  for (const table of tables) {
    say(`indexes of ${table}`);
    await owner.query(`reindex table ${table}`);
  }
  await owner.query("set session_replication_role = 'origin'");
}

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

/** Of another id for each copy; one that begins with the time still does. */
function copied(id: string, at: number): string {
  const random = `md5(c.n || ' ${at}')`;
  if (!id.includes('-')) return `(${random} || substr(${random}, 1, 8))`;
  if (id[14] !== '7') return `${random}::uuid`;
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return `(lpad(to_hex(${ms} - c.earlier_ms), 12, '0') || '7' || substr(${random}, 1, 3) || '8'
           || substr(${random}, 4, 15))::uuid`;
}

/** Ids of what was there before: those of the first project and its people are those of the copy's. */
async function placesOf(owner: pg.Client): Promise<Map<string, string>> {
  const { rows } = await owner.query('select * from place order by n limit 1');
  return new Map(
    Object.entries(rows[0] as Record<string, string>).flatMap(([name, id]) =>
      name === 'n' ? [] : [[id, `c.${name}`]],
    ),
  );
}

interface Copying {
  rows: readonly Row[];
  subject: string;
  /** SQL: the id that stands for another one in a copy; undefined if it stands for itself. */
  expression: (id: string) => string | undefined;
}

async function insertion(
  owner: pg.Client,
  { table, of, values }: Row,
  { rows, subject, expression }: Copying,
): Promise<string> {
  const types = (
    await owner.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type
         from pg_attribute where attrelid = $1::regclass and attnum > 0`,
      [table],
    )
  ).rows;
  const alike = rows.filter((row) => row.table === table && row.of === of);
  const special = specialOf(table, values, alike);
  const cells = Object.entries(values).map(([name, value]) => {
    if (special[name] !== undefined) return special[name];
    const type = types.find((one) => one.name === name)?.type ?? 'text';
    if (value === null) return 'null';
    if (type.startsWith('timestamp')) return `'${value}'::${type} - c.earlier`;
    if (type === 'date') return `('${value}'::date - c.earlier)::date`;
    if (type === 'uuid') return expression(value) ?? `'${value}'::uuid`;
    return `${textOf(owner, value, { subject, expression })}::${type}`;
  });
  const many = table === 'task_event' ? `, generate_series(0, ${EVENTS_TIMES - 1}) again` : '';
  return `insert into ${table} (${Object.keys(values).map((name) => `"${name}"`)})
          select ${cells.join(', ')} from copy c${many}
           where c.of = ${of} and ${KEPT[table] ?? true} order by c.n`;
}

/** What is not the same for all copies, besides ids, times and titles. */
function specialOf(
  table: string,
  values: Row['values'],
  alike: readonly Row[],
): Record<string, string | undefined> {
  const at = alike.findIndex((row) => row.values === values);
  // Of an account, one row follows the other.
  const number = `1000000 + c.of_account * 10 + ${at}`;
  const events = `${values.last_seq} * ${EVENTS_TIMES}`;
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
  if (table === 'task_event') return { seq: `${values.seq} + again * ${alike.length}` };
  if (table === 'task_log')
    return { last_seq: events, first_seq: `case when c.has_events then 1 else ${events} + 1 end` };
  return {};
}

/** SQL of a text with the copy's ids and subject. */
function textOf(
  owner: pg.Client,
  text: string,
  { subject, expression }: Pick<Copying, 'subject' | 'expression'>,
): string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: id, index } of text.matchAll(ID)) {
    const other = expression(id);
    if (other === undefined) continue;
    parts.push(owner.escapeLiteral(text.slice(from, index)), `${other}::text`);
    from = index + id.length;
  }
  parts.push(owner.escapeLiteral(text.slice(from)));
  const whole = `(${parts.join(' || ')})`;
  return text.includes(subject) ? `replace(${whole}, '${subject}', c.subject)` : whole;
}
