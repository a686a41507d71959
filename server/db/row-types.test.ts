import assert from 'node:assert/strict';
import { glob, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { cloneDatabase } from '../testing/database/database.ts';

/**
 * The types of rows are asserted by hand. Here those that an operation names in its own file are
 * compared with the columns that PostgreSQL says its recorded statements have (`statements/`).
 */

const SERVER = join(import.meta.dirname, '..');
const STATEMENTS = join(import.meta.dirname, 'statements');

/** Rows of statements that the samples of their operations do not send. */
const NOT_RECORDED = [
  'erp/instances/start-odoo-instance.ts: { running }',
  'projects/list-branches.ts: { id }',
];

/** The type of each column, by its name. */
type Columns = Map<string, string>;

const clone = await cloneDatabase();
const client = new pg.Client({ connectionString: clone.url });
await client.connect();
after(async () => {
  await client.end();
  await clone.drop();
});

/** What PostgreSQL would answer with, without a run: `pg` itself only asks for both. */
function columnsOf(text: string): Promise<Columns> {
  const { promise, resolve, reject } = Promise.withResolvers<Columns>();
  let columns: Columns = new Map();
  const query = {
    submit(connection: pg.Connection) {
      connection.parse({ name: '', text, types: [] }, true);
      connection.describe({ type: 'S', name: '' }, true);
      connection.sync();
    },
    handleRowDescription({ fields }: { fields: pg.FieldDef[] }) {
      columns = new Map(fields.map(({ name, dataTypeID }) => [name, KINDS[dataTypeID] ?? 'any']));
    },
    handleError: (error: Error) => reject(new Error(`${error.message}: ${text}`)),
    handleReadyForQuery: () => resolve(columns),
  };
  client.query(query as unknown as pg.Submittable);
  return promise;
}

const { BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, TEXT, UUID, VARCHAR } = pg.types.builtins;
/** What `pg` makes of the types that it is asked for here; of others, something else. */
const KINDS: Record<number, string> = {
  [BOOL]: 'boolean',
  [INT2]: 'number',
  [INT4]: 'number',
  [FLOAT4]: 'number',
  [FLOAT8]: 'number',
  [INT8]: 'bigint',
  [NUMERIC]: 'string',
  [TEXT]: 'string',
  [UUID]: 'string',
  [VARCHAR]: 'string',
};

/** The statements of each operation. */
async function recorded(): Promise<Map<string, Columns[]>> {
  const all = new Map<string, Columns[]>();
  for (const name of await readdir(STATEMENTS)) {
    const statements = (await readFile(join(STATEMENTS, name), 'utf8'))
      .split(/;\n/)
      .map((text) => text.replace(/^(\s*--.*\n)+/, '').trim())
      .filter((text) => /^(with|select|insert|update|delete)\b/.test(text));
    const columns: Columns[] = [];
    for (const statement of statements) columns.push(await columnsOf(statement));
    all.set(name.replace('.sql', ''), columns);
  }
  return all;
}

/** `source` from `at`, an opening bracket, to the one that closes it, without both. */
function within(source: string, at: number): string {
  let depth = 0;
  for (let end = at; end < source.length; end++) {
    if ('<{(['.includes(source[end] as string)) depth++;
    if ('>})]'.includes(source[end] as string) && source[end - 1] !== '=') depth--;
    if (depth === 0) return source.slice(at + 1, end);
  }
  return '';
}

/** The fields of a type of a row; undefined if it is made of types of other files. */
function fieldsOf(type: string, source: string): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const part of type.split('&').map((each) => each.trim())) {
    const named = new RegExp(`^(?:export )?(?:interface ${part}|type ${part} =) (?=\\{)`, 'm');
    const found = /^\w+$/.test(part) ? named.exec(source) : undefined;
    const body = part.startsWith('{')
      ? part.slice(1, -1)
      : found && within(source, found.index + found[0].length);
    if (part === 'Shown') for (const name of ['item', 'revision']) fields.set(name, 'string');
    else if (!body) return undefined;
    else
      for (const [, name = '', is = ''] of body.matchAll(/(?:^|[;{\n])\s*(\w+)\??: ([^;]+)/g))
        fields.set(name, is.replace(/ \| null\b/, '').trim());
  }
  return fields;
}

/** The types of rows that a file names where it sends statements. */
const rowsOf = (source: string): Map<string, string>[] =>
  [...source.matchAll(/\b(?:statement|many|one|maybeOne|read|write)(?=<)/g)]
    .map((called) => fieldsOf(within(source, called.index + called[0].length), source))
    .filter((fields) => fields !== undefined);

/** Whether a statement with these columns has such rows. */
const isOf = (fields: Map<string, string>, columns: Columns): boolean =>
  [...fields].every(([name, type]) => {
    const kind = columns.get(name);
    return kind === type || kind === 'any' || (kind !== undefined && !PLAIN.includes(type));
  });

const PLAIN = ['string', 'number', 'boolean', 'bigint'];

test('the rows that operations name are those of their statements', async () => {
  const all = await recorded();
  const faults: string[] = [];
  let compared = 0;
  for await (const file of glob('**/*.ts', { cwd: SERVER, exclude: ['testing/**'] })) {
    const source = await readFile(join(SERVER, file), 'utf8');
    const operations = source.matchAll(/operationId: '(\w+)'/g);
    const statements = [...operations].flatMap(([, id = '']) => all.get(id) ?? []);
    if (statements.length === 0) continue;
    for (const fields of rowsOf(source)) {
      compared++;
      if (!statements.some((columns) => isOf(fields, columns)))
        faults.push(`${file}: { ${[...fields.keys()].join(', ')} }`);
    }
  }
  assert.deepEqual(faults.sort(), NOT_RECORDED);
  assert.ok(compared > 100, `${compared} compared`);
});

test('found: a column that is missing, misspelt or of another type', () => {
  const columns: Columns = new Map([
    ['id', 'string'],
    ['total', 'string'],
  ]);
  for (const [source, expected] of [
    ['one<{ id: string; total: string | null }>(', [true]],
    ["one<{ id: string; total: 'a' | 'b' }>(", [true]],
    ['one<Shown & { id: string }>(', [false]],
    ['one<{ id: string; sum: string }>(', [false]],
    ['one<{ id: string; total: number }>(', [false]],
    ['interface Row {\n  id: string;\n  totals: string;\n}\nmany<Row>(', [false]],
    ['many<OfAnotherFile>(', []],
  ] as const)
    assert.deepEqual(
      rowsOf(source).map((fields) => isOf(fields, columns)),
      expected,
      source,
    );
});
