import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { costBy } from '../../main/choose-agent.ts';
import { startProvider } from '../../testing/fakes/model-provider/provider.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { KEY, MODEL } from '../../testing/fixtures/runner/gateway.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { AgentCommand } from '../agents/agent.ts';
import { networkOf } from '../network/network.ts';

/** Turns whose agent asks a model through the gateway, and their money. */

const harness = await startHarness({ own: true });
const { db } = harness;

let status = 200;
/** What an agent asks for as it ends its turn: it has arrived when the others are answered. */
const LEFT = 777;
let waits = false;
const order: string[] = [];
const left = Promise.withResolvers<void>();
const provider = await startProvider({
  reply: () => ({ text: 'The plan.', usage: { input: 100_000, output: 1_000, cached: 0 } }),
  handle({ body }, response) {
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"usage":{"prompt_tokens":100000,"completion_tokens":1000}}');
    };
    if (body.max_tokens === LEFT) {
      left.resolve();
      setTimeout(() => {
        order.push('answered');
        answer();
      }, 500);
      return true;
    }
    if (waits) {
      void left.promise.then(answer);
      return true;
    }
    if (status === 200) return false;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `no: ${KEY}` } }));
    return true;
  },
});
after(provider.close);

const folder = join(import.meta.dirname, '../../testing/fakes');
const agent: AgentCommand = {
  id: 'model-agent',
  command: 'node',
  args: [join(folder, 'model-agent.ts')],
  env: { MODEL_URL: '{base_url}', MODEL_TOKEN: '{token}', MODEL: '{model}' },
  readable: [folder],
};
const faults: string[] = [];
const hosts = { setup: [], agent: [], checks: [], deploy: [] };
const openNetwork = networkOf(db, { hosts, fixed: [], privateNetworks: [] });
const tasks = await agentsAtWork(harness, {
  onFault: (sentence) => faults.push(sentence),
  openNetwork: async (asked) => {
    const network = await openNetwork(asked);
    const close = async () => {
      await network.close();
      order.push('network closed');
    };
    return { ...network, close };
  },
  agentOf: () => ({
    agent,
    modelId: MODEL,
    model: MODEL,
    sessionModel: undefined,
    provider: { id: 'scripted', api: 'openai', baseUrl: `${provider.url}/v1`, key: () => KEY },
    // A request costs $0.30 and $0.015: less than a slice.
    costOf: costBy({ input: '3.00', output: '15.00' }),
  }),
});

const spentOn = async (id: string) =>
  (
    await db.one<{ spent: bigint }>(sql`
      select sum(spent_nano)::bigint as spent from task_turn where task_id = ${id}`)
  ).spent;
const usagesOf = async (id: string) =>
  (await tasks.eventsOf(id)).filter(({ type }) => type === 'usage');

test('what the gateway counts is charged once, and what the agent claims is not', async () => {
  const { id, workspace } = await tasks.task({ balance: '10.00' });
  tasks.work();
  await tasks.queue(id, 'plan', 'Ask 3 times');
  await tasks.untilStatus(id, 'awaiting_approval');
  assert.equal(await spentOn(id), 945_000_000n);
  const usages = await usagesOf(id);
  assert.equal(usages.length, 3);
  const one = { inputTokens: 100_000, outputTokens: 1_000, costNano: '315000000' };
  assert.deepEqual(usages[0], { type: 'usage', ...one });
  const { balance, held } = await db.one<{ balance: bigint; held: bigint }>(sql`
    select balance, held from billing_account where organization_id = ${workspace}`);
  assert.deepEqual([balance, held], [10_000_000n - 945_000n, 0n]);
  const used = await db.many(sql`
    select model, amount, input_tokens, output_tokens from usage_day where task_id = ${id}`);
  const tokens = { input_tokens: 300_000n, output_tokens: 3_000n };
  assert.deepEqual(used, [{ model: MODEL, amount: 945_000_000n, ...tokens }]);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('what an agent still asks as it ends its turn is charged by what it has used, and it reaches nothing else then', async () => {
  const { id } = await tasks.task({ balance: '10.00' });
  tasks.work();
  waits = true;
  order.length = 0;
  await tasks.queue(id, 'plan', 'Ask, and leave one');
  await tasks.untilStatus(id, 'awaiting_approval');
  waits = false;
  assert.deepEqual(order.slice(0, 2), ['network closed', 'answered']);
  const one = { inputTokens: 100_000, outputTokens: 1_000, costNano: '315000000' };
  assert.deepEqual(await usagesOf(id), [
    { type: 'usage', ...one },
    { type: 'usage', ...one },
  ]);
  assert.equal(await spentOn(id), 630_000_000n);
});

test('a balance that is used up pauses the task, and no further request is sent', async () => {
  const { id } = await tasks.task({ balance: '1.00' });
  const before = provider.requests.length;
  tasks.work();
  await tasks.queue(id, 'plan', 'Ask 50 times');
  await tasks.untilStatus(id, 'paused');
  assert.equal((await tasks.status(id)).reason, 'insufficient_funds');
  assert.ok(provider.requests.length - before <= 4, `${provider.requests.length - before}`);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('a cap of the task stops its model, too, exactly there', async () => {
  const { id } = await tasks.task({ balance: '100.00' });
  await db.many(sql`update task set spend_cap = 400000 where id = ${id}`);
  tasks.work();
  await tasks.queue(id, 'plan', 'Ask 50 times');
  await tasks.untilStatus(id, 'paused');
  assert.equal((await tasks.status(id)).reason, 'spend_cap');
  assert.equal(await spentOn(id), 400_000_000n);
});

for (const refusal of [401, 403])
  test(`a key that its provider refuses (${refusal}) ends the turn at once with a sentence, and is shown to no one`, async () => {
    const { id, owner } = await tasks.task();
    const [asked, reported] = [provider.requests.length, faults.length];
    status = refusal;
    tasks.work();
    // An agent that would try again for ever.
    await tasks.queue(id, 'plan', 'Ask 100000 times');
    await tasks.untilStatus(id, 'failed');
    status = 200;
    const { reason } = await tasks.status(id);
    assert.match(
      String(reason),
      new RegExp(`does not accept the key of this server \\(${refusal}\\)`),
    );
    assert.ok(provider.requests.length - asked < 100, String(provider.requests.length - asked));
    assert.equal(faults[reported], `The provider scripted does not accept its key (${refusal}).`);
    assert.deepEqual([await spentOn(id), await usagesOf(id)], [0n, []]);
    assert.ok(!JSON.stringify(await tasks.eventsOf(id)).includes(KEY));
    // Once the key is right, the next message works.
    await harness.request('POST', `/api/tasks/${id}/messages`, {
      key: owner.key,
      body: { text: 'Ask' },
    });
    await tasks.untilStatus(id, 'awaiting_approval');
  });
