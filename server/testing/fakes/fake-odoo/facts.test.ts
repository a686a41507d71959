import assert from 'node:assert/strict';
import { request as http } from 'node:http';
import { request as https } from 'node:https';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { encodeCall, type Value } from '../../../erp/odoo/xml-rpc.ts';
import { ELSEWHERE, LOCALHOST } from '../mail-server/certificates.ts';
import { type Fact, facts, requestOf, type Seen, seen, servers } from './facts.ts';
import type { FakeOdoo } from './fake.ts';
import { type FakeOdooOptions, startFakeOdoo } from './server.ts';

const open: FakeOdoo[] = [];
after(() => Promise.all(open.map((each) => each.close())));

async function start(options: FakeOdooOptions): Promise<FakeOdoo> {
  const fake = await startFakeOdoo(options);
  open.push(fake);
  return fake;
}

/** Sends a request as it is, without following anything. */
function ask(
  url: string,
  { method = 'GET', headers = {}, body, ca }: Record<string, unknown> = {},
): Promise<Seen> {
  const { protocol, origin } = new URL(url);
  return new Promise((done, fail) => {
    const send = protocol === 'https:' ? https : http;
    // Node.js announces the length of a GET's body only if it is asked to.
    const length =
      body === undefined ? {} : { 'content-length': Buffer.byteLength(body as string) };
    const all = { ...(headers as object), ...length };
    const options = { method, headers: all, agent: false, ...(ca ? { ca } : {}) } as object;
    const sent = send(url, options, async (answer) => {
      done(seen(answer.statusCode ?? 0, answer.headers, await text(answer), origin));
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => fail(code));
    sent.end(body as string | undefined);
  });
}

/** Whether `whole` has everything of `part`, if a part is all that was recorded. */
const includes = (whole: Value, part: Value): boolean =>
  part !== null && typeof part === 'object' && !Array.isArray(part)
    ? Object.entries(part).every(([name, value]) =>
        includes((whole as Record<string, Value>)?.[name] ?? null, value),
      )
    : JSON.stringify(whole) === JSON.stringify(part);

function same(answer: Seen, { name, answer: { more, ...expected } }: Fact): void {
  const { json = null } = expected;
  const partial = more === true && json !== null && includes(answer.json ?? null, json);
  assert.deepEqual(partial ? { ...answer, json } : answer, expected, name);
}

let compared = 0;

for (const [server, options] of Object.entries(servers))
  test(`${server}: every recorded answer has its status, headers, codes and shape`, async () => {
    const fake = await start(options);
    for (const fact of facts.filter((each) => each.in.includes(server))) {
      const { path, ...request } = requestOf(fact, fake);
      same(await ask(fake.url + path, request), fact);
      compared += 1;
    }
  });

/** How each answer of the network comes about, by its name in the facts. */
const network: Record<string, () => Promise<Seen>> = {
  'http->https redirect GET': async () => redirected('GET', '/web/version'),
  'http->https redirect POST': async () => redirected('POST', '/xmlrpc/2/common'),
  'redirect followed, POST': async () => {
    const { url } = await start({ tls: LOCALHOST });
    const first = await start({ redirect: { status: 301, to: url } });
    const { location } = await ask(`${first.url}/xmlrpc/2/common`, { method: 'POST' });
    return ask(String(location), { method: 'POST' });
  },
  'self-signed': async () => ask(`${(await start({ tls: LOCALHOST })).url}/web/version`),
  'https on plain port': async () =>
    ask(`${(await start({})).url.replace('http:', 'https:')}/web/version`),
  'plain http on TLS port': async () =>
    ask(`${(await start({ tls: LOCALHOST })).url.replace('https:', 'http:')}/web/version`),
  refused: async () => {
    const fake = await startFakeOdoo();
    await fake.close();
    return ask(`${fake.url}/web/version`);
  },
  'nginx 502, Odoo down': async () =>
    ask(`${(await start({ instead: { status: 502 } })).url}/web/version`),
  'other server 404': async () =>
    ask(`${(await start({ instead: { status: 404 } })).url}/web/version`),
  'other server 404 xmlrpc': async () =>
    ask(`${(await start({ instead: { status: 404 } })).url}/xmlrpc/2/common`, { method: 'POST' }),
  'CA trusted, wrong host': async () =>
    ask(`${(await start({ tls: ELSEWHERE })).url}/web/version`, { ca: ELSEWHERE.cert }),
  'right: POST xmlrpc over https': async () =>
    ask(`${(await start({ tls: LOCALHOST })).url}/xmlrpc/2/common`, {
      method: 'POST',
      body: encodeCall('version', []),
      ca: LOCALHOST.cert,
      headers: { 'content-type': 'text/xml' },
    }),
};

async function redirected(method: string, path: string): Promise<Seen> {
  const { url } = await start({ tls: LOCALHOST });
  const from = await start({ redirect: { status: 301, to: url } });
  const { location = '', ...rest } = await ask(from.url + path, { method });
  return { ...rest, location: location.replace(url, '{https}') };
}

// Not answers of a server: the first is the resolver's, the second the client's own refusal.
const ELSEWHERE_DECIDED = ['no such name', 'smtp/blocked port'];

test('network: proxies, redirections and certificates answer as they were recorded', async () => {
  for (const fact of facts.filter(({ in: [where] }) => where?.startsWith('network'))) {
    if (ELSEWHERE_DECIDED.includes(fact.name)) continue;
    const answer = await network[fact.name]?.().catch((error: string) => ({ error }));
    // Of what proxies add to the headers, nothing was recorded.
    const { nosniff: _, ...rest } = answer as Seen;
    same(rest, fact);
    compared += 1;
  }
});

test('234 of the 236 recorded answers were compared', () => {
  const all = facts.reduce((sum, fact) => sum + fact.in.length, 0);
  assert.deepEqual([all, compared], [236, 236 - ELSEWHERE_DECIDED.length]);
});
