import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { talk } from '../../../testing/fixtures/runner/agents.ts';
import { makePod, makePods } from '../../../testing/fixtures/runner/pods.ts';
import type { StartAgent } from '../agent.ts';
import { sandboxAgent } from '../sandbox-agent.ts';

/** The sandbox agent in a pod, through the driver: every state that it can be brought into. */

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});
const pods = await makePods({ after: (close) => closing.push(close as () => Promise<void>) });

async function start(options: Partial<StartAgent> = {}) {
  const pod = options.pod ?? (await makePod(pods));
  const made = await talk(pod, sandboxAgent, { ...options, pod });
  closing.unshift(() => made.session.close());
  return { ...made, pod };
}

const kinds = (updates: { type: string }[]) => [...new Set(updates.map(({ type }) => type))];

test('a plan turn writes a plan and changes nothing', async () => {
  const { session, updates, pod } = await start({ mode: 'plan' });
  const result = await session.prompt('Add docs/invoice.md about invoices');
  assert.equal(result.stopReason, 'done', String(result.error));
  for (const part of ['## Files', '- `docs/invoice.md` (create)', '## Steps', '## Tests'])
    assert.ok(result.text.includes(part), result.text);
  assert.deepEqual(kinds(updates), [
    'thought',
    'tool_call',
    'tool_call_update',
    'message',
    'usage',
  ]);
  assert.equal(result.usage?.costNano, 2_000_000n);
  assert.ok((result.usage?.outputTokens ?? 0) > 10);
  assert.deepEqual(await pod.files.list(''), []);
});

test('a folder that may not be read is left out', async () => {
  const { session, pod } = await start({ mode: 'plan' });
  const script = 'mkdir open closed && touch open/a.txt closed/b.txt && chmod 000 closed';
  const made = await pod.exec({ command: 'sh', args: ['-c', script], tree: 'writable' });
  await made.exited;
  const result = await session.prompt('Change open/a.txt and closed/b.txt');
  assert.equal(result.stopReason, 'done', String(result.error));
  assert.ok(result.text.includes('- `open/a.txt` (change)'), result.text);
});

test('a build turn writes the files of the plan and runs a command', async () => {
  const planning = await start({ mode: 'plan' });
  const { text } = await planning.session.prompt('Add docs/invoice.md and src/invoice.py');
  await planning.session.close();
  const { session, updates, pod } = await start({ pod: planning.pod });
  const result = await session.prompt(text);
  assert.equal(result.stopReason, 'done', String(result.error));
  const written = await pod.files.read('docs/invoice.md', { maxBytes: 1000 });
  assert.equal(String(written), '- Add docs/invoice.md and src/invoice.py\n');
  assert.ok(await pod.files.read('src/invoice.py', { maxBytes: 1000 }));
  const calls = updates.filter((update) => update.type === 'tool_call');
  assert.deepEqual(
    calls.map(({ kind }) => kind),
    ['edit', 'edit', 'execute'],
  );
  assert.ok(updates.some(({ type }) => type === 'todo'));
  assert.equal(result.usage?.costNano, 5_000_000n);
});

test('[[ask]] asks a person and uses the answer', async () => {
  const { session, requests } = await start({ mode: 'plan' });
  const { text } = await session.prompt('Write a.md [[ask]]');
  assert.deepEqual(
    requests.map(({ kind, options }) => [kind, options.map(({ id }) => id)]),
    [['question', ['Short', 'Thorough']]],
  );
  assert.ok(text.includes('# Plan'));
});

test('[[permission]] asks a person in the build, by way of the plan', async () => {
  const { session, requests, pod } = await start({ mode: 'plan' });
  const { text } = await session.prompt('Write a.md [[permission]]');
  assert.ok(requests.length === 0 && text.includes('[[permission]]'));
  const building = await start({ pod });
  assert.equal((await building.session.prompt(text)).stopReason, 'done');
  assert.deepEqual(
    building.requests.map(({ kind }) => kind),
    ['permission'],
  );
});

test('[[cost 0.40]] costs that, and each turn only its own part', async () => {
  const { session } = await start();
  assert.equal((await session.prompt('x [[cost 0.40]]')).usage?.costNano, 400_000_000n);
  assert.equal((await session.prompt('x [[cost 0.1]]')).usage?.costNano, 100_000_000n);
});

test('[[fail]] fails the turn and the session goes on; [[crash]] ends both', async () => {
  const { session } = await start();
  const failed = await session.prompt('x [[fail]]');
  assert.deepEqual([failed.stopReason, failed.alive], ['failed', true]);
  assert.equal((await session.prompt('x')).stopReason, 'done');
  const crashed = await session.prompt('x [[crash]]');
  assert.deepEqual([crashed.stopReason, crashed.alive], ['failed', false]);
  assert.match(crashed.error ?? '', /code 70/);
  await session.ended;
});

test('[[large]] writes a long message', async () => {
  const { session, updates } = await start({ mode: 'plan' });
  await session.prompt('x [[large]]');
  const written = updates.flatMap((update) => (update.type === 'message' ? update.text : []));
  assert.ok(written.join('').length > 262_144);
});

test('[[slow]] is cancelled at once; [[hang]] is killed', async () => {
  const { session } = await start();
  const slow = session.prompt('x [[slow 60]]');
  await session.cancel();
  assert.equal((await slow).stopReason, 'cancelled');
  assert.ok((await slow).alive);
  const { session: deaf } = await start({ deadlines: { cancel: 500 } });
  const hanging = deaf.prompt('x [[hang]]');
  await new Promise((resolve) => setTimeout(resolve, 100));
  await deaf.cancel();
  const { stopReason, alive } = await hanging;
  assert.deepEqual([stopReason, alive], ['cancelled', false]);
});

test('a session is continued by another process; one that is lost is begun anew', async () => {
  const { session, pod } = await start();
  await session.prompt('x [[cost 1]]');
  await session.close();
  const resume = session.sessionId;
  const again = await start({ pod, resume, spentBefore: 1_000_000_000n });
  assert.deepEqual([again.session.resumed, again.session.sessionId], [true, resume]);
  assert.equal((await again.session.prompt('x [[cost 0.5]]')).usage?.costNano, 500_000_000n);
  const unknown = { resume: '00000000-0000-4000-8000-000000000000', spentBefore: 1_000_000_000n };
  const lost = await start({ pod, ...unknown });
  assert.equal(lost.session.resumed, false);
  // Nothing of what was spent before belongs to the new session.
  assert.equal((await lost.session.prompt('x [[cost 3]]')).usage?.costNano, 3_000_000_000n);
});

test('instructions are not taken for the message', async () => {
  const { session } = await start({ mode: 'plan' });
  const { text } = await session.prompt('Write a.md', 'Make a plan. [[fail]]');
  assert.match(text, /^# Plan\n\nWrite a\.md\n/);
});
