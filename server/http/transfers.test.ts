import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import { signedIn } from '../access/account.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { route } from './route.ts';
import { createTransfers, downloadsBusy, uploadsBusy } from './transfers.ts';

const bytes = randomBytes(1_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
/** Of the file, which has the first of these bytes. */
let length = bytes.length;
let opened = 0;
afterEach(() => {
  length = bytes.length;
});

const download = route({
  area: 'Account',
  summary: 'A test',
  description: 'A test.',
  errors: [],
  method: 'GET',
  path: '/api/test/file',
  operationId: 'get_test_file',
  access: signedIn,
  responses: {
    200: { description: 'The file.', mediaType: '*/*' },
    206: { description: 'A part of it.', mediaType: '*/*' },
    304: { description: 'The caller has it.' },
  },
  handle: async ({ load }) => {
    await load();
    return {
      status: 200,
      file: {
        name: 'x',
        mediaType: 'text/html',
        size: length,
        sha256,
        open: (start, end) => {
          opened++;
          return Readable.from(bytes.subarray(start, end + 1));
        },
      },
    };
  },
});

const { fixtures, url } = await startHarness({ routes: [download] });
const { key } = await fixtures.user();
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${url}/api/test/file`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });

test('304: a caller who has the bytes gets none, for GET and HEAD, whatever range they ask for', async () => {
  const before = opened;
  for (const tag of [`"${sha256}"`, `W/"${sha256}"`, `"x", "${sha256}"`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const reply = await get({ 'if-none-match': tag, range: 'bytes=0-9' }, method);
      assert.deepEqual([reply.status, await reply.text()], [304, ''], tag);
      assert.equal(reply.headers.get('etag'), `"${sha256}"`);
    }
  }
  assert.equal(opened, before);
  assert.equal((await get({ 'if-none-match': '"other"' })).status, 200);
});

test('HEAD says what GET would, and opens nothing', async () => {
  const before = opened;
  const reply = await get({ range: 'bytes=0-9' }, 'HEAD');
  assert.deepEqual([reply.status, await reply.text()], [200, '']);
  assert.equal(reply.headers.get('content-length'), '1000');
  assert.equal(reply.headers.get('accept-ranges'), 'bytes');
  assert.equal(opened, before);
});

test('a file is never a page of this server: a download, of its type only, without any rights', async () => {
  const { headers } = await get();
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-disposition') ?? '', /^attachment;/);
  assert.equal(headers.get('cache-control'), 'private, no-cache');
});

const HUGE = '9'.repeat(400);

for (const [range, size, expected] of [
  // The end, a suffix or both are beyond the file.
  ['bytes=0-99999999999999999999', 1_000, '0-999'],
  [`bytes=5-${HUGE}`, 1_000, '5-999'],
  ['bytes=0-1000', 1_000, '0-999'],
  ['bytes=999-1000', 1_000, '999-999'],
  ['bytes=-1001', 1_000, '0-999'],
  [`bytes=-${HUGE}`, 1_000, '0-999'],
  ['bytes=000000000000000000000001-2', 1_000, '1-2'],
  ['Bytes=1-2', 1_000, '1-2'],
  // The start is.
  ['bytes=1000-', 1_000, 'none'],
  ['bytes=99999999999999999999-', 1_000, 'none'],
  [`bytes=${HUGE}-${HUGE}`, 1_000, 'none'],
  ['bytes=-0', 1_000, 'none'],
  ['bytes=0-', 0, 'none'],
  ['bytes=-0', 0, 'none'],
  // Ignored: reversed, several, malformed, or of another unit.
  ['bytes=2-1', 1_000, 'all'],
  ['bytes=99999999999999999998-99999999999999999997', 1_000, 'all'],
  ['bytes=0-1,3-4', 1_000, 'all'],
  ['bytes=0-1,', 1_000, 'all'],
  ['bytes= 0-1', 1_000, 'all'],
  ['bytes=0 - 1', 1_000, 'all'],
  ['bytes =0-1', 1_000, 'all'],
  ['bytes=-', 1_000, 'all'],
  ['bytes=--1', 1_000, 'all'],
  ['bytes=+0-1', 1_000, 'all'],
  ['bytes=0x0-0x1', 1_000, 'all'],
  ['bytes=1e0-2', 1_000, 'all'],
  ['bytes=', 1_000, 'all'],
  ['lines=0-1', 1_000, 'all'],
  ['bytes=-5', 0, 'all'],
] as const)
  test(`Range: ${range.slice(0, 50)} of ${size} bytes: ${expected}`, async () => {
    length = size;
    const reply = await get({ range });
    const status = expected === 'all' ? 200 : expected === 'none' ? 416 : 206;
    const place = { all: null, none: `bytes */${size}` }[expected as string];
    assert.deepEqual(
      [reply.status, reply.headers.get('content-range')],
      [status, place === undefined ? `bytes ${expected}/${size}` : place],
    );
    const [start, end] = expected.split('-').map(Number) as [number, number];
    const part = status === 206 ? bytes.subarray(start, end + 1) : bytes.subarray(0, size);
    const body = Buffer.from(await reply.arrayBuffer());
    if (status !== 416) assert.deepEqual(body, part);
  });

test('property: any Range header gets the bytes that RFC 9110 says, or 416, or the whole', async () => {
  const number = fc.oneof(
    fc.nat({ max: 1_200 }).map(String),
    fc.constantFrom('', '0', '999', '1000'),
  );
  const range = fc.oneof(
    fc.tuple(number, number).map(([a, b]) => `bytes=${a}-${b}`),
    fc.stringMatching(/^[ -~]{0,20}$/),
    fc.tuple(number, number, number, number).map(([a, b, c, d]) => `bytes=${a}-${b},${c}-${d}`),
  );
  await fc.assert(
    fc.asyncProperty(range, async (sent) => {
      const reply = await get({ range: sent });
      const body = Buffer.from(await reply.arrayBuffer());
      const expected = partOf(sent);
      if (expected === 'none') {
        assert.deepEqual([reply.status, reply.headers.get('content-range')], [416, 'bytes */1000']);
        return;
      }
      assert.equal(reply.status, expected === 'all' ? 200 : 206, sent);
      const [start, end] = expected === 'all' ? [0, 999] : expected;
      assert.deepEqual(body, bytes.subarray(start, end + 1), sent);
      assert.equal(reply.headers.get('content-length'), String(body.length));
      const place = expected === 'all' ? null : `bytes ${start}-${end}/1000`;
      assert.equal(reply.headers.get('content-range'), place);
    }),
    { numRuns: 400 },
  );
});

/** RFC 9110, 14.1.2, written a second time. */
function partOf(header: string): 'all' | 'none' | [number, number] {
  const [unit, set = ''] = header.trim().split('=');
  if (unit?.toLowerCase() !== 'bytes' || header.trim().split('=').length !== 2 || set.includes(','))
    return 'all';
  const parts = set.split('-');
  if (parts.length !== 2 || !parts.every((part) => /^[0-9]*$/.test(part))) return 'all';
  const [first, last] = parts as [string, string];
  if (first === '' && last === '') return 'all';
  if (first === '') return Number(last) === 0 ? 'none' : [Math.max(0, 1000 - Number(last)), 999];
  if (last !== '' && Number(last) < Number(first)) return 'all';
  return Number(first) >= 1000
    ? 'none'
    : [Number(first), last === '' ? 999 : Math.min(999, Number(last))];
}

test('503: places are bounded in all and per person, and free again however a transfer ends', async () => {
  const uploads = createTransfers(uploadsBusy, { limit: 3, perUser: 2 });
  const ends: (() => void)[] = [];
  const hold = (user: string) =>
    uploads.run(user, () => new Promise<void>((end) => ends.push(end)));
  const held = [hold('a'), hold('a')];
  await assert.rejects(hold('a'), { code: 'uploads_busy' });
  held.push(hold('b'));
  await assert.rejects(hold('c'), { code: 'uploads_busy' });
  for (const end of ends) end();
  await Promise.all(held);
  await assert.rejects(
    uploads.run('a', async () => assert.fail('no')),
    /no/,
  );
  assert.equal(uploads.running(), 0);
  assert.deepEqual(Object.fromEntries(uploads.results), { done: 3, failed: 1, refused: 2 });
});

test('a stream keeps its place until it ends, is cut, or has taken too long', async () => {
  const downloads = createTransfers(downloadsBusy, { limit: 2, perUser: 2, life: 50 });
  const endless = () => new Readable({ read() {} });
  assert.equal((await buffer(downloads.stream('a', () => Readable.from(bytes)))).length, 1_000);
  const late = downloads.stream('a', endless);
  const cut = downloads.stream('a', endless);
  assert.throws(() => downloads.stream('b', endless), { code: 'downloads_busy' });
  cut.destroy();
  await assert.rejects(buffer(late), { name: 'AbortError' });
  assert.equal(downloads.running(), 0);
  const last = downloads.stream('b', endless);
  downloads.close();
  await assert.rejects(buffer(last), { name: 'AbortError' });
  assert.throws(() => downloads.stream('b', endless), { code: 'downloads_busy' });
  assert.equal(downloads.running(), 0);
  assert.deepEqual(Object.fromEntries(downloads.results), { done: 1, failed: 3, refused: 2 });
});
