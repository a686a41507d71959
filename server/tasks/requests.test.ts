import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

async function tenant() {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  const path = `/api/tasks/${task}/requests`;
  const answer = (id: string, body: object, key = owner.key) =>
    request('POST', `${path}/${id}/answer`, { key, body });
  const list = async (query = '') =>
    (await request('GET', `${path}${query}`, { key: owner.key })).body;
  return { owner, workspace, project, task, answer, list };
}

test('200: an option or a text answers; the list shows what was answered and by whom', async () => {
  const { owner, task, answer, list } = await tenant();
  const [choice, open] = [await fixtures.request(task), await fixtures.request(task, [])];
  assert.deepEqual(
    (await list('?status=open')).map(({ id }: { id: string }) => id),
    [choice, open],
  );
  const chosen = await answer(choice, { option_id: 'no' });
  const { created_at, ended_at, ...rest } = chosen.body;
  assert.deepEqual(rest, {
    id: choice,
    task_id: task,
    kind: 'question',
    title: 'Go on?',
    options: [
      { id: 'yes', name: 'Yes' },
      { id: 'no', name: 'No' },
    ],
    status: 'answered',
    answer: { option_id: 'no' },
    answered_by_user_id: owner.id,
    available_actions: [],
  });
  assert.ok(ended_at >= created_at);
  const answered = await answer(open, { text: 'Two\nlines' });
  assert.deepEqual([answered.status, answered.body.answer], [200, { text: 'Two\nlines' }]);
  assert.deepEqual(await list('?status=answered'), [chosen.body, answered.body]);
});

test('409, 422: what has ended; no option of the request; both answers or none', async () => {
  const { task, answer } = await tenant();
  const [choice, open] = [await fixtures.request(task), await fixtures.request(task, [])];
  for (const [id, body, type] of [
    [choice, {}, 'one_answer_required'],
    [choice, { option_id: 'yes', text: 'x' }, 'one_answer_required'],
    [choice, { option_id: 'maybe' }, 'option_not_found'],
    [choice, { text: 'yes' }, 'option_required'],
    [open, { option_id: 'yes' }, 'option_not_found'],
    [open, { text: ' ' }, 'string_too_short'],
  ] as const) {
    const reply = await unchanged(() => answer(id, body));
    assert.deepEqual([reply.status, reply.body.detail[0].type], [422, type]);
  }
  await answer(choice, { option_id: 'yes' });
  await db.many(sql`
    update agent_request set state = 'withdrawn', ended_at = now() where id = ${open}`);
  for (const [id, body] of [
    [choice, { option_id: 'no' }],
    [open, { text: 'x' }],
  ] as const) {
    const reply = await unchanged(() => answer(id, body));
    assert.deepEqual([reply.status, reply.body.code], [409, 'request_ended']);
  }
});

test('race: answers against each other and against the agent that withdraws: one of them ends the request', async () => {
  for (let round = 0; round < 15; round++) {
    const { task, answer, list } = await tenant();
    const id = await fixtures.request(task);
    const withdraw = db.many(sql`
      update agent_request set state = 'withdrawn', ended_at = clock_timestamp()
       where id = ${id} and state = 'open' returning id`);
    const [withdrawn, ...replies] = await Promise.all([
      withdraw,
      answer(id, { option_id: 'yes' }),
      answer(id, { option_id: 'no' }),
      answer(id, { option_id: 'yes' }),
    ]);
    const won = replies.filter(({ status }) => status === 200);
    assert.equal(won.length + withdrawn.length, 1);
    assert.ok(replies.every(({ status }) => status === 200 || status === 409));
    const [{ status, answer: kept }] = await list();
    assert.deepEqual(
      [status, kept],
      won[0] === undefined ? ['withdrawn', undefined] : ['answered', won[0].body.answer],
    );
  }
});
