import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { talk } from '../../testing/fixtures/runner/agents.ts';
import { makePod, makePods } from '../../testing/fixtures/runner/pods.ts';
import { until } from '../../testing/harness/until.ts';
import type { AgentCommand, StartAgent } from './agent.ts';

/** What real agents do although ACP does not say so, done by a scripted one. */

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});
const pods = await makePods({ after: (close) => closing.push(close as () => Promise<void>) });
const folder = join(import.meta.dirname, '../../testing/fakes');
const agent: AgentCommand = {
  id: 'scripted',
  command: 'node',
  args: [join(folder, 'scripted-agent.ts')],
  env: {},
  readable: [folder],
};

async function prompt(text: string, options: Partial<StartAgent> = {}) {
  const made = await talk(await makePod(pods), agent, options);
  const result = await made.session.prompt(text);
  await made.session.close();
  return { ...made, result };
}

const chosen = (text: string) => JSON.parse(text).outcome;

test('updates that the schema rejects are read as far as they go', async () => {
  const { result, updates } = await prompt('invalid');
  assert.equal(result.stopReason, 'done');
  assert.deepEqual(updates, [
    {
      type: 'tool_call',
      toolCallId: 't',
      title: 'Tool',
      kind: 'other',
      status: 'pending',
      content: [],
      locations: [],
    },
  ]);
});

test('what is no message on standard output is a notice', async () => {
  const { result, notices } = await prompt('garbage');
  assert.equal(result.stopReason, 'done');
  assert.deepEqual(notices, ['Loading model…', '{"half": ', '[]', '{"not": "rpc"}']);
});

test('a permission without a tool call shows one; in build, it is given', async () => {
  const { result, updates, requests } = await prompt('permission');
  assert.deepEqual(chosen(result.text), { outcome: 'selected', optionId: 'yes' });
  assert.equal(updates[0]?.type, 'tool_call');
  assert.deepEqual(requests, []);
});

test('in plan, a permission to edit or to run is refused, also without an option for it', async () => {
  const edit = await prompt('permission', { mode: 'plan' });
  assert.deepEqual(chosen(edit.result.text), { outcome: 'selected', optionId: 'no' });
  const run = await prompt('unrefusable', { mode: 'plan' });
  assert.deepEqual(chosen(run.result.text), { outcome: 'cancelled' });
  assert.deepEqual([...edit.requests, ...run.requests], []);
});

test('a change outside the work tree is a question for a person', async () => {
  const { requests } = await prompt('outside');
  assert.deepEqual(
    requests.map(({ kind, title }) => [kind, title]),
    [['permission', 'Edit']],
  );
});

test('options that are listed twice are shown once', async () => {
  const { requests } = await prompt('twice');
  assert.deepEqual(
    requests[0]?.options.map(({ id }) => id),
    ['yes', 'no'],
  );
});

test('a tool call that writes todos is a list of todos', async () => {
  const { updates } = await prompt('todos');
  assert.deepEqual(updates, [
    {
      type: 'todo',
      entries: [
        { content: 'one', status: 'completed', priority: 'medium' },
        { content: 'two', status: 'pending', priority: 'medium' },
      ],
    },
  ]);
});

test('cumulative costs in floats become exact increases; none is not zero', async () => {
  const { updates, result } = await prompt('costs');
  const costs = updates.flatMap((one) => (one.type === 'usage' ? one.usage.costNano : []));
  assert.deepEqual(costs, [100_000_000n, 200_000_000n]);
  assert.deepEqual(result.usage, { costNano: 300_000_000n });
  assert.equal((await prompt('message')).result.usage, undefined);
});

test('the text of a turn is the last message', async () => {
  assert.equal((await prompt('message')).result.text, 'The plan.');
});

test('where messages have names, notices between their pieces are not part of the text', async () => {
  const { result, updates } = await prompt('named');
  assert.equal(result.text, 'The plan.');
  const texts = updates.flatMap((one) => (one.type === 'message' ? [one] : []));
  assert.deepEqual(
    texts.map(({ messageId }) => messageId),
    [undefined, 'one', 'two', undefined, 'two', undefined],
  );
});

for (const [mode, confined, chosen] of [
  ['plan', true, 'all'],
  ['plan', false, 'read-only'],
  ['build', true, undefined],
] as const)
  test(`a ${mode} turn of an agent with a mode for confined pods, confined ${confined}: ${chosen}`, async () => {
    const command = { ...agent, args: [...agent.args, 'modes'], confinedPlanMode: 'all' };
    const { session } = await talk(await makePod(pods), command, { mode, confined });
    assert.equal((await session.prompt('mode')).text, String(chosen));
    await session.close();
  });

test('an empty chunk is no message', async () => {
  const { result, updates } = await prompt('empty');
  assert.equal(result.text, 'The plan.');
  assert.equal(updates.filter(({ type }) => type === 'message').length, 1);
});

test('a message that is longer than what is kept is cut; its pieces arrive all the same', async () => {
  const { result, updates } = await prompt('long');
  assert.equal(result.text.length, 400_000 - 38 - 1, 'without the spaces around it');
  assert.ok(result.text.endsWith(' 9999'));
  assert.equal(updates.filter(({ type }) => type === 'message').length, 11_000);
});

test('an agent that answers with an error fails the turn and goes on', async () => {
  const { session } = await talk(await makePod(pods), agent);
  const failed = await session.prompt('error');
  assert.deepEqual([failed.stopReason, failed.alive], ['failed', true]);
  assert.match(failed.error ?? '', /The model does not exist/);
  assert.equal((await session.prompt('message')).text, 'The plan.');
  await session.close();
});

test('an agent that exits in the middle fails the turn and says how', async () => {
  const { result } = await prompt('exit');
  assert.deepEqual([result.stopReason, result.alive], ['failed', false]);
  assert.match(result.error ?? '', /code 3/);
});

test('an agent that never answers is killed when it is cancelled', async () => {
  const { session } = await talk(await makePod(pods), agent, { deadlines: { cancel: 300 } });
  const turn = session.prompt('never');
  await session.cancel();
  assert.deepEqual([(await turn).stopReason, (await turn).alive], ['cancelled', false]);
});

test('nothing is read of a flood without room, and its agent can be cancelled', async () => {
  const full = Promise.withResolvers<void>();
  let read = 0;
  const { session } = await talk(await makePod(pods), agent, {
    deadlines: { cancel: 300 },
    onUpdate: () => ++read,
    room: () => (read < 10 ? undefined : full.promise),
  });
  const turn = session.prompt('flood');
  await until('a flood', () => read >= 10);
  await wait(200);
  assert.ok(read < 30, String(read));
  full.resolve();
  await session.cancel();
  assert.deepEqual([(await turn).stopReason, (await turn).alive], ['cancelled', false]);
});

test('an agent is cancelled while there is no room', async () => {
  let read = 0;
  const { session } = await talk(await makePod(pods), agent, {
    deadlines: { cancel: 300 },
    onUpdate: () => ++read,
    room: () => (read === 0 ? undefined : new Promise(() => undefined)),
  });
  const turn = session.prompt('flood');
  await until('a flood', () => read > 0);
  await session.cancel();
  assert.deepEqual([(await turn).stopReason, (await turn).alive], ['cancelled', false]);
});

test('nothing is read of an agent while very many of its questions are open', async () => {
  let asked = 0;
  const { session } = await talk(await makePod(pods), agent, {
    deadlines: { cancel: 300 },
    onRequest: () => {
      asked++;
      return new Promise(() => undefined);
    },
  });
  const turn = session.prompt('asks');
  await until('a flood', () => asked >= 1_000);
  await wait(200);
  assert.ok(asked < 2_000, String(asked));
  await session.cancel();
  assert.equal((await turn).stopReason, 'cancelled');
});

test('an agent that does not start is an error that says why', async () => {
  const pod = await makePod(pods);
  const silent = { ...agent, args: [...agent.args, 'silent'] };
  await assert.rejects(talk(pod, silent, { deadlines: { start: 800 } }), { code: 'timeout' });
  const missing = { ...agent, command: 'no-such-agent' };
  await assert.rejects(talk(pod, missing), { code: 'not_started', message: /no-such-agent/ });
  const signal = AbortSignal.abort();
  await assert.rejects(talk(pod, agent, { signal }), { code: 'aborted' });
});

test('an agent that connects to no MCP server by HTTP gets the commands alone, and the others are named', async () => {
  const unusable: string[] = [];
  const { result } = await prompt('mcp', {
    mcpServers: [
      { name: 'docs', url: 'https://mcp.example/mcp', headers: [] },
      { name: 'files', command: '/opt/files', args: ['a'], env: [{ name: 'B', value: 'c' }] },
    ],
    onUnusable: ({ name }) => unusable.push(name),
  });
  assert.deepEqual(JSON.parse(result.text), [
    { name: 'files', command: '/opt/files', args: ['a'], env: [{ name: 'B', value: 'c' }] },
  ]);
  assert.deepEqual(unusable, ['docs']);
});
