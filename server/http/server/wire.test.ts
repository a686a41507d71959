import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { raw } from '../../testing/clients/raw.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

// What no client library would send: written to the socket, byte by byte. Each case is one
// connection.

const { url, fixtures, unchanged, log } = await startHarness({
  env: { REQUEST_TIMEOUT_MS: '300' },
});

const READ = '/api/billing/balance';
const CHARGE = '/api/billing/add-funds';
let user: User;
let card: string;
let workspace: string;
/** The headers of a good request. */
let good: string;
before(async () => {
  user = await fixtures.user();
  card = await fixtures.card(user);
  workspace = await fixtures.workspace(user);
  for (let i = 0; i < 2; i++) await fixtures.invitation(workspace);
  good = `host: x\r\nauthorization: Bearer ${user.key}\r\n`;
});

/** Asked last on each connection, so that it is known when everything before it was answered. */
const LAST = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

/**
 * Sends bytes, then `last`, and reads until the server hangs up: what was answered to the bytes.
 */
async function send(bytes: string, last = LAST): Promise<{ statuses: number[]; text: string }> {
  const answers = (await raw(url, bytes + last)).split(/(?=HTTP\/1\.1 \d{3} )/);
  if (answers.at(-1)?.endsWith('{"status":"ok"}')) answers.pop();
  const statuses = answers.filter((each) => each !== '').map((each) => Number(each.slice(9, 12)));
  return { statuses, text: answers.join('') };
}

const body = () => JSON.stringify({ amount: 25, payment_method_id: card });
const json = 'content-type: application/json\r\n';
const chunked = 'transfer-encoding: chunked\r\n';
const post = (headers: string, rest: string) =>
  `POST ${CHARGE} HTTP/1.1\r\n${good}${json}${headers}\r\n${rest}`;
const get = (headers: string, target = READ) => `GET ${target} HTTP/1.1\r\n${good}${headers}\r\n`;
/** What a smuggler hides behind a first request: it would charge the card of whoever comes next. */
const hidden = () => post(`content-length: ${body().length}\r\n`, body());

async function refused(cases: Record<string, string>, expected: RegExp): Promise<void> {
  await unchanged(async () => {
    for (const [name, bytes] of Object.entries(cases)) {
      const { statuses, text } = await send(bytes);
      assert.equal(statuses.length, 1, `${name}: ${statuses}`);
      assert.match(text, expected, name);
      assert.match(text, /\r\nx-frame-options: DENY\r\n/, name);
      assert.match(text, /"code":"[a-z_]+"/, name);
    }
  });
}

test('400: a body with an ambiguous length: Content-Length with Transfer-Encoding, twice, or in odd spelling', async () => {
  const size = body().length;
  const lengths = [
    `${size}, ${size}`,
    `+${size}`,
    `0x${size}`,
    `-${size}`,
    `${size} ${size}`,
    '',
    '9'.repeat(30),
  ];
  const encodings = [
    'xchunked',
    'identity',
    'chunked, identity',
    'identity, chunked',
    'gzip, chunked',
    '\x0bchunked',
    '"chunked"',
    'chunked\x00',
    'chunked;q=1',
  ];
  await refused(
    {
      both: post(`content-length: 4\r\n${chunked}`, `0\r\n\r\n${hidden()}`),
      'both, the other way': post(`${chunked}content-length: ${size}\r\n`, `0\r\n\r\n${hidden()}`),
      'two lengths': post(`content-length: ${size}\r\ncontent-length: 0\r\n`, body()),
      'one length twice': post(`content-length: ${size}\r\ncontent-length: ${size}\r\n`, body()),
      'two encodings, chunks last': post(
        `transfer-encoding: identity\r\n${chunked}`,
        `0\r\n\r\n${hidden()}`,
      ),
      'HTTP/2.0 in words': 'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n',
      'HTTP/0.9': 'GET /healthz\r\n\r\n',
      'two encodings': post(`${chunked}transfer-encoding: identity\r\n`, `0\r\n\r\n${hidden()}`),
      'space before the colon': post('transfer-encoding : chunked\r\n', `0\r\n\r\n${hidden()}`),
      'of HTTP/1.0': post(`${chunked}connection: keep-alive\r\n`, `0\r\n\r\n${hidden()}`).replace(
        '1.1',
        '1.0',
      ),
      ...Object.fromEntries(
        lengths.map((each) => [`length ${each}`, post(`content-length: ${each}\r\n`, body())]),
      ),
      ...Object.fromEntries(
        encodings.map((each) => [
          `encoding ${each}`,
          post(`transfer-encoding: ${each}\r\n`, `0\r\n\r\n${hidden()}`),
        ]),
      ),
    },
    /^HTTP\/1\.1 400 .*"code":"bad_request"/s,
  );
});

test('400: folded lines, bare CR, LF and NUL, spaces in names: no line of a header can become two', async () => {
  await refused(
    {
      'a folded line': get('x-a: b\r\n c\r\n'),
      'a folded credential': `GET ${READ} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer\r\n ${user.key}\r\n\r\n`,
      'a folded first line': `GET ${READ} HTTP/1.1\r\n x: y\r\n${good}\r\n`,
      'bare LF': get('').replaceAll('\r\n', '\n'),
      'bare LF in between': get('x: y\ncontent-length: 0\r\n'),
      'bare CR': get('x: y\rz: 1\r\n'),
      ...Object.fromEntries(
        ['x-request-id', 'idempotency-key', 'if-match', 'x-forwarded-for'].flatMap((name) => [
          [`${name} with NUL`, get(`${name}: a\x00b\r\n`)],
          [`${name} with LF`, get(`${name}: a\nset-cookie: b=c\r\n`)],
          [`${name} with CR`, get(`${name}: a\rset-cookie: b=c\r\n`)],
        ]),
      ),
      'a space in a name': get('a b: x\r\n'),
      'no name': get(': x\r\n'),
      'no host': `GET ${READ} HTTP/1.1\r\nauthorization: Bearer ${user.key}\r\n\r\n`,
      'two hosts': get('host: evil.example\r\n'),
    },
    /^HTTP\/1\.1 400 .*"code":"bad_request"/s,
  );
});

test('400: chunks of a size that is none, too large, or not theirs', async () => {
  const chunks = (size: string, rest = '') =>
    post(chunked, `${size}\r\n${body()}\r\n0\r\n\r\n${rest}`);
  const size = body().length.toString(16);
  await refused(
    {
      overflow: chunks('FFFFFFFFFFFFFFFFF'),
      negative: chunks('-1'),
      prefixed: chunks(`0x${size}`),
      none: chunks(''),
      'too short for its data': chunks('2'),
      'an extension of 17 KiB': chunks(`${size};${'a'.repeat(17 * 1024)}`),
      'a bare LF after an extension': chunks(`${size};\n`),
    },
    /^HTTP\/1\.1 (400|413) /,
  );
  const whole = await send(post(chunked, `${size};name=value\r\n${body()}\r\n0\r\n\r\n`));
  assert.deepEqual(whole.statuses, [200], 'an extension that is one is passed over');
});

test('401: of two credentials none counts, wherever the good one stands; one in a trailer is none', async () => {
  const other = 'authorization: Bearer other\r\n';
  await refused(
    {
      'good first': get(other),
      'good last': `GET ${READ} HTTP/1.1\r\n${other}${good}\r\n`,
      'the same twice': get(`authorization: Bearer ${user.key}\r\n`),
      trailer: `POST ${CHARGE} HTTP/1.1\r\nhost: x\r\n${json}${chunked}\r\n2\r\n{}\r\n0\r\nauthorization: Bearer ${user.key}\r\n\r\n`,
    },
    /^HTTP\/1\.1 401 .*"code":"not_authenticated"/s,
  );
});

test('a body that was refused unread is never taken for the next request; a real next one is answered', async () => {
  const smuggled = hidden();
  const without = `POST ${CHARGE} HTTP/1.1\r\nhost: x\r\n${json}`;
  await refused(
    {
      'no credential': `${without}content-length: ${smuggled.length}\r\n\r\n${smuggled}`,
      'no such path': `POST /nowhere HTTP/1.1\r\nhost: x\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`,
      'no such method': `PATCH ${CHARGE} HTTP/1.1\r\n${good}content-length: ${smuggled.length}\r\n\r\n${smuggled}`,
      'over 64 KiB': post('content-length: 70000\r\n', smuggled.padEnd(70_000)),
    },
    /^HTTP\/1\.1 4(01|04|05|13) /,
  );
  const ignored = await send(get(`content-length: ${smuggled.length}\r\n`) + smuggled);
  assert.deepEqual(ignored.statuses, [200], 'the body of a GET');
  const next = await send(`${without}content-length: 2\r\n\r\n{}${get('')}`);
  assert.deepEqual(next.statuses, [401, 200]);
});

test('targets: an address of another host is this server’s path, and no answer repeats that host', async () => {
  const list = `/api/organizations/${workspace}/invitations?limit=1`;
  const absolute = await send(get('', `http://evil.example${list}`));
  assert.deepEqual(absolute.statuses, [200]);
  assert.match(absolute.text, /\r\nlink: <\/api\/organizations\//);
  assert.ok(!absolute.text.includes('evil.example'));
  for (const [target, status] of [
    ['http://evil.example', 302],
    ['https://u:p@evil.example:1/api/billing/balance?x', 200],
    ['evil.example:80', 400],
    ['*', 404],
    ['?x', 400],
    ['\\api\\billing\\balance', 400],
    [`/${READ}`, 404],
    ['/api/x/../billing/balance', 404],
    ['/api%2fbilling/balance', 404],
    [`${READ};x=1`, 404],
    [`/api/projects/%0d%0aset-cookie:a=b/people`, 422],
    ['/api/projects/\xe9/people', 400],
    ['/api/projects/__proto__/people', 422],
    [
      '/api/projects/constructor.prototype/people?__proto__=1&constructor[prototype]=1&limit[]=1',
      422,
    ],
  ] as const) {
    const { statuses, text } = await send(get('', target));
    assert.deepEqual(statuses, [status], target);
    assert.doesNotMatch(text, /\r\nset-cookie|evil\.example/);
  }
});

test('417, and methods that are none of ours: refused with the headers of every answer; CONNECT is cut off', async () => {
  await refused(
    { expect: post('expect: banana\r\ncontent-length: 2\r\n', '{}') },
    /^HTTP\/1\.1 417 /,
  );
  await refused(
    { trace: get('').replace('GET', 'TRACE') },
    /^HTTP\/1\.1 405 .*\r\nallow: GET\r\n/s,
  );
  await refused({ unknown: get('').replace('GET', 'BREW') }, /^HTTP\/1\.1 400 /);
  assert.deepEqual((await send('CONNECT evil.example:80 HTTP/1.1\r\nhost: x\r\n\r\n')).text, '');
  for (const protocol of ['h2c', 'websocket']) {
    const { statuses } = await send(get(`connection: close, upgrade\r\nupgrade: ${protocol}\r\n`));
    assert.deepEqual(statuses, [200], 'an upgrade is not taken');
  }
});

test('408: headers and a body that stop coming are cut off, with or without a credential', async () => {
  const stopped = [
    `GET ${READ} HTTP/1.1\r\nhost: x\r\n`,
    post('content-length: 100\r\n', '{'),
    post(chunked, '5\r\n{'),
    'G',
  ];
  for (const { statuses, text } of await Promise.all(stopped.map((bytes) => send(bytes, '')))) {
    assert.deepEqual(statuses, [408]);
    assert.match(text, /"code":"request_timeout"/);
  }
});

test('a file may take longer than other bodies, while its sender goes on', async () => {
  const project = await fixtures.project({ userId: user.id });
  const parts = Array.from({ length: 8 }, () => Buffer.alloc(1_000, 'x'));
  async function* slowly() {
    for (const part of parts) {
      yield part;
      await pause(200);
    }
  }
  const sendTo = (path: string, type: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': type },
      body: ReadableStream.from(slowly()),
      duplex: 'half',
    } as RequestInit);
  const file = await sendTo(`/api/projects/${project}/attachments?filename=a.txt`, 'text/plain');
  const said = await file.text();
  assert.equal(file.status, 201, said);
  assert.equal(JSON.parse(said).size, 8_000);
  await unchanged(async () => {
    const other = await sendTo(CHARGE, 'application/json');
    assert.deepEqual([other.status, JSON.parse(await other.text()).code], [408, 'request_timeout']);
  });
});

test('no line of the log is made by a caller, whatever was sent above', () => {
  for (const line of log) {
    assert.doesNotThrow(() => JSON.parse(line));
    assert.equal(line.indexOf('\n'), line.length - 1);
    assert.ok(!line.includes('evil.example') && !line.includes(user.key));
  }
});
