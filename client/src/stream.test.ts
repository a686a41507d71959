import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { until } from '../../server/testing/harness/until.ts';
import { frame, frames, scriptedServer, status } from '../testing/scripted-server.ts';
import { createClient, GuildhallError } from './index.ts';
import type { StreamOptions } from './stream.ts';

/** The rules of a stream, with a server that can be made to break each of them. */

const server = await scriptedServer();
const guildhall = createClient({ baseUrl: server.url, key: 'gh_test' });
const path = '/api/tasks/{task_id}/events';

/** Reads up to so many events. */
async function take(count: number, options: StreamOptions = {}, after = 0): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of guildhall.stream(path, { task_id: 'a', after }, options)) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

const lastIds = () => server.seen.map(({ headers }) => headers['last-event-id']);
const ending = (response: { end: () => void }) => setImmediate(() => response.end());

test('a stream is asked for with the key, after an event, and closed by break', async () => {
  server.restart(frames(':\n\n', frame(5), frame(6)));
  assert.deepEqual(await take(2, {}, 4), [5, 6]);
  const [{ headers, url } = assert.fail()] = server.seen;
  assert.equal(url, '/api/tasks/a/events?after=4');
  assert.deepEqual(
    [headers.accept, headers.authorization],
    ['text/event-stream', 'Bearer gh_test'],
  );
  assert.equal(headers['last-event-id'], undefined);
  await until('it is closed', () => server.open() === 0);
});

test('a connection that ends is opened again after the last event, and half an event is dropped', async () => {
  server.restart(
    (response) => {
      frames(frame(1), frame(2), frame(3).slice(0, -5))(response, undefined as never);
      ending(response);
    },
    frames(frame(3), frame(4)),
  );
  const states: string[] = [];
  const onConnection = (state: string) => states.push(state);
  assert.deepEqual(await take(4, { onConnection }), [1, 2, 3, 4]);
  assert.deepEqual(lastIds(), [undefined, '2']);
  assert.deepEqual(states, ['open', 'lost', 'open']);
});

test('what may pass is waited for: no connection, limits, servers that start, pages of proxies', async () => {
  const reasons: (string | undefined)[] = [];
  server.restart(
    (response) => response.destroy(),
    status(429, { 'retry-after': '0' }),
    status(503),
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    frames(frame(1)),
  );
  const onConnection = (state: string, reason?: GuildhallError) => {
    if (state === 'lost') reasons.push(reason?.code);
  };
  assert.deepEqual(await take(1, { onConnection }), [1]);
  const strange = 'unexpected_answer';
  assert.deepEqual(reasons, ['network_error', strange, strange, strange]);
});

test('the waits grow from what the server asks for, and Retry-After is waited for', async () => {
  server.restart(
    (response) => {
      frames(frame(1), 'retry: 600\n\n')(response, undefined as never);
      ending(response);
    },
    status(503, { 'retry-after': '2' }),
    frames(frame(2)),
  );
  const began = performance.now();
  assert.deepEqual(await take(2), [1, 2]);
  assert.ok(performance.now() - began >= 300 + 1_990);
});

for (const code of [401, 403, 404, 409, 422]) {
  test(`${code} is final: the loop throws it, and asks no more`, async () => {
    server.restart(status(code));
    const failed = take(1);
    await assert.rejects(
      failed,
      (error) => error instanceof GuildhallError && error.status === code,
    );
    assert.equal(server.seen.length, 1);
  });
}

test('204 ends the loop: there is nothing more to come', async () => {
  server.restart(status(204));
  assert.deepEqual(await take(1), []);
});

test('a connection in which nothing comes is given up, and opened again', async () => {
  server.restart(frames(frame(1)), () => {}, frames(frame(2)));
  const reasons: (string | undefined)[] = [];
  const onConnection = (state: string, reason?: GuildhallError) => {
    if (state === 'lost') reasons.push(reason?.code);
  };
  assert.deepEqual(await take(2, { silence: 1_000, onConnection }), [1, 2]);
  assert.deepEqual(reasons, ['timeout', 'timeout']);
  assert.deepEqual(lastIds(), [undefined, '1', '1']);
  await until('all are closed', () => server.open() === 0);
});

test('a reader that takes its time is no silence of the server', async () => {
  server.restart(frames(frame(1), frame(2)));
  const seqs: number[] = [];
  for await (const { seq } of guildhall.stream(path, { task_id: 'a' }, { silence: 1_000 })) {
    seqs.push(seq);
    if (seqs.length === 2) break;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  assert.deepEqual([seqs, server.seen.length], [[1, 2], 1]);
});

test('onReset announces that events have been deleted', async () => {
  server.restart(frames('id: 6\nevent: reset\ndata: {"first_seq":7}\n\n', frame(7)));
  const resets: (number | undefined)[] = [];
  assert.deepEqual(await take(1, { onReset: (first) => resets.push(first) }), [7]);
  assert.deepEqual(resets, [7]);
});

for (const [what, handle] of [
  ['while it connects', () => {}],
  ['while it reads', frames(':\n\n')],
  ['while it waits to connect again', status(503, { 'retry-after': '30' })],
] as const) {
  test(`a signal ends it with its reason, ${what}, and leaves nothing`, async () => {
    server.restart(handle);
    const stop = new AbortController();
    const ended = assert.rejects(take(1, { signal: stop.signal }), { name: 'AbortError' });
    await until('it is asked', () => server.seen.length === 1);
    stop.abort();
    await ended;
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
    await until('it is closed', () => server.open() === 0);
  });
}

test('what the reader throws ends it, and reaches the reader', async () => {
  server.restart(frames(frame(1)));
  const stream = guildhall.stream(path, { task_id: 'a' });
  const reading = async () => {
    for await (const { seq } of stream) throw new Error(`no ${seq}`);
  };
  await assert.rejects(reading(), { message: 'no 1' });
  await until('it is closed', () => server.open() === 0);
});
