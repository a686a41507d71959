import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { openDatabase } from '../../db/database/database.ts';
import { openTracing } from '../../telemetry/opentelemetry.ts';
import { databaseTrace } from '../../telemetry/spans.ts';
import { startCollector } from '../../testing/clients/collector.ts';
import { workersOn } from '../../testing/fixtures/runner/worker.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { TurnFailed } from './runner.ts';

/** The spans of turns, as a receiver gets them. */

const harness = await startHarness({ own: true });
const tasks = workersOn(harness);
const database = openDatabase({ url: harness.databaseUrl, trace: databaseTrace });
after(database.close);

async function startTracing() {
  const collector = await startCollector();
  const sampler = { name: 'always_on', ratio: 1 } as const;
  const log = pino({ level: 'silent' });
  const url = `${collector.url}/v1/traces`;
  return { collector, tracing: openTracing({ url, sampler }, log) };
}

test('a turn is a trace of its claim, its agent and its end, without a word of anyone', async () => {
  const { collector, tracing } = await startTracing();
  const { id } = await tasks.task();
  const planned = await tasks.queue(id, 'plan', 'sk_live_prompt');
  const failed = await tasks.queue(id, 'prompt', 'fail');
  const worker = tasks.worker(
    async ({ prompt }, { append, charge }) => {
      await append({ type: 'notice', payload: { text: 'overheard' } });
      await charge(1_000_000n);
      if (prompt === 'fail') throw new TurnFailed('quotes overheard things');
      return { text: 'overheard plan' };
    },
    { database, trace: tracing.beginWork },
  );
  await tasks.untilPublished(planned);
  await tasks.untilPublished(failed);
  await worker.close();
  await tracing.close();
  collector.close();

  const turns = collector.spans.filter(({ name }) => name === 'turn');
  const of = (turnId: string) => {
    const [turn] = turns.filter(({ attributes }) => attributes['guildhall.turn.id'] === turnId);
    assert.ok(turn !== undefined);
    return turn;
  };
  const shown = ({ status, kind, parentSpanId, attributes }: ReturnType<typeof of>) => [
    status === 2,
    kind,
    parentSpanId,
    attributes['guildhall.turn.kind'],
    attributes['guildhall.turn.result'],
  ];
  assert.deepEqual(shown(of(planned)), [false, 1, undefined, 'plan', 'done']);
  assert.deepEqual(shown(of(failed)), [true, 1, undefined, 'prompt', 'failed']);

  const childrenOf = (spanId: string) =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  const parts = childrenOf(of(planned).spanId);
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['claim', 'agent', 'end'],
  );
  const [claim, agent, end] = parts.map(({ spanId }) => childrenOf(spanId).length);
  assert.deepEqual([claim, agent], [0, 0], 'an agent may work for hours');
  assert.ok((end as number) > 0, 'the transaction that stores the end');
  const known = new Set(collector.spans.map(({ spanId }) => spanId));
  for (const { parentSpanId, name } of collector.spans)
    assert.ok(name === 'turn' || known.has(parentSpanId as string), name);
  const sent = collector.received.join('\n');
  for (const secret of ['sk_live', 'overheard']) assert.ok(!sent.includes(secret), secret);
});

test('a turn that another worker takes over is a trace that failed', async () => {
  const { collector, tracing } = await startTracing();
  const { id } = await tasks.task();
  await tasks.queue(id);
  const { promise: refused, resolve } = Promise.withResolvers<void>();
  const worker = tasks.worker(
    async ({ fence }, { append }) => {
      await tasks.events.acquire(id, fence + 1n, 'another');
      await append({ type: 'notice', payload: {} }).finally(resolve);
      return { text: '' };
    },
    { trace: tracing.beginWork, times: { lease: 60_000 } },
  );
  await refused;
  await until('it is given up', () => worker.running() === 0);
  await worker.close();
  await tracing.close();
  collector.close();
  const [span] = collector.spans.filter(({ name }) => name === 'turn');
  assert.deepEqual([span?.status, span?.attributes['guildhall.turn.result']], [2, 'lost']);
  assert.deepEqual(collector.spans.map(({ name }) => name).toSorted(), ['agent', 'claim', 'turn']);
});
