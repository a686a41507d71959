import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, test } from 'node:test';
import { backgroundWork } from '../billing/background.ts';
import { stripeProcessor } from '../billing/cards/stripe.ts';
import { mintKey } from '../identity/keys/key.ts';
import { startFakeStripe } from '../testing/fakes/fake-stripe/server.ts';
import { startHarness } from '../testing/harness/harness.ts';
import { openLog } from './log.ts';
import { readable } from './readable-log.ts';

const fake = await startFakeStripe();
after(() => fake.close());
const { db } = await startHarness();

function recorder() {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: openLog('trace', stream) };
}

// One secret of every kind that a log line might contain; none of them is real.
const SECRETS = {
  sk_live_: 'sk_live_51Abcdef0123',
  sk_test_: 'sk_test_wrong_key_of_somebody',
  rk_live_: 'rk_live_9Zyxw8Vuts7',
  sk_org_: 'sk_org_7Qrst6Ponm5',
  whsec_: 'whsec_abc+DEF/ghi+JKL==',
  gld_: mintKey(),
  ghs_: `ghs_${'16C7e42F29'.repeat(4)}`,
  github_pat_: `github_pat_${'11ABCDEfgh7'.repeat(2)}_${'x9'.repeat(30)}`,
  eyJ: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjEyMzQ1fQ.c2lnbmF0dXJl-x_',
  '-----BEGIN RSA PRIVATE KEY-----':
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----',
};

test('no secret reaches a line: in messages, causes, stacks, fields and errors within errors', () => {
  for (const [kind, secret] of Object.entries(SECRETS)) {
    const { lines, log } = recorder();
    const said = `Invalid API Key provided: ${secret}`;
    const within = Object.assign(new Error(said, { cause: new Error(`${secret} again`) }), {
      raw: { key: secret },
    });
    log.warn({ err: within }, said);
    log.error({ err: new AggregateError([within, new Error(`\n${secret}`)], 'several') });
    log.info(
      { url: `/?key=${secret}`, deep: { list: [secret, `a%20${secret}`] } },
      'one %s',
      secret,
    );
    log.child({ secret }).fatal(new Error(`first\n${secret}\tand\r${secret}`));
    assert.equal(lines.length, 4);
    for (const line of lines) {
      assert.ok(!line.includes(secret.slice(kind.length).trim().slice(0, 8)), line);
      assert.ok(line.includes(`${kind}***`), line);
      JSON.parse(line);
    }
  }
});

test('what only looks like one is left alone', () => {
  const { lines, log } = recorder();
  log.info({ task_id: 'task_1', risk_level: 'disk_full', id: 'pi_1' }, 'the mask_of');
  const { task_id, risk_level, id, msg } = JSON.parse(lines[0] as string);
  assert.deepEqual([task_id, risk_level, id, msg], ['task_1', 'disk_full', 'pi_1', 'the mask_of']);
});

test('a worker with a wrong Stripe key says so without saying the key', async () => {
  const { lines, log } = recorder();
  const secretKey = SECRETS.sk_test_;
  const customers = {
    get: async () => undefined,
    put: async (_: string, id: string) => id,
    forget: async () => {},
  };
  const stripe = stripeProcessor({ secretKey, apiBase: fake.url, customers });
  const worker = backgroundWork(db, stripe, {
    checks: [1000],
    limits: { minimum: 1, maximum: 100 },
    log,
  });
  worker.start();
  while (!lines.some((line) => line.includes('missed events')))
    await new Promise((resolve) => setTimeout(resolve, 20));
  await worker.close();
  const line = lines.find((each) => each.includes('missed events')) as string;
  assert.match(line, /Invalid API Key provided/);
  assert.ok(!lines.join('').includes('wrong_key_of_somebody'));
});

test('for people, each entry is a line without what only programs read, and without a command to the terminal', () => {
  const text: string[] = [];
  const log = openLog(
    'trace',
    readable((line) => void text.push(line)),
  );
  log.info({ method: 'GET', route: '/api/tasks/:id', status: 200, ms: 3.7, reqId: 'r' }, 'request');
  log.info({ method: 'GET', route: null, status: 404, ms: 1, left: true }, 'request');
  log.warn({ file: 'a\u001b[2Jb\nc', count: 2, reqId: 'r1' }, `the key is ${SECRETS.gld_}`);
  log.warn({ err: new Error('it is\u001b[31m away') }, 'database');
  log.error({ err: new Error('broken') }, 'a fault');
  const said = text.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
  assert.deepEqual(said.slice(0, 4), [
    'GET /api/tasks/:id 200 4 ms\n',
    'GET (no route) 404 1 ms (the caller has left)\n',
    'warning the key is gld_*** file=a [2Jb c count=2 reqId=r1\n',
    'warning database\n  it is [31m away\n',
  ]);
  assert.match(said[4] as string, /^error a fault\n {2}Error: broken\n {6}at /);
});
