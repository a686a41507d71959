import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as ask, createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { type Sql, sql } from '../../db/sql.ts';
import { Connections } from '../../http/server/connections.ts';
import { collect, type StoredLog } from '../../runner/worker/instances/collect.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { type EntryOptions, openEntry } from './entry/entry.ts';

/** What people do with a throwaway Odoo: open it, start it again, read its log and its mails. */

const { db, fixtures, request, unchanged } = await startHarness();

/** An Odoo that says what it was asked. */
const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
const odoo = createServer((incoming, response) => {
  seen.push({ url: incoming.url, headers: incoming.headers });
  if (incoming.url === '/refused') {
    const { socket } = response.writeHead(413, { connection: 'close' });
    response.end('Too large', () => socket?.destroy());
    return;
  }
  if (incoming.url === '/endless') return void response.writeHead(200).write('begun');
  const signsIn = incoming.url === '/web/session/authenticate';
  response.writeHead(200, {
    'content-type': 'application/json',
    'set-cookie': ['session_id=of-odoo; Path=/; Domain=erp.test', 'guildhall_visit=stolen'],
  });
  response.end(JSON.stringify(signsIn ? { result: { uid: 2 } } : { path: incoming.url }));
});
odoo.on('upgrade', (_, socket) => {
  socket.on('error', () => undefined).pipe(socket);
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  );
});
await new Promise<void>((resolve) => odoo.listen(0, '127.0.0.1', resolve));
const options = {
  db,
  driver: { url: async () => `http://127.0.0.1:${(odoo.address() as AddressInfo).port}` },
  passwordOf: () => 'of admin',
  secure: false,
  log: pino({ level: 'silent' }),
  trust: 0,
  recheckEvery: 50,
};
/** The entry with connections of its own. */
const open = (more: Partial<EntryOptions> = {}) => {
  const connections = new Connections({
    total: 1_024,
    perAddress: 512,
    sendTimeout: 10_000,
    trustedProxies: [],
  });
  return openEntry({ host: '127.0.0.1', port: 0 }, { ...options, connections, ...more });
};
const entry = await open();
after(async () => {
  await entry.close();
  odoo.closeAllConnections();
  odoo.close();
});

async function running() {
  const owner = await fixtures.user();
  const organizationId = await fixtures.workspace(owner, { balance: '10.00' });
  const project = await fixtures.project({ organizationId });
  const task = await fixtures.task(project, owner);
  const id = await fixtures.erpInstance(task);
  const member = await fixtures.user();
  await fixtures.member(organizationId, member, 'member');
  const path = `/api/tasks/${task}/odoo-instance`;
  return { owner, member, organizationId, project, task, id, path };
}

/** Asks as a browser does. */
function browse(url: string, headers: Record<string, string> = {}, by = entry.url) {
  const { host } = new URL(url);
  const path = url.slice(url.indexOf(host) + host.length);
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>(
    (resolve, reject) => {
      const sent = ask(by, { path, headers: { host, ...headers } });
      sent.once('error', reject).once('response', async (got) => {
        let text = '';
        for await (const part of got) text += part;
        resolve({ status: got.statusCode, headers: got.headers, text });
      });
      sent.end();
    },
  );
}
const cookiesOf = ({ headers }: { headers: IncomingHttpHeaders }) =>
  (headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ');

test('a link signs its person in, once, at their Odoo alone', async () => {
  const { member, path, id } = await running();
  const { status, body } = await request('POST', `${path}/open`, { key: member.key });
  assert.equal(status, 201);
  const other = await running();
  const elsewhere = body.url.replace(id, other.id);
  assert.equal((await browse(elsewhere)).status, 401);
  const both = await Promise.all([browse(body.url), browse(body.url)]);
  assert.deepEqual(both.map((each) => each.status).toSorted(), [303, 401]);
  const opened = both.find((each) => each.status === 303) ?? assert.fail();
  assert.equal(opened.headers.location, '/web');
  assert.match(
    String(opened.headers['set-cookie']),
    /guildhall_visit=[\w-]{43}; Path=\/; HttpOnly/,
  );
  const cookie = cookiesOf(opened);
  const at = `http://${id}.erp.test/web?x=1`;
  const refused = await browse(at);
  assert.deepEqual([refused.status, refused.headers.connection], [401, 'close']);
  const page = await browse(at, { cookie });
  assert.deepEqual([page.status, JSON.parse(page.text)], [200, { path: '/web?x=1' }]);
  assert.equal(seen.at(-1)?.headers.cookie?.includes('guildhall_visit'), false);
  assert.deepEqual(page.headers['set-cookie'], ['session_id=of-odoo; Path=/']);
  assert.equal(cookie.includes('stolen'), false);
  assert.equal((await browse(at.replace(id, other.id), { cookie })).status, 401);
  assert.equal((await browse('http://erp.test/web', { cookie })).status, 404);
  // Whatever the address looks like, only the Odoo is asked.
  const odd = await browse(`http://${id}.erp.test//other.test/web`, { cookie });
  assert.deepEqual(JSON.parse(odd.text), { path: '//other.test/web' });
  for (const strange of ['//', '//[', '/%', '///?'])
    assert.equal((await browse(`http://${id}.erp.test${strange}`)).status, 401, strange);
  const host = `${id}.erp.test`.toUpperCase();
  assert.equal((await browse(at, { cookie, host })).status, 200);
});

test('an Odoo that does not answer says where to open it again, since its link is used', async (t) => {
  const { owner, path } = await running();
  const { body } = await request('POST', `${path}/open`, { key: owner.key });
  const gone = await open({ driver: { url: async () => 'http://127.0.0.1:9' } });
  t.after(gone.close);
  const { status, text } = await browse(body.url, {}, gone.url);
  assert.equal(status, 502);
  assert.match(text, /open it again from its task/);
});

test('by https, the cookie of a visit is one that no other instance can set', async (t) => {
  const { member, path, id } = await running();
  const secure = await open({ secure: true });
  t.after(secure.close);
  const { body } = await request('POST', `${path}/open`, { key: member.key });
  const opened = await browse(body.url, {}, secure.url);
  assert.match(
    String(opened.headers['set-cookie']),
    /__Host-guildhall_visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/,
  );
  const cookie = `guildhall_visit=of-another; ${cookiesOf(opened)}`;
  assert.equal((await browse(`http://${id}.erp.test/web`, { cookie }, secure.url)).status, 200);
  assert.equal(seen.at(-1)?.headers.cookie?.includes('guildhall_visit'), false);
});

test('whoever may not work on the task any more passes no more, nor does anyone once it has ended', async () => {
  const { owner, member, organizationId, path, id, task } = await running();
  const enter = async (key: string) => {
    const { body } = await request('POST', `${path}/open`, { key });
    return cookiesOf(await browse(body.url));
  };
  const at = `http://${id}.erp.test/web`;
  const [ofMember, ofOwner] = [await enter(member.key), await enter(owner.key)];
  const statuses = async () =>
    Promise.all([ofMember, ofOwner].map(async (cookie) => (await browse(at, { cookie })).status));
  assert.deepEqual(await statuses(), [200, 200]);
  await request('DELETE', `/api/organizations/${organizationId}/members/${member.id}`, {
    key: owner.key,
  });
  assert.deepEqual(await statuses(), [401, 200]);
  await db.many(sql`update erp_instance set state = 'stopping' where task_id = ${task}`);
  assert.deepEqual(await statuses(), [401, 401]);
});

test('a body is never read as another request, whatever has it', async () => {
  const { owner, path, id } = await running();
  const { body } = await request('POST', `${path}/open`, { key: owner.key });
  const cookie = cookiesOf(await browse(body.url));
  const { port } = new URL(entry.url);
  const inner = 'GET /inner HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
    const socket = connect(Number(port), '127.0.0.1');
    const head =
      `${method} /outer HTTP/1.1\r\nHost: ${id}.erp.test\r\nCookie: ${cookie}\r\n` +
      'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    socket.write(`${head}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`);
    let text = '';
    for await (const part of socket) text += part;
    assert.match(text, /^HTTP\/1.1 200 .*"path":"\/outer"/s);
  }
  assert.ok(!seen.some(({ url }) => url === '/inner'));
});

test('an answer to a body of which not all is read arrives, whoever gives it', async (t) => {
  const { owner, path, id } = await running();
  const { body } = await request('POST', `${path}/open`, { key: owner.key });
  const cookie = cookiesOf(await browse(body.url));
  const { port } = new URL(entry.url);
  const refusals = [
    { at: '/refused', header: `Cookie: ${cookie}\r\n`, status: 413 },
    { at: '/web', header: '', status: 401 },
  ];
  for (const { at, header, status } of [...refusals, ...refusals]) {
    const socket = connect(Number(port), '127.0.0.1');
    t.after(() => socket.destroy());
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(
      `POST ${at} HTTP/1.1\r\nHost: ${id}.erp.test\r\n${header}Content-Length: 20000000\r\n\r\n`,
    );
    // As a client that reads when it has sent everything.
    for (let sent = 0; sent < 10; sent += 1)
      await new Promise((resolve, reject) => {
        socket.write(Buffer.alloc(2_000_000), (error) => (error ? reject(error) : resolve(0)));
      });
    await until('it is answered', () => text !== '');
    assert.match(text, new RegExp(`^HTTP/1.1 ${status} `));
    socket.destroy();
  }
});

test('an answer that goes on ends when its person may not pass any more', async () => {
  const { owner, member, organizationId, path, id } = await running();
  const { body } = await request('POST', `${path}/open`, { key: member.key });
  const cookie = cookiesOf(await browse(body.url));
  const sent = ask(`${entry.url}/endless`, { headers: { host: `${id}.erp.test`, cookie } }).end();
  const [answer] = await once(sent, 'response');
  const ended = new Promise((resolve) => answer.resume().on('error', resolve));
  await request('DELETE', `/api/organizations/${organizationId}/members/${member.id}`, {
    key: owner.key,
  });
  await ended;
});

test('a WebSocket passes with the cookie of a visit, and not without', async () => {
  const { owner, path, id } = await running();
  const { body } = await request('POST', `${path}/open`, { key: owner.key });
  const cookie = cookiesOf(await browse(body.url));
  const host = `${id}.erp.test`;
  const upgraded = (more: Record<string, string>) =>
    new Promise<string | undefined>((resolve, reject) => {
      const headers = { host, connection: 'Upgrade', upgrade: 'websocket', ...more };
      const sent = ask(entry.url, { path: '/websocket', headers });
      sent.once('error', reject).once('response', (got) => resolve(got.resume() && undefined));
      sent.once('upgrade', (_, socket) => {
        socket.once('data', (data) => {
          socket.destroy();
          resolve(String(data));
        });
        socket.write('echoed');
      });
      sent.end();
    });
  assert.equal(await upgraded({ cookie }), 'echoed');
  assert.equal(await upgraded({}), undefined);
});

test('a person gets in while 600 strangers from elsewhere are connected and silent', async (t) => {
  const { owner, path, id } = await running();
  const { port } = new URL(entry.url);
  const strangers = (localAddress: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
        t.after(() => socket.destroy());
        socket.on('error', () => undefined).resume();
        await once(socket, 'connect');
        return socket;
      }),
    );
  const left = (sockets: Awaited<ReturnType<typeof strangers>>) =>
    sockets.filter((socket) => !socket.closed).length;
  const open = async () => {
    const { body } = await request('POST', `${path}/open`, { key: owner.key });
    return cookiesOf(await browse(body.url));
  };
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', cookie: await open() };
  const bus = ask(`${entry.url}/websocket`, {
    headers: { host: `${id}.erp.test`, ...upgrade },
    agent: false,
  });
  const [, socket] = await once(bus.end(), 'upgrade');
  const silent = await strangers('127.0.0.2', 600);
  const cookie = await open();
  assert.equal((await browse(`http://${id}.erp.test/web`, { cookie })).status, 200);
  await until('some had to go', () => left(silent) <= 512);
  // What someone with a right has open stays, however many come.
  const sent = ask(`${entry.url}/endless`, { headers: { host: `${id}.erp.test`, cookie } }).end();
  const [answer] = await once(sent, 'response');
  answer.on('error', () => undefined).resume();
  const more = await strangers('127.0.0.3', 600);
  const browsed = await browse(`http://${id}.erp.test/web`, { cookie });
  assert.deepEqual([browsed.status, answer.destroyed], [200, false]);
  await until('others had to go', () => left([...silent, ...more]) < 1_024);
  socket.write('echoed');
  assert.deepEqual(await once(socket, 'data'), [Buffer.from('echoed')]);
  socket.destroy();
});

test('who does not send a complete header is not connected for long', async (t) => {
  const strict = await open({ headerWithin: 50 });
  t.after(strict.close);
  for (const bytes of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
    const socket = connect(Number(new URL(strict.url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => undefined).resume();
    socket.write(bytes);
    await once(socket, 'close');
  }
});

test('who sends on after the answer is not connected for long', async (t) => {
  const hasty = await open({ lingerFor: 50 });
  t.after(hasty.close);
  for (const [header, status] of [
    ['Transfer-Encoding: chunked\r\n', 404],
    ['Connection: Upgrade\r\nUpgrade: websocket\r\n', 401],
    ['Connection: Upgrade\r\nUpgrade: h2c\r\n', 400],
  ] as const) {
    const socket = connect(Number(new URL(hasty.url).port), '127.0.0.1');
    let text = '';
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        text += data;
      });
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
    const sending = setInterval(() => socket.writable && socket.write('1\r\na\r\n'), 5);
    t.after(() => {
      clearInterval(sending);
      socket.destroy();
    });
    await new Promise((resolve) => socket.once('close', resolve));
    assert.match(text, new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test('a link that is a minute old opens nothing', async () => {
  const { owner, path, id } = await running();
  const { body } = await request('POST', `${path}/open`, { key: owner.key });
  await db.many(sql`
    update erp_instance_visit set created_at = now() - interval '61 seconds'
     where instance_id = ${id}`);
  assert.equal((await browse(body.url)).status, 401);
});

test('404 and 409: no instance, one that does not run, and a server without entry', async () => {
  const { owner, path, task } = await running();
  const refused = async (what: string, status: number, code: string) => {
    const reply = await unchanged(() => request('POST', `${path}/${what}`, { key: owner.key }));
    assert.deepEqual([reply.status, reply.body.code], [status, code]);
  };
  await db.many(sql`update erp_instance set entry_url = null where task_id = ${task}`);
  await refused('open', 409, 'odoo_instance_not_open');
  await db.many(sql`update erp_instance set state = 'stopping' where task_id = ${task}`);
  for (const what of ['open', 'restart', 'reset'])
    await refused(what, 409, 'odoo_instance_not_running');
  await db.many(sql`
    update erp_instance set state = 'ended', cleared_at = now() where task_id = ${task}`);
  for (const what of ['open', 'restart', 'reset'])
    await refused(what, 404, 'odoo_instance_not_found');
});

test('200: of a restart and a reset at once, one is done', async () => {
  const { owner, path, task } = await running();
  const replies = await Promise.all(
    ['restart', 'reset'].map((what) => request('POST', `${path}/${what}`, { key: owner.key })),
  );
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
  const won = replies[0]?.status === 200 ? 'restart' : 'reset';
  const rows = await db.many(sql`select state, asked from erp_instance where task_id = ${task}`);
  assert.deepEqual(rows, [{ state: 'starting', asked: won }]);
});

test('200: its log and its mails, as a worker has collected them, bounded', async () => {
  const { owner, path, id, task } = await running();
  const read = async (what: string) =>
    (await request('GET', `${path}/${what}`, { key: owner.key })).body;
  assert.deepEqual([await read('log'), await read('mails')], [{ text: '' }, []]);
  let count = 0;
  const mail = () => {
    count += 1;
    return { sender: 'a@x', recipients: ['b@x'], subject: `Mail ${count}`, text: '<b>no</b>' };
  };
  const driver = {
    log: async () => 'It runs.\n',
    takeMails: async () => Array.from({ length: 60 }, mail),
  };
  const secret = 'x';
  for (const _ of [1, 2]) await collect(db, { driver, id, secret, stored: {} });
  assert.equal((await read('log')).text, 'It runs.\n');
  const [newest] = await read('mails');
  assert.deepEqual(
    [newest.subject, newest.recipients, newest.text],
    ['Mail 120', ['b@x'], '<b>no</b>'],
  );
  const { kept } = await db.one<{ kept: number }>(sql`
    select count(*)::int as kept from erp_instance_mail where instance_id = ${id}`);
  assert.equal(kept, 100);
  await db.many(sql`
    update erp_instance set state = 'stopping' where task_id = ${task}`);
  await db.many(sql`
    update erp_instance set state = 'ended', cleared_at = now() where task_id = ${task}`);
  assert.deepEqual(await read('mails'), []);
  await collect(db, { driver, id: randomUUID(), secret, stored: {} });
});

test('a log is sent to the database when it has changed, and again by the next worker', async () => {
  const { owner, path, id } = await running();
  let text = '';
  let sent = 0;
  const counted = {
    ...db,
    many: <Row>(query: Sql) => {
      sent += 1;
      return db.many<Row>(query);
    },
  };
  const sentFor = async (log: string, stored: StoredLog) => {
    [text, sent] = [log, 0];
    await collect(counted, { driver: { log: async () => text }, id, secret: 'x', stored });
    assert.equal((await request('GET', `${path}/log`, { key: owner.key })).body.text, text);
    return sent;
  };
  const [first, next] = [{}, {}];
  assert.equal(await sentFor('', first), 0);
  assert.deepEqual([await sentFor('a', first), await sentFor('a', first)], [1, 0]);
  assert.deepEqual([await sentFor('b', first), await sentFor('b', first)], [1, 0]);
  assert.deepEqual([await sentFor('a', next), await sentFor('a', next)], [1, 0]);
});
