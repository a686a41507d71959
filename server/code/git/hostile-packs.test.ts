import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import {
  addressOf,
  contentOf,
  folder,
  git,
  repositoriesIn,
} from '../../testing/fixtures/code/git-client.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { branchOf, gitDirOf } from '../repositories/git.ts';

/** Packs made by hand, which Git's own programs never make. */

const home = await folder();
const dataDir = join(home, 'data');
const { url, fixtures, db } = await startHarness({ env: { DATA_DIR: dataDir } });
const repositories = await repositoriesIn(dataDir, db);
after(() => rm(home, { recursive: true, force: true }));
const ada = await fixtures.user();
const id = await fixtures.project({ userId: ada.id });
const branch = branchOf(await fixtures.task(id, ada));
const gitDir = gitDirOf(repositories, id);
await git(home, 'ls-remote', addressOf(url, id, ada.key));

const NONE = '0'.repeat(40);
const [BLOB, DELTA] = [3, 7];

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

/** A number in groups of seven bits, after a first byte with its own share of them. */
function varint(value: number, first?: { bits: number; type: number }): Buffer {
  const bytes: number[] = [];
  let rest = value;
  const put = (bits: number, high: number) => {
    const part = rest % 2 ** bits;
    rest = Math.floor(rest / 2 ** bits);
    bytes.push((rest > 0 ? 0x80 : 0) | high | part);
  };
  if (first === undefined) put(7, 0);
  else put(first.bits, first.type << first.bits);
  while (rest > 0) put(7, 0);
  return Buffer.from(bytes);
}

const object = (type: number, content: Buffer, base = Buffer.alloc(0), size = content.length) =>
  Buffer.concat([varint(size, { bits: 4, type }), base, deflateSync(content)]);

function pack(...objects: Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const content = Buffer.concat([head, ...objects]);
  return Buffer.concat([content, hash('sha1', content, 'buffer')]);
}

async function refused(bytes: Buffer, says: RegExp) {
  const before = await contentOf(gitDir);
  const command = line(
    `${NONE} ${'1'.repeat(40)} refs/heads/${branch}\0 report-status side-band-64k`,
  );
  const answer = await fetch(`${url}/git/${id}/main.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.key}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: Buffer.concat([Buffer.from(`${command}0000`), bytes]),
  });
  const text = await answer.text();
  assert.match(text, says);
  assert.match(text, /unpack (?!ok)/);
  assert.deepEqual(await contentOf(gitDir), before);
}

test('a delta of a few bytes that becomes gigabytes', async () => {
  const zeros = Buffer.alloc(0x1_00_00_00);
  const base = hash(
    'sha1',
    Buffer.concat([Buffer.from(`blob ${zeros.length}\0`), zeros]),
    'buffer',
  );
  const copies = Array.from({ length: 200 }, () => [0xf0, 0xff, 0xff, 0xff]).flat();
  const delta = Buffer.concat([
    varint(zeros.length),
    varint(200 * 0xff_ff_ff),
    Buffer.from(copies),
  ]);
  const bytes = pack(object(BLOB, zeros), object(DELTA, delta, base));
  assert.ok(bytes.length < 32 * 1024);
  await refused(bytes, /out of memory/i);
});

test('an object that announces more than it has, or less', async () => {
  const content = Buffer.from('content');
  await refused(
    pack(object(BLOB, content, undefined, 2 ** 40)),
    /inflate|out of memory|incorrect/i,
  );
  await refused(pack(object(BLOB, Buffer.alloc(1024 * 1024), undefined, 10)), /inflate/i);
});

test('a pack that ends early, is none, or has another sum', async () => {
  const whole = pack(object(BLOB, Buffer.from('content')));
  await refused(whole.subarray(0, -5), /early EOF|unpack/);
  await refused(Buffer.from('not a pack at all'), /unpack/);
  await refused(Buffer.alloc(0), /unpack/);
  const changed = Buffer.from(whole);
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
  await refused(changed, /SHA1 mismatch|corrupt/);
});
