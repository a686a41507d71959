import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { Processor } from '../cards/processor.ts';
import { sandbox } from '../cards/sandbox.ts';

/**
 * What an Idempotency-Key of add-funds stands for: one top-up, however long ago it was first asked
 * for.
 */

let fault: Partial<Processor> = {};
const { fixtures, request, db, unchanged } = await startHarness({
  waitAtMost: 50,
  processor: (database) =>
    new Proxy(sandbox(database), {
      get: (target, name) => (fault as never)[name] ?? (target as never)[name],
    }),
});
const UNKNOWN: Partial<Processor> = {
  confirm: async () => ({ kind: 'unknown', reason: 'timeout' }),
};

async function payer() {
  const user = await fixtures.user();
  const [card, other] = [await fixtures.card(user), await fixtures.card(user)];
  const workspace = await fixtures.workspace(user);
  const personal = '/api/billing/add-funds';
  const add = (
    idempotencyKey: string | undefined,
    { amount = 25, path = personal, from = card } = {},
  ) =>
    request('POST', path, {
      key: user.key,
      body: { amount, payment_method_id: from },
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    });
  const captured = async () =>
    (
      await db.many<{ amount: bigint }>(sql`
        select i.amount from sandbox_intent i join top_up t on t.processor_id = i.id
         where t.user_id = ${user.id} and i.status = 'succeeded' order by t.created_at`)
    ).map(({ amount }) => Number(amount / 1_000_000n));
  const forget = () => db.many(sql`delete from idempotency_key where user_id = ${user.id}`);
  return {
    user,
    other,
    workspace: `/api/organizations/${workspace}/billing/add-funds`,
    add,
    captured,
    forget,
  };
}

for (const when of ['right after a 202', 'after the answers of its key were forgotten'] as const) {
  test(`409 ${when}: another amount, card or balance under the key is refused, and the key goes on for its own request`, async () => {
    const { add, other, workspace, captured, forget } = await payer();
    fault = UNKNOWN;
    const first = await add('k');
    fault = {};
    assert.equal(first.status, 202);
    for (const different of [{ amount: 26 }, { from: other }, { path: workspace }]) {
      if (when !== 'right after a 202') await forget();
      const reply = await unchanged(() => add('k', different));
      assert.deepEqual([reply.status, reply.body.code], [409, 'idempotency_key_reused']);
    }
    const again = await add('k');
    assert.deepEqual([again.status, again.body.top_up_id], [200, first.body.top_up_id]);
    assert.deepEqual(await captured(), [25]);
  });
}

test('409: a key of another operation that could not be answered stays that operation’s', async () => {
  const { user, add } = await payer();
  fault = UNKNOWN;
  await add('k');
  fault = {};
  const path = '/api/billing/auto-reload';
  const headers = { 'idempotency-key': 'k' };
  const reply = await unchanged(() =>
    request('PUT', path, { key: user.key, body: { enabled: false }, headers }),
  );
  assert.deepEqual([reply.status, reply.body.code], [409, 'idempotency_key_reused']);
});

test('409: the key of a top-up that has ended, its answer forgotten, is not a key for another one', async () => {
  const { add, captured, forget } = await payer();
  const first = await add('k');
  await forget();
  assert.equal((await unchanged(() => add('k', { amount: 26 }))).status, 409);
  const again = await add('k');
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.deepEqual(await captured(), [25]);
});

test('two keys are two charges, also while the first is open; each key repeated is its own', async () => {
  const { add, captured, forget } = await payer();
  fault = UNKNOWN;
  const open = await Promise.all([add('a'), add('b'), add(undefined)]);
  fault = {};
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([202]));
  assert.equal(new Set(open.map(({ body }) => body.top_up_id)).size, 3);
  for (const [index, key] of ['a', 'b'].entries()) {
    const ended = await add(key);
    assert.deepEqual([ended.status, ended.body.top_up_id], [200, open[index]?.body.top_up_id]);
    await forget();
    assert.equal((await add(key)).body.top_up_id, ended.body.top_up_id);
  }
  assert.deepEqual(await captured(), [25, 25]);
  // Without a key it is joined by the like, and by nobody who has a key.
  const joined = await unchanged(() => add(undefined));
  assert.deepEqual([joined.status, joined.body.top_up_id], [202, open[2]?.body.top_up_id]);
});

test('race: ten keys at once, each sent three times, make ten charges', async () => {
  const { add, captured } = await payer();
  const keys = Array.from({ length: 10 }, (_, i) => `key ${i}`);
  const replies = await Promise.all([...keys, ...keys, ...keys].map((key) => add(key)));
  assert.equal(
    new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body.top_up_id)).size,
    10,
  );
  assert.deepEqual(await captured(), Array(10).fill(25));
});
