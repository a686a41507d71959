import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, owner: asOwner, request, db } = await startHarness();

// All tests share a database, and a search is over all of it: each has words of its own.
let words = 0;
const word = () => `quokka${++words}x`;

async function tenant(owner?: User) {
  const by = owner ?? (await fixtures.user());
  const workspace = await fixtures.workspace(by);
  const project = await fixtures.project({ organizationId: workspace });
  const add = async (title: string, ...messages: string[]) => {
    const { id } = await db.one<{ id: string }>(sql`
      insert into task (project_id, title, created_by_user_id)
      values (${project}, ${title}, ${by.id}) returning id`);
    for (const text of messages) await fixtures.message(id, by, text);
    return id;
  };
  return { owner: by, workspace, project, add };
}

const search = async ({ key }: User, q: string, more = '') =>
  request('GET', `/api/search?q=${encodeURIComponent(q)}${more}`, { key });
const titles = async (user: User, q: string, more = ''): Promise<string[]> =>
  (await search(user, q, more)).body.map(({ title }: { title: string }) => title);

test('200: all words in the title or in one message, the last as the beginning of one, in any case', async () => {
  const { owner, workspace, project, add } = await tenant();
  const w = word();
  const id = await add(
    'Ärger mit Rechnungen',
    `First`,
    `The ${w} is in src/orders/Über_Limit.ts, line 7`,
  );
  await add(`${w} in two`, 'limit alone');
  const [found, ...none] = (await search(owner, `${w} über lim`)).body;
  assert.deepEqual(none, []);
  assert.deepEqual(
    { ...found, updated_at: undefined },
    {
      task_id: id,
      title: 'Ärger mit Rechnungen',
      status: 'queued',
      archived: false,
      project_id: project,
      project_name: found.project_name,
      organization_id: workspace,
      found_in: 'message',
      message_number: 2,
      excerpt: `The ${w} is in src/orders/Über_Limit.ts, line 7`,
      updated_at: undefined,
    },
  );
  assert.deepEqual(await titles(owner, `${w.toUpperCase()} LIMIT.TS`), ['Ärger mit Rechnungen']);
  assert.deepEqual(await titles(owner, `${w} limits`), [], 'one word is missing');
  assert.deepEqual(await titles(owner, w.slice(1)), [`${w} in two`], 'a part of a title');
});

test('200: titles first, then what changed last, in pages; a task once, by its last message', async () => {
  const { owner, add } = await tenant();
  const w = word();
  const old = await add('Old', w, 'between', `${w} again`);
  await add(`In the title ${w}`, w);
  await add('New', w);
  await db.many(sql`update task set title = 'Old, renamed' where id = ${old}`);
  assert.deepEqual(await titles(owner, w), [`In the title ${w}`, 'Old, renamed', 'New']);
  const { body, headers } = await search(owner, w, '&limit=2');
  assert.deepEqual(
    body.map((each: { found_in: string; message_number: number }) => [
      each.found_in,
      each.message_number,
    ]),
    [
      ['title', 1],
      ['message', 3],
    ],
  );
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
  const second = await request('GET', next, { key: owner.key });
  assert.deepEqual([second.body.length, second.headers.get('link')], [1, null]);
  assert.equal(second.body[0].title, 'New');
});

test('200: archived ones too, and in a long message the part with the word', async () => {
  const { owner, add } = await tenant();
  const w = word();
  const id = await add('Long', `${'lorem '.repeat(2_000)}${w} end ${'ipsum '.repeat(2_000)}`);
  await db.many(sql`update task set archived_at = now() where id = ${id}`);
  const [{ excerpt, archived }] = (await search(owner, w)).body;
  assert.ok(archived);
  assert.match(excerpt, new RegExp(`^.{60}${w} end`));
  assert.ok(excerpt.length <= 240);
});

test('200: a person finds what is in projects that they can open now, and nothing else', async () => {
  const { owner, workspace, project, add } = await tenant();
  const w = word();
  await add(`Title ${w}`, 'x');
  await add('Message', w);
  const [stranger, viewer, guest, removed, unproven] = [
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
    await fixtures.user(),
  ];
  await tenant(stranger);
  await fixtures.member(workspace, viewer, 'viewer');
  await fixtures.member(workspace, removed);
  await fixtures.grant(project, guest, 'viewer');
  for (const each of [owner, viewer, guest, removed])
    assert.equal((await titles(each, w)).length, 2);
  assert.deepEqual(await titles(stranger, w), []);
  await fixtures.removeMember(workspace, removed.id);
  assert.deepEqual(await titles(removed, w), []);
  // The policy of two factors hides what it protects.
  await fixtures.member(workspace, unproven);
  assert.equal((await titles(unproven, w)).length, 2);
  await db.many(sql`update organization set require_2fa = true where id = ${workspace}`);
  assert.deepEqual(await titles(unproven, w), []);
  assert.equal((await titles(guest, w)).length, 2, 'it is a policy of members');
});

test('200: a key for one workspace finds what is in it alone', async () => {
  const owner = await fixtures.user();
  const [one, two] = [await tenant(owner), await tenant(owner)];
  const w = word();
  await one.add(`One ${w}`);
  await two.add(`Two ${w}`);
  assert.equal((await titles(owner, w)).length, 2);
  await asOwner(
    sql`update api_key set organization_id = ${two.workspace} where user_id = ${owner.id}`,
  );
  assert.deepEqual(await titles(owner, w), [`Two ${w}`]);
});

test('200: what looks like a pattern, an operator or markup is text; no word at all finds nothing', async () => {
  const { owner, add } = await tenant();
  const w = word();
  await add(`${w} 100% a_b (x|y) & 'z' \\ <b>`, 'x');
  for (const q of [
    `${w}:*`,
    `${w} & | ! ( )`,
    `'${w}'`,
    `${w}\\`,
    `${w}' || '`,
    `100% a_b (x|y) & 'z' \\ <b>`,
    `<b>${w}</b> <x`.replace('</b> <x', ' x'),
  ])
    assert.deepEqual((await titles(owner, q)).length, 1, q);
  for (const q of ['%%', '__', '!!!', ':*', '\u{1f600}\u{1f600}', '%_\\', '&|', `${w}%q`])
    assert.deepEqual(await titles(owner, q), [], q);
  // A task of the largest message, in which every word is another one of four bytes a letter.
  const letters = Array.from({ length: 50_000 }, (_, i) =>
    String.fromCodePoint(0x20000 + (i % 40_000)),
  ).join(' ');
  const many = await add('Many words', letters);
  await fixtures.message(many, owner, '\u{10400}'.repeat(100_000));
  await fixtures.message(many, owner, `${'a-b/c.d@e.f '.repeat(8_000)}${w}`);
  assert.deepEqual((await titles(owner, w)).length, 2);
});

test('422: less than two characters, more than 200, or none', async () => {
  const owner = await fixtures.user();
  for (const query of [
    '',
    '?q=',
    '?q=a',
    '?q=%20a%20',
    `?q=${'a'.repeat(201)}`,
    '?q=ab&cursor=x',
  ]) {
    const { status } = await request('GET', `/api/search${query}`, { key: owner.key });
    assert.equal(status, 422, query);
  }
});

test('200: what too many titles have is found in the newest tasks of the caller, not hidden by those of others', async () => {
  const { owner, add } = await tenant();
  const w = word();
  const other = await tenant();
  await add(`Mine ${w}`);
  await add('Said', `see ${w}`);
  await add('Neither', 'no');
  await asOwner(sql`
    insert into task (project_id, title, created_by_user_id)
    select ${other.project}, ${w} || n, ${other.owner.id} from generate_series(1, 10001) n`);
  assert.deepEqual(await titles(owner, w), [`Mine ${w}`, 'Said']);
  assert.deepEqual(await titles(await fixtures.user(), w), []);
});
