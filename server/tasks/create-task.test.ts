import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { titleOf } from './title.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  return { owner, workspace, project, path: `/api/projects/${project}/tasks` };
}

test('201: the task, its first message and its first turn, which plans, are there together', async () => {
  const { owner, project, path } = await tenant();
  const message = '\n  Sale orders\tneed approval \nAbove 5,000 by a manager.\r\n';
  const reply = await request('POST', path, { key: owner.key, body: { message } });
  assert.equal(reply.status, 201);
  const { id, created_at, updated_at, available_actions, ...rest } = reply.body;
  assert.deepEqual(rest, {
    project_id: project,
    title: 'Sale orders need approval',
    status: 'queued',
    model: 'sandbox',
    spend: { amount: '0.00' },
    created_by_user_id: owner.id,
    archived: false,
  });
  assert.equal(reply.headers.get('location'), `/api/tasks/${id}`);
  const shown = await request('GET', `/api/tasks/${id}`, { key: owner.key });
  assert.deepEqual(
    [shown.body, shown.headers.get('etag')],
    [{ ...reply.body, as_of_seq: 0 }, reply.headers.get('etag')],
  );
  const [turn, ...moreTurns] = await db.many(sql`
    select number, kind, state, prompt, requested_by_user_id, plan_version
      from task_turn where task_id = ${id}`);
  assert.deepEqual(turn, {
    number: 1,
    kind: 'plan',
    state: 'queued',
    prompt: message,
    requested_by_user_id: owner.id,
    plan_version: null,
  });
  const [kept, ...moreMessages] = await db.many(sql`
    select m.number, m.role, m.content, m.author_user_id, t.number as turn
      from task_message m join task_turn t on t.id = m.turn_id where m.task_id = ${id}`);
  assert.deepEqual(kept, {
    number: 1,
    role: 'user',
    content: message,
    author_user_id: owner.id,
    turn: 1,
  });
  assert.deepEqual([moreTurns, moreMessages], [[], []]);
});

test('201: title, model and cap as given; the model of the project otherwise', async () => {
  const { owner, project, path } = await tenant();
  const body = { message: 'Do it', title: ' Short ', model: 'sandbox', spend_cap: '2.5' };
  const given = await request('POST', path, { key: owner.key, body });
  assert.deepEqual(
    [given.body.title, given.body.model, given.body.spend],
    ['Short', 'sandbox', { amount: '0.00', cap: '2.50' }],
  );
  await db.many(sql`update project set default_model = 'big-one' where id = ${project}`);
  const plain = await request('POST', path, { key: owner.key, body: { message: 'Do it' } });
  assert.equal(plain.body.model, 'big-one');
});

test('409: in an archived project', async () => {
  const { owner, project, path } = await tenant();
  const body = { message: 'Do it' };
  await db.many(sql`update project set archived_at = now() where id = ${project}`);
  const reply = await unchanged(() => request('POST', path, { key: owner.key, body }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'project_archived']);
});

test('422: no message, an empty one, a model that is not offered, a title of several lines', async () => {
  const { owner, path } = await tenant();
  for (const [body, field, type] of [
    [{}, 'message', 'missing'],
    [{ message: ' \n\t ' }, 'message', 'string_too_short'],
    [{ message: 'x'.repeat(100_001) }, 'message', 'string_too_long'],
    [{ message: 'a\u0000b' }, 'message', 'control_characters'],
    [{ message: 'Do it', model: 'unheard-of' }, 'model', 'model_not_offered'],
    [{ message: 'Do it', title: 'a\nb' }, 'title', 'control_characters'],
    [{ message: 'Do it', spend_cap: '0' }, 'spend_cap', 'greater_than_equal'],
  ] as const) {
    const { status, body: answer } = await unchanged(() =>
      request('POST', path, { key: owner.key, body }),
    );
    assert.equal(status, 422, JSON.stringify(answer));
    assert.deepEqual([answer.detail[0].loc, answer.detail[0].type], [['body', field], type], field);
  }
});

test('race: archiving the project against new tasks: after the answer to the update there is no new one', async () => {
  for (let round = 0; round < 10; round++) {
    const { owner, project, path } = await tenant();
    const create = () => request('POST', path, { key: owner.key, body: { message: 'Do it' } });
    let archived = false;
    const update = request('PUT', `/api/projects/${project}`, {
      key: owner.key,
      body: { archived: true },
    }).then((reply) => {
      archived = true;
      return reply;
    });
    const late: number[] = [];
    const replies = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i));
        const isLate = archived;
        const reply = await create();
        if (isLate) late.push(reply.status);
        return reply.status;
      }),
    );
    assert.equal((await update).status, 200);
    assert.ok(
      replies.every((status) => status === 201 || status === 409),
      String(replies),
    );
    assert.ok(
      late.every((status) => status === 409),
      String(late),
    );
    assert.equal(
      (await db.many(sql`select id from task where project_id = ${project}`)).length,
      replies.filter((status) => status === 201).length,
    );
    assert.equal((await create()).status, 409);
  }
});

test('a title from a message: its first line with something on it, cut between characters', () => {
  assert.equal(titleOf('\r\n  \n One\u00a0 two \nthree'), 'One two');
  const long = titleOf(`${'😀'.repeat(400)}\nmore`);
  assert.deepEqual([[...long].length, long.at(-1)], [300, '…']);
  assert.ok(long.isWellFormed());
  assert.equal(titleOf('x'.repeat(300)), 'x'.repeat(300));
  // Between the parts of an emoji a joiner would be left over.
  assert.equal(titleOf(`${'x'.repeat(297)}👨\u200d👩\u200d👧`), `${'x'.repeat(297)}👨…`);
});

test('a title can be seen: an invisible one is refused, and none is made of an invisible line', async () => {
  const { owner, project } = await tenant();
  const create = (body: object) =>
    request('POST', `/api/projects/${project}/tasks`, { key: owner.key, body });
  for (const [title, type] of [
    ['\u202e', 'character_not_allowed'],
    ['Pay \u202eecioVni', 'character_not_allowed'],
    ['\u0301', 'no_visible_character'],
  ]) {
    const reply = await unchanged(() => create({ message: 'Do it', title }));
    const [fault] = reply.body.detail;
    assert.deepEqual([reply.status, fault.loc, fault.type], [422, ['body', 'title'], type]);
  }
  const made = await create({ message: '\u202e\n\u200bPay\u202e this\n' });
  assert.deepEqual([made.status, made.body.title], [201, 'Pay this']);
  assert.equal((await create({ message: '\u202e' })).body.title, 'Untitled');
});
