import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { appOf, startGithub } from '../../testing/fixtures/code/github.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { openGitHub } from './app.ts';
import { inRepository } from './read-repository.ts';
import { storedLimits } from './stored-limits.ts';

/** What GitHub does when it fails, to calls of ours. */

const fake = await startGithub();
const { db } = await startHarness({ own: true });
const limits = storedLimits(db);
const github = openGitHub(appOf(fake), { limits });
const library = await fake.addRepository('acme/library');
await fake.commit(library, { files: { 'a.txt': 'a' }, branch: 'change' });
const installed = () => ({ installationId: fake.install('acme').id, repositoryId: library.id });
const at = { owner: 'acme', repo: 'library' };
const BRANCHES = 'GET /repos/{owner}/{repo}/branches';
const PULLS = 'POST /repos/{owner}/{repo}/pulls';
const asked = (method: string, path: string) =>
  fake.requests.filter((each) => each.method === method && each.path === path).length;

test('an answer that is cut off is an error, and never an empty list', async () => {
  const api = inRepository(github, installed(), { contents: 'read' });
  fake.fault({ match: 'GET /repos/:owner/:repo/branches', kind: 'truncate', times: 2 });
  await assert.rejects(api.request(BRANCHES, at), { code: 'github_unavailable' });
  fake.clearFaults();
  assert.equal((await api.request(BRANCHES, at)).data.length, 2);
});

test('what only reads is asked once more; a change is not, because it may have been made', async () => {
  const api = inRepository(github, installed(), { contents: 'read', pull_requests: 'write' });
  for (const kind of ['502before', 'dropBefore'] as const) {
    fake.fault({ match: 'GET /repos/:owner/:repo/branches', kind });
    assert.equal((await api.request(BRANCHES, at)).data.length, 2);
  }
  fake.fault({ match: 'POST /repos/:owner/:repo/pulls', kind: '502after' });
  const before = asked('POST', '/repos/acme/library/pulls');
  const opening = { ...at, title: 'A change', head: 'change', base: 'main' };
  await assert.rejects(api.request(PULLS, opening), { code: 'github_unavailable' });
  assert.equal(asked('POST', '/repos/acme/library/pulls'), before + 1);
  assert.equal(library.pulls.size, 1);
  const again = api.request(PULLS, opening);
  await assert.rejects(again, { code: 'github_refused', status: 422, said: /already exists/ });
});

test('the log of a check comes from another host, which gets no token', async () => {
  const head = library.branches.get('main') ?? assert.fail();
  const log = 'one\n2 failed\n';
  const run = fake.check(library, head, { name: 'tests', conclusion: 'failure', log });
  const api = inRepository(github, installed(), { actions: 'read' });
  const { data, url } = await api.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
    ...at,
    job_id: run.id,
  });
  assert.equal(data, log);
  assert.notEqual(new URL(url).origin, fake.url);
});

test('a call that is not answered ends at its deadline', async () => {
  const hasty = openGitHub(appOf(fake), { limits, deadline: 2_000 });
  const api = inRepository(hasty, installed(), { contents: 'read' });
  fake.fault({ match: 'GET /repos/:owner/:repo/branches', kind: 'hangBefore', times: 2 });
  const begun = Date.now();
  await assert.rejects(api.request(BRANCHES, at), { code: 'github_unavailable' });
  assert.ok(Date.now() - begun < 8_000);
  fake.clearFaults();
});

test('refusals in a row are waited for longer where GitHub names no time, and as it says where it does', async () => {
  const place = installed();
  const api = inRepository(github, place, { contents: 'read' });
  const match = 'GET /repos/:owner/:repo/branches';
  const seconds = async () => {
    const { left } = await db.one<{ left: number }>(sql`
      select extract(epoch from until - now())::float as left from github_rate_limit
       where installation_id = ${place.installationId}`);
    return left;
  };
  const isOver = () =>
    db.many(sql`
      update github_rate_limit set until = now()
       where installation_id = ${place.installationId}`);
  for (const least of [50, 110, 230]) {
    fake.fault({ match, kind: 'secondaryLimit' });
    await assert.rejects(api.request(BRANCHES, at), { code: 'github_rate_limited' });
    const left = await seconds();
    assert.ok(left > least && left < 2 * least + 30, `${left} of ${least}`);
    await isOver();
  }
  fake.fault({ match, kind: 'secondaryLimit', status: 429, retryAfter: 17 });
  await assert.rejects(api.request(BRANCHES, at), { code: 'github_rate_limited' });
  const left = await seconds();
  assert.ok(left > 5 && left <= 18, String(left));
  await isOver();
  assert.equal((await api.request(BRANCHES, at)).data.length, 2);
});

test('refusals of calls that were on their way together count once', async () => {
  const { installationId } = installed();
  const until = new Date(Date.now() + 60_000);
  await Promise.all(Array.from({ length: 8 }, () => limits.refused(installationId, until, true)));
  const row = await db.one(sql`
    select refusals, until > now() + interval '70 seconds' as longer from github_rate_limit
     where installation_id = ${installationId}`);
  assert.deepEqual(row, { refusals: 1, longer: false });
});
