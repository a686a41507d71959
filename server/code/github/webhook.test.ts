import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { startGithub } from '../../testing/fixtures/code/github.ts';
import { startHarness } from '../../testing/harness/harness.ts';

type Examples = { name: string; examples: object[] }[];
const examples: Examples = createRequire(import.meta.url)('@octokit/webhooks-examples');
const github = await startGithub();
const { db, request, log, unchanged } = await startHarness({ github });

const sign = (body: string, secret = github.webhookSecret) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Sends a delivery, with other headers than GitHub's where they are given. */
const send = (body: string, given: Record<string, string> = {}) =>
  request('POST', '/webhooks/github', {
    raw: body,
    headers: {
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': sign(body),
      ...given,
    },
  });

test('202: every payload that GitHub documents is taken, and what it is about is stored', async () => {
  let sent = 0;
  for (const { name, examples: payloads } of examples)
    for (const payload of payloads) {
      const body = JSON.stringify(payload);
      const reply = await send(body, { 'x-github-event': name });
      assert.deepEqual([reply.status, reply.body], [202, { received: true }], name);
      sent += 1;
    }
  const { stored, events, about } = await db.one<Record<string, number>>(sql`
    select count(*)::int as stored, count(distinct event)::int as events,
           count(repository_id)::int as about from github_delivery`);
  assert.equal(stored, sent);
  assert.ok(sent > 200 && Number(events) > 40 && Number(about) > 150, `${sent} ${events} ${about}`);
  const [{ subject } = { subject: undefined }] = await db.many<{ subject: object }>(sql`
    select subject from github_delivery where event = 'check_run' limit 1`);
  assert.deepEqual(Object.keys(subject ?? {}).sort(), ['pulls', 'sha']);
});

test('202: a delivery counts once, however often it arrives; unknown events are taken', async () => {
  const id = randomUUID();
  const body = JSON.stringify({ action: 'new', installation: { id: 7 }, repository: { id: 8 } });
  const headers = { 'x-github-event': 'of_the_future', 'x-github-delivery': id };
  const replies = await Promise.all(Array.from({ length: 10 }, () => send(body, headers)));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([202]));
  const rows = await db.many(sql`
    select event, action, installation_id::int, repository_id::int, subject
      from github_delivery where id = ${id}`);
  assert.deepEqual(rows, [
    { event: 'of_the_future', action: 'new', installation_id: 7, repository_id: 8, subject: {} },
  ]);
});

test('202: fields of other types than GitHub’s are left out', async () => {
  for (const odd of [
    { action: 5, installation: 'x', repository: { id: -1 } },
    { action: 'a\u0000', repository: { id: 1e300 }, pull_request: { number: '7' } },
    { check_run: { pull_requests: [null, { number: 1.5 }], head_sha: 'x'.repeat(100) }, ref: {} },
    { pull_request: { number: 2 ** 40 }, check_run: { pull_requests: [{ number: -1 }] } },
    { action: '\ud800', ref: 'refs/heads/\udfff' },
    {},
  ]) {
    const id = randomUUID();
    const reply = await send(JSON.stringify(odd), { 'x-github-delivery': id });
    assert.equal(reply.status, 202);
    const rows = await db.many(sql`
      select action, installation_id, repository_id, subject from github_delivery where id = ${id}`);
    const nothing = { action: null, installation_id: null, repository_id: null, subject: {} };
    assert.deepEqual(rows, [nothing]);
  }
});

test('400: no signature, another secret, other bytes, and the older kind of signature are refused', async () => {
  const body = JSON.stringify({ zen: 'x' });
  for (const signature of [
    '',
    'sha256=',
    'x',
    sign(body).slice(0, -1),
    sign(body).toUpperCase(),
    sign(body, 'another secret of sixteen'),
    sign(`${body} `),
    `sha256=${'é'.repeat(32)}`,
    `sha1=${createHmac('sha1', github.webhookSecret).update(body).digest('hex')}`,
  ]) {
    // Headers are sent as Latin-1.
    const reply = await unchanged(() => send(body, { 'x-hub-signature-256': signature }));
    assert.deepEqual([reply.status, reply.body.code], [400, 'signature_invalid'], signature);
  }
  assert.equal((await request('GET', '/webhooks/github')).headers.get('allow'), 'POST');
});

test('400: what is signed and no delivery is refused', async () => {
  const good = '{}';
  const wrong: [string, Record<string, string>][] = [
    ['not json', {}],
    ['[]', {}],
    ['null', {}],
    [`payload=${encodeURIComponent(good)}`, {}],
    [good, { 'x-github-delivery': 'nope' }],
    [good, { 'x-github-event': 'drop table' }],
    [good, { 'x-github-event': '' }],
  ];
  for (const [body, headers] of wrong) {
    const reply = await unchanged(() => send(body, headers));
    assert.deepEqual([reply.status, reply.body.code], [400, 'delivery_unreadable'], body);
  }
});

test('413: a delivery over 5 MiB is refused by its own limit; a large one below it is taken', async () => {
  const large = (size: number) => JSON.stringify({ padding: 'x'.repeat(size) });
  assert.equal((await send(large(2_000_000))).status, 202);
  const reply = await unchanged(() => send(large(5_300_000)));
  assert.deepEqual([reply.status, reply.body.code], [413, 'body_too_large']);
});

test('neither the secret nor a signature is in the log', () => {
  const all = log.join('');
  assert.ok(all.length > 0 && !all.includes(github.webhookSecret) && !/sha256=/.test(all));
});
