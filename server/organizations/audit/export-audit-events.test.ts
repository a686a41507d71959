import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, owner: asOwner } = await startHarness({ own: true });

const owner = await fixtures.user({ name: 'Ada "the Count" Byron' });
const workspace = await fixtures.workspace(owner);
const trail = `/api/organizations/${workspace}/audit-events`;

// More than a batch, some of them of the same moment.
await asOwner(sql`
  insert into audit_event (occurred_at, actor_user_id, action, outcome, target_id, organization_id,
                           before, after, request_id)
  select '2026-01-01T00:00:00Z'::timestamptz + n / 10 * interval '1 second', ${owner.id},
         'past.' || n % 2, 'done', 'target-' || n, ${workspace},
         jsonb_build_object('name', 'a, "b"'), jsonb_build_object('name', E'c\nd'), 'past'
    from generate_series(1, 2345) n`);

/** The cells of a file, by RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g,
  )) {
    if (quoted === undefined && plain === '' && end === '') break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

test('200: JSON lines hold the events of the list, in its order', async () => {
  const { status, headers, text } = await request('GET', `${trail}/export?format=jsonl`, owner);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  assert.equal(
    headers.get('content-disposition'),
    `attachment; filename="audit-events-${workspace}.jsonl"`,
  );
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(events.length, 2345);
  assert.equal(new Set(events.map(({ id }) => id)).size, 2345);
  const { body } = await request('GET', `${trail}?limit=200`, owner);
  assert.deepEqual(events.slice(0, 200), body);
});

test('200: CSV has a header line, and the same events with before and after as JSON', async () => {
  const { status, headers, text } = await request('GET', `${trail}/export`, owner);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
  assert.match(headers.get('content-disposition') ?? '', /\.csv"$/);
  const [head = [], ...rows] = parseCsv(text);
  assert.equal(rows.length, 2345);
  const { body } = await request('GET', `${trail}?limit=200`, owner);
  const shown = rows.slice(0, 200).map((row) =>
    Object.fromEntries(
      head.flatMap((name, i) => {
        const value = row[i] as string;
        if (value === '') return [];
        return [[name, name === 'before' || name === 'after' ? JSON.parse(value) : value]];
      }),
    ),
  );
  assert.deepEqual(shown, body);
});

test('200: a cell that a spreadsheet would run as a formula is inert', async () => {
  const names = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://x","y")'];
  const own = await fixtures.workspace(owner);
  for (const name of names) {
    const actor = await fixtures.user({ name });
    await db.many(sql`
      insert into audit_event (actor_user_id, action, outcome, target_id, organization_id,
        request_id)
      values (${actor.id}, 'past', 'done', E'\tx', ${own}, '\rx')`);
  }
  const { text } = await request('GET', `/api/organizations/${own}/audit-events/export`, owner);
  const [head = [], ...rows] = parseCsv(text);
  const cells = (name: string) => rows.map((row) => row[head.indexOf(name)]).toReversed();
  assert.deepEqual(
    cells('actor_name'),
    names.map((name) => `'${name}`),
  );
  assert.deepEqual(cells('target_id'), Array(5).fill("'\tx"));
});

test('200: filters narrow the file as they narrow the list; nothing found is an empty file', async () => {
  const lines = async (query: string) =>
    (await request('GET', `${trail}/export?${query}`, owner)).text.split('\n').length - 1;
  assert.equal(await lines('format=jsonl&action=past.1'), 1173);
  assert.equal(await lines('format=jsonl&target_id=target-7'), 1);
  assert.equal(await lines('format=jsonl&from=2026-01-01T00:00:10Z&to=2026-01-01T00:00:11Z'), 10);
  assert.equal(await lines('format=jsonl&action=nothing'), 0);
  assert.equal(await lines('action=nothing'), 1);
});

test('422: an unknown format; a period that ends before it begins', async () => {
  for (const [query, type] of [
    ['format=xml', 'literal_error'],
    ['from=2026-01-02T00:00Z&to=2026-01-01T00:00Z', 'from_after_to'],
  ]) {
    const { status, body } = await request('GET', `${trail}/export?${query}`, owner);
    assert.deepEqual([status, body.detail[0].type], [422, type]);
  }
});

test('HEAD answers the headers and reads nothing', async () => {
  const { status, headers, text } = await request('HEAD', `${trail}/export`, owner);
  assert.deepEqual(
    [status, headers.get('content-type'), text],
    [200, 'text/csv; charset=utf-8', ''],
  );
});
