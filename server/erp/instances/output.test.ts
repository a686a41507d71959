import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/fixtures/tasks/file-stores.ts';
import { boundedLog } from './bounded-log.ts';
import { lastOutput } from './last-output.ts';

const SAID = 'Zażółć gęślą jaźń – 雪 🏰';

/** Two streams that say it byte by byte, in turn. */
async function byByte([one, other]: readonly [PassThrough, PassThrough]): Promise<void> {
  for (const byte of Buffer.from(SAID)) {
    one.write(Buffer.of(byte));
    other.write(Buffer.of(byte));
  }
  const closed = [one, other].map((stream) => once(stream, 'close'));
  one.end();
  other.end();
  await Promise.all(closed);
}

test('characters that come in pieces, on two streams at once, are whole in what is shown', async () => {
  const streams = [new PassThrough(), new PassThrough()] as const;
  const said = lastOutput(streams, () => undefined);
  await byByte(streams);
  assert.doesNotMatch(said(), /\ufffd/);
  assert.deepEqual([...said()].sort(), [...SAID, ...SAID].sort());
});

test('so they are in the last of a program, whose file has its bytes', async () => {
  const path = join(await temporaryFolder(), 'log');
  const streams = [new PassThrough(), new PassThrough()] as const;
  const [output, errors] = streams;
  const last = boundedLog(path, { output, errors, secret: undefined });
  await byByte(streams);
  assert.equal(last(), SAID);
  assert.equal((await readFile(path)).length, 2 * Buffer.byteLength(SAID));
});
