import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { openGitHub } from '../../../code/github/app.ts';
import { processDeliveries } from '../../../code/github/process-deliveries.ts';
import { openHosts } from '../../../code/hosts/open-hosts.ts';
import { refreshDuePulls } from '../../../code/hosts/refresh-due-pulls.ts';
import { sql } from '../../../db/sql.ts';
import { accountOf } from '../../../testing/fakes/fake-github/state.ts';
import { appOf, startGithub } from '../../../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../../../testing/fixtures/code/tasks-on-github.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { answerReviews } from './answer-reviews.ts';
import { sendReviews } from './send-reviews.ts';

/** What people write about a pull request on GitHub reaches the agent of its task, and is answered. */

const fake = await startGithub();
const harness = await startHarness({ own: true, github: fake });
const { db, fixtures, request } = harness;
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const { github, shop } = on;
const log = pino({ level: 'silent' });
fake.webhook(`${harness.url}/webhooks/github`);
fake.collaborate(shop, 'ada', 'write');
fake.collaborate(shop, 'rita', 'read');

/** A task with an open pull request, in the project that the others have, or in this one. */
async function offered(project?: string) {
  const begun = project === undefined ? undefined : { projectId: project };
  const { taskId, projectId } = await on.built(undefined, begun);
  const { body } = await request('POST', `/api/tasks/${taskId}/pull-request`, { key: owner.key });
  return { taskId, projectId, number: body.number as number };
}

const deliver = () => processDeliveries(db, github, { log });
const send = () => sendReviews(db, github.webUrl);
const answer = () =>
  answerReviews(db, {
    codeHosts: openHosts({ github }),
    publicUrl: 'https://guildhall.test',
    log,
  });
/** Sends what GitHub has to say, and does what follows from it. */
async function arrive(delivery?: Parameters<typeof fake.deliver>[0]) {
  await fake.deliver(delivery);
  await deliver();
  await send();
}
const messagesOf = async (taskId: string) =>
  (await request('GET', `/api/tasks/${taskId}/messages`, { key: owner.key })).body.filter(
    ({ github_login }: { github_login?: string }) => github_login !== undefined,
  );
const states = async (taskId: string) =>
  (
    await db.many<{ state: string }>(sql`
      select state from github_review where task_id = ${taskId} order by id`)
  ).map(({ state }) => state);
/** Ends the turn of the newest message as a worker does. */
const end = (taskId: string, text: string, state = 'done') =>
  db.many(sql`
    with turn as (
      update task_turn set state = ${state}, ended_at = now(), attempt = 1
       where task_id = ${taskId} and state = 'queued' returning id),
    numbered as (
      update task set last_message = last_message + 1 where id = ${taskId} returning last_message)
    insert into task_message (task_id, number, turn_id, role, content)
    select ${taskId}, last_message, turn.id, 'agent', ${text} from turn cross join numbered`);
const saidOn = (number: number) =>
  [...shop.comments.values()].filter((each) => each.number === number && each.throughApp);
const link = async (login: string, user: { id: string }) =>
  db.many(sql`
    insert into identity (user_id, provider, issuer, subject)
    values (${user.id}, 'github', ${fake.url},
            ${String(accountOf(fake.state, login, 'User').id)})`);

test('a review with comments on lines becomes one message, however often and in whatever order it arrives', async () => {
  const { taskId, number } = await offered();
  fake.review(shop, number, {
    by: 'ada',
    state: 'CHANGES_REQUESTED',
    body: '@guildhall-test please look\nat these',
    comments: [
      { path: 'a.txt', line: 2, body: 'Say why.', hunk: '@@ -1,2 +1,2 @@\n one\n+two' },
      { path: 'b.txt', line: 7, body: 'Remove it.' },
    ],
  });
  await arrive({ order: 'shuffled', duplicate: 3 });
  await fake.deliver({ again: true, types: ['pull_request_review', 'issue_comment'] });
  await Promise.all([deliver(), deliver(), send(), send()]);
  const [message, ...others] = await messagesOf(taskId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [message.github_login, message.author_user_id, message.status],
    ['ada', undefined, 'queued'],
  );
  assert.equal(
    message.text,
    [
      'From a review of the pull request on GitHub, by @ada, who may write to the repository there ' +
        'and has no account here. It requests changes.',
      '> @guildhall-test please look\n> at these',
      'About "a.txt", line 2:',
      '> @@ -1,2 +1,2 @@\n>  one\n> +two',
      'They say:',
      '> Say why.',
      'About "b.txt", line 7:',
      '> @@ -1 +1 @@\n> +line',
      'They say:',
      '> Remove it.',
    ].join('\n\n'),
  );
  const { prompt, requested_by_user_id } = await db.one<Record<string, unknown>>(sql`
    select prompt, requested_by_user_id from task_turn where task_id = ${taskId}`);
  assert.deepEqual([prompt, requested_by_user_id], [message.text, null]);
  const trail = await db.many(sql`
    select actor_user_id, request_id from audit_event
     where target_id = ${taskId} and action = 'pull_request.review'`);
  assert.equal(trail.length, 1);
});

test('what the agent answers is posted once, also by a process that dies before it records that', async () => {
  const { taskId, number } = await offered();
  fake.comment(shop, number, { by: 'ada', body: 'Round it, @Guildhall-Test.' });
  await arrive();
  assert.equal((await messagesOf(taskId)).length, 1);
  await answer();
  assert.deepEqual(saidOn(number), [], 'its turn has not ended');
  await end(taskId, 'Rounded.\n\nAsk @rita about `@decorated` code.');
  await Promise.all([answer(), answer()]);
  const again = sql`
    update github_review set state = 'sent', not_before = now() where task_id = ${taskId}`;
  await db.many(again);
  await answer();
  const [comment, ...others] = saidOn(number);
  assert.deepEqual(others, []);
  assert.match(
    comment?.body ?? '',
    /^@ada This is the plan\. .* \[The task\]\(https:\/\/guildhall\.test\/projects\/[^)]+\)\n\nRounded\.\n\nAsk @&#8203;rita about `@decorated` code\.\n\n<!-- guildhall-review:[0-9a-f-]{36} -->$/,
  );
  assert.deepEqual(await states(taskId), ['answered']);
  // The App's own comment is reported, too.
  await arrive();
  assert.equal((await messagesOf(taskId)).length, 1);
});

test('no agent hears of what the App, other bots, Apps for people and readers write', async () => {
  const { taskId, number } = await offered();
  const body = '@guildhall-test do it';
  for (const by of ['rita', 'stranger', 'renovate[bot]', 'guildhall-test[bot]'])
    fake.comment(shop, number, { by, body });
  fake.comment(shop, number, { by: 'ada', body, throughApp: true });
  fake.review(shop, number, { by: 'rita', body });
  await arrive();
  await answer();
  assert.deepEqual([await messagesOf(taskId), await states(taskId)], [[], []]);
  assert.ok(
    !fake.requests.some(({ method, path }) => method === 'POST' && path.includes(`/${number}/`)),
  );
});

test('what does not mention the App, or only in code and quotations, is nothing', async () => {
  const { taskId, number } = await offered();
  for (const body of [
    'Looks good',
    'guildhall-test',
    '@guildhall-tests do it',
    'me@guildhall-test',
    '> @guildhall-test do it\n\nno',
    '`@guildhall-test`',
    '```\n@guildhall-test\n```',
  ])
    fake.comment(shop, number, { by: 'ada', body });
  await arrive();
  assert.deepEqual(await messagesOf(taskId), []);
});

test('a comment counts as it is when it is read: edited, deleted, and once', async () => {
  const { taskId, number } = await offered();
  const edited = fake.comment(shop, number, { by: 'ada', body: 'Hm' });
  const deleted = fake.comment(shop, number, { by: 'ada', body: '@guildhall-test no' });
  fake.deleteComment(shop, deleted.id);
  fake.editComment(shop, edited.id, '@guildhall-test yes');
  await arrive({ order: 'newest' });
  fake.editComment(shop, edited.id, '@guildhall-test yes, and more');
  await arrive();
  const sent = await messagesOf(taskId);
  assert.deepEqual(
    sent.map(({ text }: { text: string }) => text.split('\n').at(-1)),
    ['> @guildhall-test yes'],
  );
});

test('of someone who has linked their account it is theirs, if they may write on the task', async () => {
  const { taskId, number } = await offered();
  const viewer = await fixtures.user();
  await fixtures.member(on.workspace, viewer, 'viewer');
  for (const [login, user] of [
    ['linked', owner],
    ['onlooker', viewer],
    ['elsewhere', await fixtures.user()],
  ] as const) {
    fake.collaborate(shop, login, 'admin');
    await link(login, user);
    fake.comment(shop, number, { by: login, body: '@guildhall-test do it' });
  }
  await arrive();
  const [message, ...others] = await messagesOf(taskId);
  assert.deepEqual(others, []);
  assert.deepEqual([message.author_user_id, message.github_login], [owner.id, 'linked']);
  assert.match(message.text, /^From a comment on the pull request on GitHub, by @linked\.\n/);
  assert.deepEqual((await states(taskId)).sort(), ['ignored', 'ignored', 'sent']);
});

test('while the task is at work it waits as any other message', async () => {
  const { taskId, number } = await offered();
  await db.many(sql`
    insert into task_turn (task_id, number, kind, mode, state, source, prompt, owner, lease_until,
                           attempt)
    values (${taskId}, 1, 'prompt', 'build', 'running', ${randomUUID()}, 'x', 'w',
            now() + interval '1 hour', 1)`);
  await db.many(sql`update task set status = 'building', last_turn = 1 where id = ${taskId}`);
  fake.comment(shop, number, { by: 'ada', body: '@guildhall-test and this' });
  await arrive();
  assert.equal((await messagesOf(taskId))[0].status, 'queued');
  const { body } = await request('GET', `/api/tasks/${taskId}`, { key: owner.key });
  assert.equal(body.status, 'building');
});

test('nothing is done for what is merged, archived, or of an account that is not connected any more', async () => {
  const archived = await offered(await on.project());
  const [merged, late] = [await offered(), await offered()];
  await db.many(sql`update pull_request set state = 'merged' where task_id = ${merged.taskId}`);
  await db.many(sql`update project set archived_at = now() where id = ${archived.projectId}`);
  for (const { number } of [merged, archived, late])
    fake.comment(shop, number, { by: 'ada', body: '@guildhall-test do it' });
  await fake.deliver();
  await deliver();
  // Between the poll and the message.
  await db.many(sql`update task set archived_at = now() where id = ${late.taskId}`);
  await send();
  for (const { taskId } of [merged, archived, late]) assert.deepEqual(await messagesOf(taskId), []);
  assert.deepEqual(
    await Promise.all([merged, archived, late].map(({ taskId }) => states(taskId))),
    [[], [], ['ignored']],
  );
});

test('what was found waits where the App is not set up, and is neither sent nor answered there', async () => {
  const { taskId, number } = await offered();
  fake.comment(shop, number, { by: 'ada', body: '@guildhall-test do it' });
  await fake.deliver();
  await deliver();
  const elsewhere = { codeHosts: openHosts({}), publicUrl: '', log };
  await sendReviews(db, undefined);
  assert.deepEqual([await messagesOf(taskId), await states(taskId)], [[], ['found']]);
  await send();
  await end(taskId, 'Done.');
  await answerReviews(db, elsewhere);
  assert.deepEqual([saidOn(number), await states(taskId)], [[], ['sent']]);
  await answer();
  assert.deepEqual([saidOn(number).length, await states(taskId)], [1, ['answered']]);
});

test('one whose message was deleted before the agent read it has no answer', async () => {
  const { taskId, number } = await offered();
  fake.comment(shop, number, { by: 'ada', body: '@guildhall-test do it' });
  await arrive();
  const [message] = await messagesOf(taskId);
  const path = `/api/tasks/${taskId}/messages/${message.number}`;
  assert.equal((await request('DELETE', path, { key: owner.key })).status, 204);
  await arrive({ again: true, types: ['issue_comment'] });
  await answer();
  assert.deepEqual([await messagesOf(taskId), saidOn(number)], [[], []]);
  assert.deepEqual(await states(taskId), ['answered']);
});

test('while GitHub fails it is tried again, and a long text is cut', async () => {
  const { taskId, number } = await offered();
  fake.comment(shop, number, { by: 'ada', body: `@guildhall-test ${'x'.repeat(60_000)}` });
  await fake.deliver();
  fake.fault({ match: 'GET /app', kind: '502before', times: 20 });
  await deliver();
  assert.deepEqual(await states(taskId), []);
  fake.clearFaults();
  await db.many(sql`update github_delivery set not_before = now() where done_at is null`);
  await deliver();
  await send();
  const [message] = await messagesOf(taskId);
  assert.ok(message.text.length < 21_000 && message.text.endsWith('…'));
});

/** What GitHub has to say does not arrive. */
async function lose() {
  fake.loseEvents(1_000);
  await fake.deliver();
  fake.loseEvents(0);
}
/** The pull request is looked at as it is after some minutes, or after this time. */
const pass = (taskId: string, time = '10 minutes') =>
  db.many(sql`
    update pull_request
       set looked_at = now() - interval '1 hour', reviews_known_until = now() - ${time}::interval
     where task_id = ${taskId}`);
const found = async (taskId: string, time?: string) => {
  await pass(taskId, time);
  await on.refresh();
  await send();
  return (await messagesOf(taskId)).map(({ text }: { text: string }) => text.split('\n').at(-1));
};
const listed = (number: number) =>
  fake.requests.filter(({ path }) =>
    new RegExp(`/(issues/${number}/comments|pulls/${number}/reviews)$`).test(path),
  ).length;

test('a review and a comment whose webhooks were lost are found by looking, once', async () => {
  const { taskId, number } = await offered();
  fake.review(shop, number, {
    by: 'ada',
    comments: [{ path: 'a.txt', line: 2, body: '@guildhall-test say why' }],
  });
  fake.comment(shop, number, { by: 'ada', body: '@guildhall-test and shorten it' });
  for (const by of ['rita', 'renovate[bot]', 'guildhall-test[bot]'])
    fake.comment(shop, number, { by, body: '@guildhall-test do it' });
  fake.comment(shop, number, { by: 'ada', body: 'Nothing for it' });
  const edited = fake.comment(shop, number, { by: 'ada', body: 'Hm' });
  fake.editComment(shop, edited.id, '@guildhall-test now it is');
  await lose();
  const all = [
    '> @guildhall-test say why',
    '> @guildhall-test and shorten it',
    '> @guildhall-test now it is',
  ];
  assert.deepEqual((await found(taskId)).toSorted(), all.toSorted());
  assert.equal((await found(taskId)).length, 3);
  const { late } = await db.one<{ late: boolean }>(sql`
    select reviews_known_until > now() - interval '5 minutes' as late
      from pull_request where task_id = ${taskId}`);
  assert.ok(late, 'and the next poll begins there');
});

test('what both a webhook and a poll find at the same time is one message', async () => {
  const [one, other] = [await offered(), await offered()];
  for (const { number } of [one, other]) {
    fake.review(shop, number, { by: 'ada', body: '@guildhall-test first' });
    fake.comment(shop, number, { by: 'ada', body: '@guildhall-test second' });
  }
  await fake.deliver({ order: 'shuffled', duplicate: 2 });
  for (const { taskId } of [one, other]) await pass(taskId);
  await Promise.all([deliver(), on.refresh(), send(), deliver(), on.refresh(), send()]);
  await send();
  for (const { taskId } of [one, other]) {
    assert.equal((await found(taskId)).length, 2);
    assert.deepEqual(await states(taskId), ['sent', 'sent']);
  }
});

test('GitHub is asked for reviews where something has changed, not too often, and while the pull request is open', async () => {
  const { taskId, number } = await offered();
  const pull = shop.pulls.get(number) ?? assert.fail();
  pull.updatedAt -= 3_600_000;
  await found(taskId);
  assert.equal(listed(number), 0, 'nothing has changed');
  await found(taskId, '2 hours');
  assert.equal(listed(number), 2, 'after a long time');
  fake.comment(shop, number, { by: 'ada', body: '@guildhall-test do it' });
  await found(taskId, '1 minute');
  assert.equal(listed(number), 2, 'a moment ago');
  await db.many(sql`update pull_request set state = 'closed' where task_id = ${taskId}`);
  await lose();
  await found(taskId);
  assert.equal(listed(number), 2, 'closed');
  await db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`);
  pull.updatedAt = Date.now() + 600_000;
  await on.refresh();
  assert.deepEqual(await states(taskId), [], 'it was written before it was opened again');
});

test('one that cannot be read keeps no other back, and is found later', async () => {
  const { taskId, number } = await offered();
  const [first] = ['one', 'two'].map((text) =>
    fake.comment(shop, number, { by: 'ada', body: `@guildhall-test ${text}` }),
  );
  await lose();
  const path = `/repos/acme/${shop.name}/issues/comments/${first?.id}`;
  fake.fault({ match: `GET ${path}`, kind: '502before', times: 20 });
  assert.deepEqual(await found(taskId), ['> @guildhall-test two']);
  fake.clearFaults();
  await db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`);
  await on.refresh();
  await send();
  assert.deepEqual(await states(taskId), ['sent', 'sent']);
});

test('nothing more is asked once GitHub limits requests, and what was not read is found later', async () => {
  const { taskId, number } = await offered();
  for (const text of ['one', 'two'])
    fake.comment(shop, number, { by: 'ada', body: `@guildhall-test ${text}` });
  await lose();
  await pass(taskId);
  const first = `/repos/acme/${shop.name}/issues/comments/:id`;
  fake.fault({ match: `GET ${first}`, kind: 'secondaryLimit', retryAfter: 3_600 });
  const before = fake.requests.length;
  // Of its own, because it remembers the limit.
  await refreshDuePulls(db, openHosts({ github: openGitHub(appOf(fake)) }), log);
  const { path, fault } = fake.requests.at(-1) ?? assert.fail();
  assert.deepEqual([path.includes('/issues/comments/'), fault], [true, 'secondaryLimit']);
  assert.ok(fake.requests.length > before);
  assert.deepEqual(await states(taskId), []);
  assert.equal((await found(taskId)).length, 2);
});

test('many reviews are read from the newest pages on, in several polls; what is too old is left', async () => {
  const { taskId, number } = await offered();
  const said = (body: string) => fake.review(shop, number, { by: 'ada', body });
  said('@guildhall-test very old').at -= 8 * 24 * 3_600_000;
  for (let i = 0; i < 140; i++) said('Nothing').at -= 4 * 24 * 3_600_000;
  for (let i = 0; i < 60; i++) said(`@guildhall-test ${i % 30 === 29}`).at -= (60 - i) * 60_000;
  await lose();
  const first = await found(taskId, '3 days');
  const { known } = await db.one<{ known: number }>(sql`
    select extract(epoch from now() - reviews_known_until)::float8 as known
      from pull_request where task_id = ${taskId}`);
  assert.ok(first.length <= 50 && known > 240, `${first.length} ${known}`);
  await db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`);
  await on.refresh();
  assert.equal((await states(taskId)).length, 60);
});
