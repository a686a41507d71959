import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeErpGateway } from '../../testing/fixtures/erp/erp-gateway.ts';
import { ask, MODEL, makeGateway } from '../../testing/fixtures/runner/gateway.ts';
import { until } from '../../testing/harness/until.ts';
import { checkPodSockets, listenForPod, openPodSocket } from './pod-socket.ts';

// The connections that a pod has to its gateways.

const MOST = 32;
const SLOW = 1_500;

/** Connects and keeps the connection open; it is closed after the tests. */
async function open(socket: string, sent = '') {
  const client = connect(socket);
  let text = '';
  let closed = false;
  client.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  client
    .on('error', () => {})
    .on('close', () => {
      closed = true;
    });
  after(() => client.destroy());
  await once(client, 'connect');
  if (sent !== '') client.write(sent);
  return { text: () => text, isClosed: () => closed, write: (more: string) => client.write(more) };
}

const model = async (slow = 0) => {
  const { gateway } = await makeGateway('openai', {
    handle(_, response) {
      const usage = { prompt_tokens: 1, completion_tokens: 1 };
      const answer = () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ usage }));
      setTimeout(answer, slow);
      return true;
    },
  });
  const call = () => ask(gateway, '/v1/chat/completions', { model: MODEL });
  return { socket: gateway.socket, call };
};
const erp = async (slow = 0) => {
  const { gateway, json2, target } = await makeErpGateway({}, { slow });
  return {
    socket: gateway.socket,
    path: `/${target.id}/json/2/res.partner/search_count`,
    token: gateway.token,
    call: () => json2('res.partner', 'search_count', { domain: [] }),
  };
};

for (const [name, make] of Object.entries({ model, erp })) {
  test(`${name}: a hundred connections that are left open keep no request out`, async () => {
    const { socket, call } = await make();
    const left = await Promise.all(Array.from({ length: 100 }, () => open(socket)));
    const began = performance.now();
    assert.equal((await call()).status, 200);
    assert.ok(performance.now() - began < 5_000);
    await until('the others are closed', () => left.filter((one) => one.isClosed()).length > 68);
    assert.equal(left.at(-1)?.isClosed(), false);
  });

  test(`${name}: a request that is worked on is not ended by new connections`, async () => {
    const { socket, call } = await make(SLOW);
    const running = call();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all(Array.from({ length: 100 }, () => open(socket)));
    assert.equal((await running).status, 200);
  });
}

test('erp: a hundred requests of which the body never arrives keep no request out', async () => {
  const { socket, call, path, token } = await erp();
  const head = ['host: pod', `authorization: Bearer ${token}`, 'content-length: 100'];
  const half = [`POST ${path} HTTP/1.1`, ...head, '', '{'].join('\r\n');
  const left = [];
  for (let i = 0; i < 100; i += 1) left.push(await open(socket, half));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const began = performance.now();
  assert.equal((await call()).status, 200);
  assert.ok(performance.now() - began < 5_000);
  assert.ok(left.every((one) => one.text() === ''));
});

const GET = 'GET / HTTP/1.1\r\nhost: pod\r\n\r\n';

test('at the bound, the connection that has been idle longest is closed; with none idle, the new one', async () => {
  let answers: (() => void)[] = [];
  const { path, close } = await openPodSocket('erp', 30_000, (_, response) => {
    answers.push(() => response.end('done'));
  });
  after(() => close(async () => {}));
  const answered = async (wanted: number) => {
    await until(`${wanted} at work`, () => answers.length === wanted);
    for (const answer of answers) answer();
    answers = [];
  };
  const all: Awaited<ReturnType<typeof open>>[] = [];
  for (let i = 0; i < MOST; i += 1) all.push(await open(path));
  const [first, second, third] = all;
  first?.write(GET);
  await answered(1);
  await until('an answer', () => first?.text().includes('done') === true);
  all.push(await open(path), await open(path));
  await until('two are closed', () => all.filter((one) => one.isClosed()).length === 2);
  assert.deepEqual(
    [first, second, third, all.at(-1)].map((one) => one?.isClosed()),
    [false, true, true, false],
  );
  const rest = all.filter((one) => !one.isClosed());
  for (const one of rest) one.write(GET);
  await until('all at work', () => answers.length === MOST);
  const late = await open(path, GET);
  await until('the new one is closed', () => late.isClosed());
  await answered(MOST);
  await until('all are answered', () => rest.every((one) => one.text().endsWith('done')));
});

test('what a killed process has left is removed; what is in use or being made stays', async () => {
  const name = `left${randomUUID().slice(0, 8)}`;
  const folders = await Promise.all(
    ['dead', 'live', 'new'].map((kind) => mkdtemp(join(tmpdir(), `guildhall-${name}-${kind}`))),
  );
  const [dead = '', live = '', made = ''] = folders;
  const listening = async (path: string) => {
    const server = createServer().listen(path);
    await once(server, 'listening');
    return server;
  };
  const killed = await listening(join(dead, 'other'));
  await rename(join(dead, 'other'), join(dead, name));
  killed.close();
  const running = await listening(join(live, name));
  const own = createServer();
  const { remove } = await listenForPod(name, own);
  assert.deepEqual([dead, live, made].map(existsSync), [false, true, true]);
  running.close();
  own.close();
  await remove();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

test('where the folder for temporary files takes no socket, a sentence says so, and nothing is left', async (t) => {
  const { TMPDIR } = process.env;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-sockets-'));
  t.after(() => rm(folder, { recursive: true }));
  const long = join(folder, 'x'.repeat(90));
  await mkdir(long);
  for (const [path, why] of [
    [
      join(folder, 'none'),
      /^TMPDIR must be a folder .*\/none is none \(ENOENT\)\. .* or set TMPDIR/,
    ],
    [long, /^TMPDIR must be a folder .*\(its path is too long for a socket\)/],
  ] as const) {
    process.env.TMPDIR = path;
    await assert.rejects(checkPodSockets(), { message: why });
  }
  process.env.TMPDIR = folder;
  await checkPodSockets();
  assert.deepEqual([await readdir(folder), await readdir(long)], [['x'.repeat(90)], []]);
});
