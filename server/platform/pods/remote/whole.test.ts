import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { endOf, UpTo, whole } from './whole.ts';

/** The process of an engine, which ends as it is told. */
function process(last: string) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let exit: (code: number | null) => void = () => {};
  const exited = new Promise<number | null>((resolve) => {
    exit = resolve;
  });
  const raw = { stdin, stdout, stderr, exited, disconnect: () => {} };
  return { raw, exit, wrapped: whole(raw, last) };
}

test('both outputs are passed on up to their ends, and taken then', async () => {
  const last = randomUUID();
  const { raw, exit, wrapped } = process(last);
  const [out, err] = [buffer(wrapped.stdout), buffer(wrapped.stderr)];
  raw.stdout.write(Buffer.concat([Buffer.from('out'), endOf(last), Buffer.from('more')]));
  await out;
  assert.equal(raw.stdin.read(), null);
  raw.stderr.end(endOf(last));
  assert.deepEqual([String(await out), String(await err)], ['out', '']);
  assert.deepEqual(raw.stdin.read(), endOf(last));
  exit(0);
  assert.deepEqual([await wrapped.exited, wrapped.cut], [0, false]);
});

test('success without an end is none; another code is what it is', async () => {
  for (const [code, is, cut] of [
    [0, null, true],
    [1, 1, false],
    [127, 127, false],
    [null, null, false],
  ] as const) {
    const last = randomUUID();
    const { raw, exit, wrapped } = process(last);
    raw.stdout.end(Buffer.concat([Buffer.from('part'), endOf(last).subarray(0, 9)]));
    raw.stderr.end(endOf(last));
    const part = await buffer(wrapped.stdout);
    assert.deepEqual(part.subarray(4), endOf(last).subarray(0, 9));
    exit(code);
    assert.deepEqual([await wrapped.exited, wrapped.cut], [is, cut]);
  }
});

test('an end is found however it is cut, and nothing else is held back', async () => {
  const end = endOf(randomUUID());
  const content = Buffer.concat([Buffer.of(0xff, 0xff), end.subarray(0, 20), Buffer.from('b')]);
  const all = Buffer.concat([content, end, Buffer.from('after')]);
  for (let at = 1; at < all.length; at += 1) {
    let reached = 0;
    const stream = new UpTo(end, () => {
      reached += 1;
    });
    stream.write(all.subarray(0, at));
    stream.end(all.subarray(at));
    assert.deepEqual(await buffer(stream), content, `cut at ${at}`);
    assert.equal(reached, 1);
  }
  const text = new UpTo(end, () => {});
  text.write('a line');
  assert.equal(String(text.read()), 'a line');
});
