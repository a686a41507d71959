import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { steadyBody } from './steady-body.ts';

/** The part of a request that is its body. */
const body = () => Object.assign(new PassThrough(), { headers: {} });
const read = (of: PassThrough, timeout: number, bytes = 4) =>
  steadyBody(of as unknown as IncomingMessage, 1_000, { timeout, bytes });

test('a sender that stops is not waited for', async () => {
  const sent = body();
  sent.write('begin');
  const chunks = read(sent, 50);
  assert.equal(String((await chunks.next()).value), 'begin');
  await assert.rejects(chunks.next(), { status: 408, headers: { connection: 'close' } });
});

test('a sender of single bytes makes no progress', async () => {
  const sent = body();
  const timer = setInterval(() => sent.write('x'), 20);
  const all = async () => {
    for await (const chunk of read(sent, 200, 1_000)) assert.equal(String(chunk)[0], 'x');
  };
  await assert.rejects(all(), { status: 408 });
  clearInterval(timer);
});

test('a sender who goes on is not waited for without an end', async () => {
  const sent = body();
  const timer = setInterval(() => sent.write('xxxx'), 20);
  const all = async () => {
    const chunks = steadyBody(sent as unknown as IncomingMessage, 1_000_000, {
      timeout: 1_000,
      bytes: 4,
      longest: 200,
    });
    for await (const chunk of chunks) assert.equal(String(chunk)[0], 'x');
  };
  await assert.rejects(all(), { status: 408 });
  clearInterval(timer);
});

test('the time that the reader takes is no fault of the sender', async () => {
  const sent = body();
  const chunks = read(sent, 1_000, 1_000);
  for (let i = 0; i < 4; i++) {
    sent.write('x');
    assert.equal(String((await chunks.next()).value), 'x');
    await pause(400);
  }
  sent.end();
  assert.equal((await chunks.next()).done, true);
});
