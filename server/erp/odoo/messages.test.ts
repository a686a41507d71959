import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { outgoingTo } from '../../testing/fixtures/erp/fake-server.ts';
import { type Probe, SENTENCES } from '../probe.ts';
import { probeLogin, probeUrl } from './probing.ts';
import { encodeAnswer, encodeFault } from './xml-rpc.ts';

// A server that says whatever it likes, with these words all over it.
const MARK = '/usr/lib/python3/secret-host.internal:5432';

const words = fc.constantFrom(
  MARK,
  `Traceback (most recent call last):\n  File "${MARK}", line 1\npsycopg2.OperationalError: ${MARK}`,
  `odoo.exceptions.AccessDenied: ${MARK}`,
  '19.0',
  `19.0${MARK}`,
  '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
);
const names = fc.constantFrom(
  'server_version',
  'result',
  'uid',
  'login',
  'db_server_status',
  'name',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.constantFrom(true, false, null, 1, 19),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(names, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const known = fc.constant({ server_version: '19.0', result: { server_version: '18.0' }, uid: 2 });
const content = fc.oneof(known, value) as fc.Arbitrary<never>;

const answer = fc.oneof(
  fc.record({ type: fc.constant('text/xml'), body: content.map(encodeAnswer) }),
  fc.record({ type: fc.constant('text/xml'), body: words.map((text) => encodeFault(1, text)) }),
  fc.record({ type: fc.constant('application/json'), body: content.map((v) => JSON.stringify(v)) }),
  fc.record({ type: fc.constantFrom('text/html', 'text/xml', 'application/json'), body: words }),
);
const status = fc.constantFrom(200, 200, 200, 301, 400, 401, 403, 404, 422, 429, 500, 502);
const script = fc.array(fc.tuple(status, answer), { minLength: 1, maxLength: 7 });

let answers: [number, { type: string; body: string }][] = [];
const server = createServer((request, response) => {
  request.resume();
  const [code, { type, body }] = answers.shift() ?? [404, { type: 'text/html', body: MARK }];
  response
    .writeHead(code, { 'content-type': type, location: `/${MARK}`, 'x-host': MARK })
    .end(body);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
after(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const MESSAGES = new Set<string>([
  ...Object.values(SENTENCES),
  'Odoo answers.',
  'Odoo answers, and does not list its databases.',
  'Odoo answers; XML-RPC is closed there.',
  'The login works.',
]);

function holds(found: Probe, secret: string): void {
  assert.ok(MESSAGES.has(found.message), found.message);
  assert.equal(found.code === undefined || SENTENCES[found.code] === found.message, true);
  const text = JSON.stringify(found);
  for (const hidden of ['python', 'Traceback', 'internal', '127.0.0.1', '/web', '/xmlrpc', secret])
    assert.ok(!text.includes(hidden), text);
  assert.equal(found.login_ok, found.uid !== undefined);
}

test('whatever a server answers, a probe ends with one of its own sentences', async () => {
  const outgoing = outgoingTo();
  const secret = 'f00d'.repeat(10);
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (script_, named) => {
      answers = structuredClone(script_);
      const more = named ? { database: 'main', login: 'admin' } : {};
      holds(await probeLogin(outgoing, { url, secret, ...more }), secret);
      answers = structuredClone(script_);
      holds(await probeUrl(outgoing, url), secret);
    }),
    { numRuns: 150 },
  );
});
