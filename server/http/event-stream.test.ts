import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ticks } from '../testing/harness/sources.ts';
import { until } from '../testing/harness/until.ts';
import { ApiError } from './errors.ts';
import { type EventSource, type EventStreams, eventStreams, type Viewer } from './event-stream.ts';

const data = () => 'data: {}\n\n';
const all = async (permits: readonly number[]) => permits.map(() => true);
const viewer = (userId = 'a', permit = 0) => ({ userId, permit });
const opened = (streams: EventStreams<number>, source: EventSource, by: Viewer<number>) => {
  const answer = new PassThrough();
  streams.open(source, by, () => answer);
  return answer;
};

for (const [name, interval] of [
  ['busy', 1],
  ['silent', 60_000],
] as const)
  test(`a ${name} stream ends soon after its reader may read no more, and does not call them back`, async () => {
    let asked = 0;
    const mayRead = async (permits: readonly number[]) =>
      permits.map((permit) => permit === 1 || ++asked <= 2);
    const streams = eventStreams(mayRead, { recheck: 20 });
    const { source, state } = ticks(interval, data);
    const stays = opened(streams, ticks(interval, data).source, viewer('b', 1));
    const sent = await text(opened(streams, source, viewer()));
    assert.equal(asked, 3);
    assert.match(sent, interval === 1 ? /^:\n\ndata: \{\}\n\n/ : /^:\n\n$/);
    assert.doesNotMatch(sent, /retry/);
    assert.deepEqual([state.stopped, streams.count(), stays.destroyed], [true, 1, false]);
    stays.destroy();
  });

test('all open streams are asked about at once, and a failure to ask ends none', async () => {
  const questions: number[][] = [];
  const mayRead = async (permits: readonly number[]) => {
    questions.push([...permits]);
    throw new Error('no database');
  };
  const streams = eventStreams(mayRead, { recheck: 20 });
  const open = [1, 2, 3].map((n) => opened(streams, ticks(60_000, data).source, viewer('a', n)));
  while (questions.length < 3) await pause(5);
  assert.deepEqual(questions[0], [1, 2, 3]);
  assert.equal(streams.count(), 3);
  for (const stream of open) stream.destroy();
});

test('streams of people whose rights ended are asked about at once: one question, and theirs alone', async () => {
  const questions: number[][] = [];
  const ended = new Set<string>();
  const mayRead = async (permits: readonly number[]) => {
    questions.push([...permits]);
    return permits.map((permit) => permit % 2 === 0);
  };
  const streams = eventStreams(mayRead, { poll: 5, revoked: async () => ended });
  const open = Array.from({ length: 300 }, (_, n) =>
    opened(streams, ticks(60_000, data).source, viewer(n < 100 ? 'a' : `b${n % 9}`, n)),
  );
  await pause(30);
  assert.deepEqual(questions, []);
  ended.add('a').add('who has no stream');
  while (streams.count() > 250) await pause(1);
  assert.deepEqual(
    questions[0],
    Array.from({ length: 100 }, (_, n) => n),
  );
  assert.deepEqual([streams.count(), streams.ends.get('refused')], [250, 50]);
  for (const stream of open) stream.destroy();
});

test('a stream that could not be asked about is asked about again, and nothing waits in line', async () => {
  let asked = 0;
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  const revoked = async () => {
    asked++;
    await slow;
    return new Set(['a']);
  };
  let answers = 0;
  const mayRead = async (permits: readonly number[]) => {
    if (++answers === 1) throw new Error('no database');
    return permits.map(() => false);
  };
  const streams = eventStreams(mayRead, { poll: 5, revoked });
  const sent = text(opened(streams, ticks(60_000, data).source, viewer()));
  await pause(50);
  assert.equal(asked, 1);
  resolve();
  await sent;
  assert.deepEqual([answers, streams.count()], [2, 0]);
});

test('a silent stream sends comments, and at the end of its life asks its reader to come back', async () => {
  const streams = eventStreams(all, { heartbeat: 10 });
  let sent = '';
  const silent = opened(streams, ticks(60_000, data).source, viewer());
  silent.on('data', (piece) => {
    sent += piece;
  });
  await until('comments', () => /^(:\n\n){3,}$/.test(sent));
  silent.destroy();
  const mortal = eventStreams(all, { heartbeat: 10, life: 100, retry: 7 });
  const whole = await text(opened(mortal, ticks(60_000, data).source, viewer()));
  assert.match(whole, /^(:\n\n)+retry: 7\n\n$/);
});

test('shutdown ends every stream with the time to come back, and those that begin later at once', async () => {
  const streams = eventStreams(all, { retry: 7 });
  const sent = text(opened(streams, ticks(60_000, data).source, viewer()));
  streams.close();
  assert.equal(await sent, ':\n\nretry: 7\n\n');
  assert.equal(await text(opened(streams, ticks(1, data).source, viewer())), ':\n\nretry: 7\n\n');
  assert.equal(streams.count(), 0);
  assert.equal(streams.ends.get('shutdown'), 2);
});

test('a reader that takes nothing costs one piece, delays no other reader, and is closed', async () => {
  const streams = eventStreams(all, { stall: 100 });
  let asked = 0;
  const endless: EventSource = {
    start: () => {},
    next: () => {
      asked++;
      return Buffer.alloc(64 * 1024, 'x');
    },
    stop: () => {},
  };
  const answer = new Writable({ write: () => {} });
  const begun = performance.now();
  streams.open(endless, viewer(), () => answer);
  await until('it is closed', () => answer.destroyed);
  assert.ok(performance.now() - begun >= 100);
  assert.equal(asked, 1);
  assert.equal(streams.count(), 0);
  assert.equal(streams.ends.get('slow'), 1);
});

test('a reader who has left before the stream begins gets nothing, and leaves nothing behind', async () => {
  const streams = eventStreams(all);
  const { source, state } = ticks(1, data);
  const answer = new PassThrough().destroy();
  streams.open(source, viewer(), () => answer);
  assert.deepEqual(state, { started: false, stopped: true, sent: 0 });
  assert.equal(streams.count(), 0);
  assert.equal(streams.ends.get('closed'), 1);
});

test('429 and 503: a user and a process have a limit, long polls included; an end makes room', async () => {
  const streams = eventStreams(all, { limitPerUser: 2, limit: 3 });
  const open = (user: string) => opened(streams, ticks(60_000, data).source, viewer(user));
  const refused = (status: number) => (error: unknown) =>
    error instanceof ApiError && error.status === status;
  const first = open('a');
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = streams.hold('a', () => promise);
  assert.throws(() => open('a'), refused(429));
  await assert.rejects(
    streams.hold('a', async () => {}),
    refused(429),
  );
  const others = [open('b')];
  assert.throws(() => open('b'), refused(503));
  resolve();
  await held;
  others.push(open('b'));
  first.destroy();
  await pause(1);
  others.push(open('c'));
  for (const stream of others) stream.destroy();
  await pause(1);
  assert.equal(streams.count(), 0);
  assert.equal(streams.ends.get('closed'), 4);
});

test('what is held has a signal of its own, which tells that the process shuts down', async () => {
  const streams = eventStreams(all);
  const signals = new Set<AbortSignal>();
  const hold = () =>
    streams.hold('a', async (signal) => {
      signals.add(signal);
      while (!signal.aborted) await pause(1);
      return 'ended';
    });
  const holds = [hold(), hold()];
  streams.close();
  assert.deepEqual(await Promise.all([...holds, hold()]), ['ended', 'ended', 'ended']);
  assert.equal(signals.size, 3);
});
