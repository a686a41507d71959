import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { sql } from '../../db/sql.ts';
import { checkHeads } from '../../runner/worker/checks/check-heads.ts';
import { startGithub } from '../../testing/fixtures/code/github.ts';
import { tasksOnGitHub } from '../../testing/fixtures/code/tasks-on-github.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { openPull } from '../github/pulls.ts';
import { branchOf } from '../repositories/git.ts';

/** Pull requests of tasks whose code is on GitHub. */

const fake = await startGithub();
const harness = await startHarness({ github: fake });
const { db, fixtures, request, unchanged } = harness;
const owner = await fixtures.user();
const on = await tasksOnGitHub(harness, fake, owner);
const { built, shop, refresh, due } = on;

const call = (method: 'GET' | 'POST' | 'PUT', taskId: string, path: string, body?: object) =>
  request(method, `/api/tasks/${taskId}/${path}`, { key: owner.key, ...(body && { body }) });
const open = (taskId: string) => call('POST', taskId, 'pull-request');
const get = async (taskId: string) => (await call('GET', taskId, 'pull-request')).body;
/** The checks of its head, as the database has them. */
const suite = (taskId: string) =>
  db.one<{ state: string; conclusion: string | null; checks: string[]; ids: string[] }>(sql`
    select s.state, s.conclusion,
           array(select name || ': ' || coalesce(conclusion, 'null') from check_run
                  where suite_id = s.id order by name) as checks,
           array(select id from check_run where suite_id = s.id order by name) as ids
      from pull_request pr
      join check_suite s on s.task_id = pr.task_id and s.head_sha = pr.head_sha
     where pr.task_id = ${taskId}`);
const pullOf = (taskId: string) =>
  [...shop.pulls.values()].filter(({ head }) => head.ref === branchOf(taskId));

test('201: opened on GitHub, once, with its number and address', async () => {
  const { taskId, head } = await built();
  const both = await Promise.all([open(taskId), open(taskId)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 201]);
  const [pull, ...others] = pullOf(taskId);
  assert.deepEqual(others, []);
  assert.equal(pull?.base.ref, '18.0');
  for (const { body } of both) {
    assert.deepEqual([body.number, body.state, body.base], [pull?.number, 'open', '18.0']);
    assert.equal(body.url, `${fake.url}/acme/${shop.name}/pull/${pull?.number}`);
    assert.equal(body.head_sha, head);
  }
  assert.equal((await open(taskId)).status, 200);
});

test('one that was opened on GitHub and not recorded is found, and not opened again', async () => {
  const { taskId } = await built();
  const head = branchOf(taskId);
  const place = {
    installationId: on.acme.id,
    repositoryId: shop.id,
    fullName: `acme/${shop.name}`,
  };
  await fake.commit(shop, { files: { 'm.txt': 'm\n' }, branch: 'maintenance' });
  const made = await openPull(on.github, place, {
    head,
    base: 'maintenance',
    title: 'x',
    body: '',
  });
  const opened = await open(taskId);
  const { number, base, head_sha } = opened.body;
  assert.deepEqual([opened.status, number, base], [201, made.number, 'maintenance']);
  assert.equal(pullOf(taskId).length, 1);
  const { after } = await db.one<{ after: object }>(sql`
    select after from audit_event where action = 'pull_request.open' and target_id = ${taskId}`);
  assert.deepEqual(after, { base, head: head_sha });
});

for (const kind of ['dropAfter', '502after'] as const)
  test(`an answer of GitHub that is lost (${kind}): it is found`, async () => {
    const { taskId } = await built();
    fake.fault({ kind, match: 'POST /repos/:owner/:repo/pulls' });
    const opened = await open(taskId);
    assert.equal(opened.status, 201);
    assert.equal(pullOf(taskId).length, 1);
  });

test('503 while GitHub does not answer, and nothing is recorded', async () => {
  const { taskId } = await built();
  fake.fault({ kind: '502before', match: '*', times: 20 });
  const refused = await unchanged(() => open(taskId));
  fake.clearFaults();
  assert.deepEqual([refused.status, refused.body.code], [503, 'github_unavailable']);
});

test('how it stands is what GitHub said when it was last looked at', async () => {
  const { taskId, head } = await built();
  await open(taskId);
  assert.deepEqual((await get(taskId)).mergeable, 'unknown');
  await refresh();
  const seen = await get(taskId);
  assert.deepEqual([seen.head_sha, seen.mergeable, seen.state], [head, true, 'open']);
  assert.equal(seen.base_sha, shop.branches.get('18.0'));
  const asked = fake.requests.length;
  await get(taskId);
  assert.equal(fake.requests.length, asked, 'reading asks GitHub nothing');
});

test('a conflict, a head that moved, one that was closed and opened again', async () => {
  const { taskId } = await built({ 'a.txt': 'ONE\ntwo\nthree\n' });
  await open(taskId);
  await fake.commit(shop, { files: { 'a.txt': 'eins\ntwo\nthree\n' }, branch: '18.0' });
  await refresh();
  assert.equal((await get(taskId)).mergeable, false);
  const branch = branchOf(taskId);
  const moved = await fake.commit(shop, {
    files: { 'a.txt': 'eins\ntwo\nthree\n' },
    branch,
    from: branch,
  });
  const [pull] = pullOf(taskId);
  if (pull === undefined) return assert.fail();
  pull.state = 'closed';
  await due(taskId);
  await refresh();
  assert.deepEqual([(await get(taskId)).head_sha, (await get(taskId)).state], [moved, 'closed']);
  pull.state = 'open';
  await due(taskId);
  await refresh();
  assert.equal((await get(taskId)).state, 'open');
});

test('its base is moved on GitHub; one that is no merge target is refused before', async () => {
  const { taskId } = await built();
  await open(taskId);
  await fake.commit(shop, { files: { 's.txt': 's\n' }, branch: 'staging' });
  const set = await call('PUT', taskId, 'merge-target', { branch: 'staging' });
  assert.deepEqual([set.status, set.body.base], [200, 'staging']);
  assert.equal(pullOf(taskId)[0]?.base.ref, 'staging');
  const asked = fake.requests.length;
  const other = await unchanged(() => call('PUT', taskId, 'merge-target', { branch: 'other' }));
  assert.equal(other.status, 422);
  assert.equal(fake.requests.length, asked);
  // Moved there by a person.
  const [pull] = pullOf(taskId);
  if (pull) pull.base.ref = '18.0';
  await due(taskId);
  await refresh();
  assert.equal((await get(taskId)).base, '18.0');
});

test('its checks are the check runs and statuses of its head, as they are now', async () => {
  const { taskId, head } = await built();
  await open(taskId);
  await refresh();
  assert.equal((await suite(taskId)).state, 'running', 'checks begin a moment after a push');
  fake.check(shop, head, { name: 'tests', status: 'in_progress' });
  fake.check(shop, head, { name: 'lint', conclusion: 'neutral' });
  fake.status(shop, head, { context: 'ci/odoo.sh (staging)', state: 'success' });
  await due(taskId);
  await refresh();
  const running = await suite(taskId);
  assert.deepEqual([running.state, running.conclusion], ['running', null]);
  assert.deepEqual(running.checks, [
    'ci/odoo.sh (staging): success',
    'lint: neutral',
    'tests: null',
  ]);
  fake.check(shop, head, { name: 'tests', conclusion: 'failure' });
  await due(taskId);
  await refresh();
  const failed = await suite(taskId);
  assert.deepEqual([failed.state, failed.conclusion], ['completed', 'failed']);
  assert.deepEqual(failed.ids, running.ids, 'a check keeps its id');
});

test('checks with odd names, and outcomes that GitHub has not yet', async () => {
  const { taskId, head } = await built();
  await open(taskId);
  fake.check(shop, head, { name: `${'x'.repeat(299)}😀`, conclusion: 'success' });
  fake.check(shop, head, { name: `${'y'.repeat(299)}😀!`, conclusion: 'success' });
  fake.check(shop, head, { name: 'a\u0000b', conclusion: 'success' });
  const future = fake.check(shop, head, { name: 'new', conclusion: 'success' });
  Object.assign(future, { conclusion: 'of_the_future', completed_at: null });
  await refresh();
  const { conclusion, checks } = await suite(taskId);
  assert.equal(conclusion, 'failed');
  assert.deepEqual(checks, [
    'a\ufffdb: success',
    'new: failure',
    `${'x'.repeat(299)}😀: success`,
    `${'y'.repeat(299)}…: success`,
  ]);
});

test('a commit that has no checks for half a minute has none', async () => {
  const { taskId } = await built();
  await open(taskId);
  await refresh();
  await db.many(sql`
    update check_suite set created_at = now() - interval '31 seconds' where task_id = ${taskId}`);
  await due(taskId);
  await refresh();
  assert.equal((await suite(taskId)).conclusion, 'none');
});

test('a look at the branches of this server leaves it to the one at GitHub', async () => {
  const { taskId } = await built();
  await open(taskId);
  const times = () => db.one(sql`select looked_at from pull_request where task_id = ${taskId}`);
  await db.many(sql`
    update pull_request set looked_at = now() - interval '1 day' where task_id = ${taskId}`);
  const before = await times();
  const { signal } = new AbortController();
  await checkHeads(db, {
    directory: harness.repositories,
    log: pino({ level: 'silent' }),
    signal,
  });
  assert.deepEqual(await times(), before);
});
