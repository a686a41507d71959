import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { sql } from '../../db/sql.ts';
import type { Message, Transport } from '../../platform/mail/mail.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { workerOn } from '../../testing/fixtures/identity/mail.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { notificationWork } from './background.ts';
import { notificationMail } from './notification-mail.ts';
import { oldNotifications } from './old-notifications.ts';
import { unsubscribeLinks } from './unsubscribe-link.ts';

/** Who is told of what by mail, when, and who is not. */

const harness = await startHarness({ own: true });
const { db, fixtures, request, unchanged, url } = harness;
const log = { info() {}, warn() {} } as never;
const work = notificationWork(db, { mails: true, log });
const sent: Message[] = [];
const transport: Transport = { send: async (message) => void sent.push(message), close() {} };
const mailer = workerOn(db, transport, {
  renderers: {
    task_notification: notificationMail(db, url, unsubscribeLinks(url, SERVER_SECRET)),
  },
});
after(() => mailer.close());

const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const newProject = () => fixtures.project({ organizationId: workspace });
const member = async (role: 'member' | 'viewer' | 'admin' = 'member') => {
  const user = await fixtures.user();
  await fixtures.member(workspace, user, role);
  return user;
};

/** A task that waits for approval of its plan. */
async function waiting(project: string, by: User): Promise<string> {
  const task = await fixtures.task(project, by);
  await fixtures.revision(task);
  await fixtures.taskStatus(task, 'awaiting_approval');
  return task;
}

/** All that is due is told. What each of these people got since the last time. */
async function told(...people: User[]): Promise<string[][]> {
  await work.round();
  await mailer.round();
  const mails = sent.splice(0);
  return people.map(({ email }) =>
    mails.filter(({ to }) => to === email).map(({ subject }) => subject),
  );
}

const set = ({ key }: User, body: object) =>
  request('PUT', '/api/account/notifications', { key, body });
const subscribe = ({ key }: User, task: string, state: string) =>
  request('PUT', `/api/tasks/${task}/subscription`, { key, body: { state } });
const comeDue = (user: User) =>
  db.many(
    sql`update notification_thread set due_at = now() where user_id = ${user.id} and due_at is not null`,
  );

test('a waiting plan reaches whoever began the task and whoever writes in it, with the way to it, and nobody else', async () => {
  const [author, writer, other] = [await member(), await member(), await member()];
  const project = await newProject();
  const task = await fixtures.task(project, author);
  await fixtures.message(task, writer);
  await fixtures.revision(task);
  await fixtures.taskStatus(task, 'awaiting_approval');
  await work.round();
  await mailer.round();
  const mails = sent.splice(0);
  assert.deepEqual(mails.map(({ to }) => to).sort(), [author.email, writer.email].sort());
  assert.ok(mails.every(({ text }) => text.includes(`${url}/projects/${project}/tasks/${task}`)));
  assert.ok(mails.every(({ subject }) => subject.startsWith('A plan waits for approval: ')));
  assert.deepEqual(await told(other), [[]]);
});

test('several events of a task are one mail, and 1,000 later ones the next, five minutes later', async () => {
  const author = await member();
  const task = await waiting(await newProject(), author);
  assert.equal((await told(author))[0]?.length, 1);
  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${task}`);
  await fixtures.taskStatus(task, 'failed');
  await harness.owner(sql`
    insert into notification_event (noted_at, type, project_id, task_id, data)
    select clock_timestamp(), 'task.checks_failed', ${project_id}, ${task}, '{}'
      from generate_series(1, 1000)`);
  assert.deepEqual(await told(author), [[]]);
  const { minutes } = await db.one<{ minutes: number }>(sql`
    select round(extract(epoch from due_at - mailed_at) / 60)::int as minutes
      from notification_thread where user_id = ${author.id}`);
  assert.equal(minutes, 5);
  await comeDue(author);
  await work.round();
  await mailer.round();
  const [mail, ...more] = sent.splice(0).filter(({ to }) => to === author.email);
  assert.deepEqual(more, []);
  assert.match(mail?.text ?? '', /Failed\.\n\nChecks have failed\.\n\nThe task is/);
  assert.ok((mail?.text.length ?? 0) < 2_000);
});

test('two processes at once make one mail of each person', async () => {
  const author = await member();
  const project = await newProject();
  const tasks: string[] = [];
  for (let i = 0; i < 5; i++) tasks.push(await waiting(project, author));
  const other = notificationWork(db, { mails: true, log });
  await Promise.all([work.round(), other.round(), work.round(), other.round()]);
  const { mails } = await db.one<{ mails: number }>(sql`
    select count(*)::int as mails from notification_mail where user_id = ${author.id}`);
  assert.equal(mails, 5);
  assert.equal((await told(author))[0]?.length, 5);
  await other.close();
});

test('who lost the right between the event and the mail gets none, nor whoever muted the task since', async () => {
  const [gone, muting, author] = [await member(), await member(), await member()];
  const project = await newProject();
  const task = await fixtures.task(project, author);
  for (const user of [gone, muting])
    assert.equal((await subscribe(user, task, 'following')).status, 200);
  await fixtures.revision(task);
  await fixtures.taskStatus(task, 'awaiting_approval');
  await work.round();
  await request('DELETE', `/api/organizations/${workspace}/members/${gone.id}`, { key: owner.key });
  await subscribe(muting, task, 'muted');
  assert.deepEqual(
    (await told(gone, muting, author)).map(({ length }) => length),
    [0, 0, 1],
  );
});

test('a plan that was approved before the mail left is not told', async () => {
  const author = await member();
  const task = await waiting(await newProject(), author);
  await work.round();
  await fixtures.taskStatus(task, 'cancelled');
  assert.deepEqual(await told(author), [[]]);
});

test('where nobody who follows may approve, those who may are told, and those who follow as well', async () => {
  const viewer = await member('viewer');
  const admin = await member('admin');
  const task = await waiting(await newProject(), viewer);
  const [ofViewer, ofAdmin, ofOwner] = await told(viewer, admin, owner);
  assert.deepEqual([ofViewer?.length, ofAdmin?.length, ofOwner?.length], [1, 1, 1]);
  await subscribe(admin, task, 'muted');
  await comeDue(owner);
});

test('a task of a service account is told to the people who may approve, and to no service account', async () => {
  const own = await fixtures.user();
  const org = await fixtures.workspace(own);
  const admin = await fixtures.user();
  await fixtures.member(org, admin, 'admin');
  const bot = await fixtures.serviceAccount(org, { role: 'admin' });
  await waiting(await fixtures.project({ organizationId: org }), bot);
  const [ofOwner, ofAdmin, ofBot] = await told(own, admin, bot);
  assert.deepEqual([ofOwner?.length, ofAdmin?.length, ofBot], [1, 1, []]);
});

test('who merged is not told of it; who began the task is', async () => {
  const [author, merger] = [await member(), await member('admin')];
  const task = await fixtures.task(await newProject(), author);
  await subscribe(merger, task, 'following');
  await fixtures.pullRequest(task, author);
  await fixtures.merge(task, merger);
  const [ofAuthor, ofMerger] = await told(author, merger);
  assert.match(ofAuthor?.[0] ?? '', /^Merged: /);
  assert.deepEqual(ofMerger, []);
});

test('a mention reaches a person of the project, once, and neither a stranger nor its author', async () => {
  const [author, named, stranger] = [await member(), await member(), await fixtures.user()];
  const task = await fixtures.task(await newProject(), author);
  await fixtures.revision(task);
  await told();
  const text = `Look, @${named.email.toUpperCase()}, @${named.email}: @${stranger.email} @${author.email}`;
  const reply = await request('POST', `/api/tasks/${task}/plan/comments`, {
    key: author.key,
    body: { version: 1, start_line: 1, text },
  });
  assert.equal(reply.status, 201, reply.text);
  const [ofNamed, ofStranger, ofAuthor] = await told(named, stranger, author);
  assert.match(ofNamed?.[0] ?? '', /^You were mentioned: /);
  assert.deepEqual([ofNamed?.length, ofStranger, ofAuthor], [1, [], []]);
});

test('kinds that are off, muted projects and mail that is off say nothing; unfollowing ends what follows', async () => {
  const [off, muting, silent, unfollowing] = [
    await member(),
    await member(),
    await member(),
    await member(),
  ];
  const project = await newProject();
  assert.equal((await set(off, { events_off: ['task.plan_waiting'] })).status, 200);
  assert.equal(
    (await request('PUT', `/api/projects/${project}/mute`, { key: muting.key })).status,
    204,
  );
  assert.equal((await set(silent, { mail: 'off' })).status, 200);
  const tasks: string[] = [];
  for (const user of [off, muting, silent, unfollowing])
    tasks.push(await fixtures.task(project, user));
  await request('DELETE', `/api/tasks/${tasks[3]}/subscription`, { key: unfollowing.key });
  // Somebody who may approve follows it.
  await subscribe(owner, tasks[3] as string, 'following');
  for (const task of tasks) {
    await fixtures.revision(task);
    await fixtures.taskStatus(task, 'awaiting_approval');
  }
  assert.deepEqual(await told(off, muting, silent, unfollowing), [[], [], [], []]);
  const list = (await request('GET', '/api/account/notifications/muted', { key: muting.key })).body;
  assert.deepEqual(
    list.map(({ kind, id }: { kind: string; id: string }) => [kind, id]),
    [['project', project]],
  );
  await request('DELETE', `/api/projects/${project}/mute`, { key: muting.key });
  assert.deepEqual(
    (await request('GET', `/api/projects/${project}/mute`, { key: muting.key })).body,
    { muted: false },
  );
  await fixtures.taskStatus(tasks[1] as string, 'failed');
  assert.equal((await told(muting))[0]?.length, 1);
});

test('the mail of the day has all tasks; quiet hours end where the person is', async () => {
  const daily = await member();
  await set(daily, { mail: 'daily', daily_at: '07:30', time_zone: 'Asia/Kolkata' });
  const project = await newProject();
  for (let i = 0; i < 3; i++) await waiting(project, daily);
  assert.deepEqual(await told(daily), [[]]);
  const { at } = await db.one<{ at: string }>(sql`
    select to_char(due_at at time zone 'Asia/Kolkata', 'HH24:MI') as at
      from notification_thread where user_id = ${daily.id} and due_at > now()`);
  assert.equal(at, '07:30');
  await comeDue(daily);
  assert.deepEqual(await told(daily), [['3 tasks have news for you']]);
  const at12 = async (from: string, until: string) =>
    (
      await db.one<{ due: string }>(sql`
        select to_char(when_to_tell('2026-03-28T23:30:00Z', null, ${from}, ${until}, 'Europe/Berlin')
                       at time zone 'UTC', 'DD HH24:MI') as due`)
    ).due;
  // At 00:30 of the day on which clocks go forward.
  assert.deepEqual(
    await Promise.all([at12('22:00', '07:00'), at12('00:00', '00:30'), at12('01:00', '07:00')]),
    ['29 05:00', '28 23:30', '28 23:30'],
  );
});

test('without a mail server nothing is mailed, then or later', async () => {
  const author = await member();
  const without = notificationWork(db, { mails: false, log });
  await waiting(await newProject(), author);
  await without.round();
  await without.close();
  assert.deepEqual(await told(author), [[]]);
});

test('no title adds a header, a recipient or a link', async () => {
  const author = await member();
  const task = await fixtures.task(await newProject(), author);
  // A title has no line breaks: the constraint of the table says so.
  await assert.rejects(
    db.many(sql`update task set title = ${'A\r\nBcc: all@example.com'} where id = ${task}`),
  );
  await db.many(
    sql`update task set title = ${'=?utf-8?Q?=0D=0ABcc:_x@y.example?= http://evil.example'} where id = ${task}`,
  );
  await fixtures.revision(task);
  await fixtures.taskStatus(task, 'awaiting_approval');
  await work.round();
  await mailer.round();
  const [mail] = sent.splice(0);
  assert.doesNotMatch(mail?.subject ?? '', /[\r\n]/);
  assert.ok(!mail?.text.includes('http://evil.example'));
});

test('the link of a mail ends it in one click, by POST alone, and only with its own token', async () => {
  const [author, other] = [await member(), await member()];
  await waiting(await newProject(), author);
  await work.round();
  await mailer.round();
  const [mail] = sent.splice(0);
  const link = mail?.unsubscribe ?? '';
  assert.ok(link.startsWith(`${url}/unsubscribe/${author.id}.`));
  const get = await unchanged(() => fetch(link));
  assert.equal(get.status, 200);
  assert.match(get.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.match(await get.text(), /<form method="post">/);
  const token = link.split('/').at(-1) ?? '';
  const forged = [
    token.replace(author.id, other.id),
    `${other.id}.${'A'.repeat(43)}`,
    token.slice(0, -1),
    `${randomUUID()}.`,
    'x'.repeat(5_000),
  ];
  for (const one of forged) {
    const reply = await unchanged(() => fetch(`${url}/unsubscribe/${one}`, { method: 'POST' }));
    assert.equal(reply.status, 404, one);
  }
  const reply = await fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  assert.equal(reply.status, 200);
  const settings = await request('GET', '/api/account/notifications', { key: author.key });
  assert.equal(settings.body.mail, 'off');
  await waiting(await newProject(), author);
  assert.deepEqual(await told(author), [[]]);
});

test('settings keep what is left out; what does not fit is refused', async () => {
  const user = await fixtures.user();
  const get = async () =>
    (await request('GET', '/api/account/notifications', { key: user.key })).body;
  const defaults = {
    mail: 'at_once',
    push: true,
    events_off: [],
    daily_at: '08:00',
    time_zone: 'UTC',
  };
  assert.deepEqual(await get(), defaults);
  await set(user, { quiet_hours: { from: '22:00', until: '07:00' }, time_zone: 'Europe/Berlin' });
  const changed = await set(user, { mail: 'daily' });
  assert.deepEqual(changed.body, {
    ...defaults,
    mail: 'daily',
    time_zone: 'Europe/Berlin',
    quiet_hours: { from: '22:00', until: '07:00' },
  });
  for (const body of [
    { time_zone: 'Mars/Olympus' },
    { time_zone: "UTC'; drop table task" },
    { quiet_hours: { from: '22:00', until: '22:00' } },
    { quiet_hours: { from: '24:00', until: '07:00' } },
    { events_off: ['task.unknown'] },
    { mail: 'hourly' },
  ])
    assert.equal((await unchanged(() => set(user, body))).status, 422, JSON.stringify(body));
  assert.deepEqual((await set(user, { quiet_hours: null })).body.quiet_hours, undefined);
  const twice = await set(user, { events_off: ['task.merged', 'task.merged'] });
  assert.deepEqual(twice.body.events_off, ['task.merged']);
  assert.deepEqual((await set(user, { push: true })).body.events_off, ['task.merged']);
  assert.deepEqual((await set(user, { events_off: [] })).body.events_off, []);
});

test('403: a task and a project of others', async () => {
  const stranger = await fixtures.user();
  const project = await newProject();
  const task = await fixtures.task(project, owner);
  for (const path of [`/api/tasks/${task}/subscription`, `/api/projects/${project}/mute`])
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body =
        method === 'PUT' && path.includes('tasks') ? { body: { state: 'following' } } : {};
      const reply = await unchanged(() => request(method, path, { key: stranger.key, ...body }));
      assert.equal(reply.status, 403, `${method} ${path}`);
    }
});

test('what was told long ago is deleted', async () => {
  await db.many(sql`update notification set created_at = now() - interval '31 days'`);
  await db.many(sql`update notification_mail set created_at = now() - interval '61 days'`);
  for (const rule of oldNotifications(30)) await rule.remove(db);
  const { left } = await db.one<{ left: number }>(sql`
    select (select count(*) from notification)::int + (select count(*) from notification_mail)::int as left`);
  assert.equal(left, 0);
});
