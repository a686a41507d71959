import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BeginRequest, Span } from '../../telemetry/spans.ts';
import { openStream } from '../../testing/clients/event-reader.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

const ends: { name: string; failed: string | undefined; status: unknown }[] = [];
const trace: BeginRequest = (name) => {
  const span: Span = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    open: true,
    ask: () => span,
    part: () => span,
    end: ({ failed, attributes } = {}) => {
      // Those of statements have other attributes.
      const status = attributes?.['http.response.status_code'];
      if (status !== undefined) ends.push({ name, failed, status });
    },
  };
  return span;
};
const { events, fixtures, url, log, metrics } = await startHarness({ trace });
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });

test('a stream whose reader leaves has a line in the log, with its bytes and time, and is measured and traced', async () => {
  const task = await fixtures.task(project, owner);
  await events.log.acquire(task, 1n, 'worker');
  await events.log.append(task, 1n, [{ type: 'message', payload: {} }]);
  const path = `/api/tasks/${task}/events`;
  const stream = await openStream(url + path, owner);
  await stream.until(1);
  stream.cut();
  const lines = () =>
    log
      .flatMap((text) => text.split('\n').filter(Boolean))
      .map((text) => JSON.parse(text))
      .filter(({ msg, route }) => msg === 'request' && route === '/api/tasks/:task_id/events');
  await until('its line', () => lines().length === 1);
  const [{ status, left, bytes, ms, userId }] = lines();
  assert.deepEqual([status, left, userId], [200, true, owner.id]);
  assert.ok(bytes > 0 && ms > 0);
  assert.deepEqual(
    ends.filter(({ name }) => name.endsWith('/events')),
    [{ name: 'GET /api/tasks/:task_id/events', failed: 'client_closed', status: 200 }],
  );
  assert.match(
    await metrics.metrics(),
    /guildhall_http_request_duration_seconds_count\{[^}]*route="\/api\/tasks\/:task_id\/events"[^}]*\} 1/,
  );
});
