import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../../billing/audit/ledger-audit.ts';
import { sql } from '../../db/sql.ts';
import { costBy } from '../../main/choose-agent.ts';
import {
  type ProviderRequest,
  startProvider,
} from '../../testing/fakes/model-provider/provider.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { KEY, MODEL } from '../../testing/fixtures/runner/gateway.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import type { AgentCommand } from '../agents/agent.ts';

/**
 * What a provider bills is never more than what a cap or a balance pays for: each request takes as
 * much as it can, and its answer may be cut or tell nothing.
 */

const harness = await startHarness();
const { db } = harness;
const costOf = costBy({ input: '3.00', output: '15.00' });

/** Nano-USD that the provider asks for, whatever it has told. */
let billed = 0n;
let answers = 0;
const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '思' } }] })}\n\n`;

/** Bills a token for each byte, and the longest answer that was asked for. */
function bill({ body }: ProviderRequest, response: ServerResponse): boolean {
  const input = Buffer.byteLength(JSON.stringify(body));
  const output = body.max_tokens ?? 32_000;
  billed += costOf({ inputTokens: input, outputTokens: output });
  answers += 1;
  const usage = { prompt_tokens: input, completion_tokens: output };
  const told = answers % 3 === 0 ? {} : { usage };
  if (!body.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ finish_reason: 'stop' }], ...told }));
    return true;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(piece, () => {
    if (answers % 2 === 0) response.destroy();
    else response.end(`data: ${JSON.stringify({ choices: [], ...told })}\n\n`);
  });
  return true;
}
/** What is done before the next answer begins. */
let before: (() => Promise<unknown>) | undefined;
const provider = await startProvider({
  reply: () => ({ text: '' }),
  handle: (asked, response) => {
    const first = before;
    before = undefined;
    if (first === undefined) return bill(asked, response);
    first().then(() => bill(asked, response));
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
const tasks = await agentsAtWork(harness, {
  agentOf: () => ({
    agent,
    modelId: MODEL,
    model: MODEL,
    sessionModel: undefined,
    provider: { id: 'scripted', api: 'openai', baseUrl: `${provider.url}/v1`, key: () => KEY },
    costOf,
  }),
});

const costs = (ids: string[]) =>
  db.one<{ spent: bigint; uncovered: bigint }>(sql`
    select coalesce(sum(spent_nano), 0)::bigint as spent,
           coalesce(sum(uncovered_nano), 0)::bigint as uncovered
      from task_turn where task_id = any(${ids}::uuid[])`);

const begin = () => {
  billed = 0n;
  answers = 0;
};

const noticesOf = async (id: string) =>
  (await tasks.eventsOf(id)).flatMap(({ type, text }) => (type === 'notice' ? [text] : []));

for (const { cap, prompt } of [
  { cap: 100_000n, prompt: 'Ask 5 times 8 at once' },
  { cap: 500_000n, prompt: 'Ask 5 times 50 at once max_tokens 1000' },
  { cap: 250_000n, prompt: 'Ask 20 times 8 at once max_tokens 2000, streamed' },
])
  test(`race: under a cap of ${cap} micro-USD, "${prompt}" is not billed more`, async () => {
    const { id } = await tasks.task({ balance: '100.00' });
    await db.many(sql`update task set spend_cap = ${cap} where id = ${id}`);
    begin();
    const worker = tasks.work();
    await tasks.queue(id, 'plan', prompt);
    await tasks.untilStatus(id, 'paused');
    await worker.close();
    assert.equal((await tasks.status(id)).reason, 'spend_cap');
    const { spent, uncovered } = await costs([id]);
    assert.ok(answers > 0);
    assert.ok(billed <= spent && spent <= cap * 1_000n, `${billed} ${spent}`);
    assert.equal(uncovered, 0n);
    assert.deepEqual((await auditLedger(db)).violations, []);
  });

test('race: two tasks of one balance are not billed more than it has', async () => {
  const { id, workspace, owner } = await tasks.task({ balance: '1.10' });
  const { project } = await db.one<{ project: string }>(sql`
    select project_id as project from task where id = ${id}`);
  const ids = [id, await harness.fixtures.task(project, owner)];
  begin();
  const worker = tasks.work();
  for (const one of ids) await tasks.queue(one, 'plan', 'Ask 50 times 8 at once max_tokens 5000');
  for (const one of ids) await tasks.untilStatus(one, 'paused');
  await worker.close();
  const { spent, uncovered } = await costs(ids);
  assert.ok(billed <= spent && spent <= 1_100_000_000n, `${billed} ${spent}`);
  assert.equal(uncovered, 0n);
  const { balance, held } = await db.one<{ balance: bigint; held: bigint }>(sql`
    select balance, held from billing_account where organization_id = ${workspace}`);
  assert.ok(balance >= 0n);
  assert.equal(held, 0n);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('a cap that leaves too little says so, and the task goes on when that much is there', async () => {
  const { id } = await tasks.task({ balance: '100.00' });
  await db.many(sql`update task set spend_cap = 10000 where id = ${id}`);
  begin();
  const worker = tasks.work();
  await tasks.queue(id, 'plan', 'Ask max_tokens 1000');
  await tasks.untilStatus(id, 'paused');
  await until('it is told', async () => (await noticesOf(id)).length > 0);
  assert.match(String((await noticesOf(id))[0]), /may cost 0\.03 USD, which is more than/);
  const { attempt } = await db.one<{ attempt: number }>(sql`
    select attempt from task_turn where task_id = ${id}`);
  // It does not try again and again meanwhile.
  assert.deepEqual([answers, attempt], [0, 1]);
  await db.many(sql`update task set spend_cap = 20000 where id = ${id}`);
  await harness.fixtures.task(
    (await db.one<{ p: string }>(sql`select project_id as p from task where id = ${id}`)).p,
    await harness.fixtures.user(),
  );
  assert.equal((await tasks.status(id)).status, 'paused');
  await db.many(sql`update task set spend_cap = 1000000 where id = ${id}`);
  await tasks.untilStatus(id, 'awaiting_approval');
  await worker.close();
  assert.equal(answers, 1);
});

test('a task that is deleted while its model answers has that answer charged', async () => {
  const { id, workspace, owner } = await tasks.task({ balance: '5.00' });
  begin();
  before = () => harness.request('DELETE', `/api/tasks/${id}`, { key: owner.key });
  const worker = tasks.work();
  await tasks.queue(id, 'plan', 'Ask max_tokens 20000');
  const usage = () =>
    db.many<{ nano: bigint }>(sql`
      select amount as nano from usage_event where task_id = ${id} and amount > 0`);
  await until('it is charged', async () => (await usage()).length > 0);
  await worker.close();
  const [charged, ...more] = await usage();
  assert.deepEqual(more, []);
  assert.ok(billed > 0n && billed <= (charged?.nano ?? 0n), `${billed} ${charged?.nano}`);
  const { balance, held } = await db.one<{ balance: bigint; held: bigint }>(sql`
    select balance, held from billing_account where organization_id = ${workspace}`);
  assert.equal(held, 0n);
  assert.equal(balance, 5_000_000n - (charged?.nano ?? 0n) / 1_000n);
  assert.deepEqual((await auditLedger(db)).violations, []);
});
