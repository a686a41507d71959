import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { git } from '../../../testing/fixtures/code/git-client.ts';
import { startGitSource } from '../../../testing/fixtures/code/git-source.ts';
import { importsOn } from '../../../testing/fixtures/code/imports.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';
import { dyingWorkers } from '../../../testing/processes/start-program.ts';
import { reapRepositories } from '../reap-repositories.ts';

/**
 * An import ends with the same outcome although its worker is killed with SIGKILL: before each
 * statement and each git that counts. Until it has begun to replace the first commit, the repository is as it was.
 */

const harness = await startHarness({ own: true, env: { IMPORT_ALLOW_HTTP: 'true' } });
const { db, databaseUrl, repositories } = harness;
const { project, worker, ended, stop } = await importsOn(harness);
const source = await startGitSource();
const theirs = await source.make('shop', { trunk: { a: 'a' }, next: { b: 'b' } });
await git(theirs, 'tag', 'v1', 'trunk');
const parent = await mkdtemp(join(tmpdir(), 'guildhall-import-crash-'));
after(() => rm(parent, { recursive: true, force: true }));

const dying = dyingWorkers('dying-importer.ts', databaseUrl);
after(dying.kill);

type Project = Awaited<ReturnType<typeof project>>;

/** Runs the worker that dies before this step; without one, until the end of the import. */
async function runDying(one: Project, dieAt?: number): Promise<string> {
  const folder = await mkdtemp(join(parent, 'run-'));
  const { child, exited } = await dying.order({ folder, repositories, dieAt });
  if (dieAt === undefined) {
    await ended(one);
    await until('it has tidied up', () => readdirSync(dirname(one.gitDir)).length === 1);
    child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return folder;
}

const refs = (gitDir: string) =>
  git(gitDir, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags');

async function check(one: Project): Promise<void> {
  const { state, default_branch, branches, tags } = await ended(one);
  assert.deepEqual([state, default_branch, branches, tags], ['done', 'trunk', 2, 1]);
  await stop();
  // The copy of a worker that died after the end.
  await reapRepositories(db, repositories);
  assert.equal(await refs(one.gitDir), await refs(theirs));
  assert.equal(await git(one.gitDir, 'symbolic-ref', 'HEAD'), 'refs/heads/trunk');
  await git(one.gitDir, 'fsck', '--full');
  assert.deepEqual(readdirSync(dirname(one.gitDir)), ['main.git'], 'no copy is left');
}

const whole = await project();
await whole.ask({ url: `${source.url}/shop.git` });
const folder = await runDying(whole);
const steps = readFileSync(join(folder, 'steps'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { name: string });
const placing = steps.findIndex(({ name }) => name.includes("phase = 'placing', copy_id"));

test('a worker that lives has all steps', async () => {
  await check(whole);
  assert.ok(placing > 0, JSON.stringify(steps));
});

/** Those before which the step before has changed what the next worker finds. */
const counts = (name: string, index: number): boolean =>
  name === 'git fetch' || (index >= placing && name !== 'git for-each-ref');

for (const [index, { name }] of steps.entries())
  if (counts(name, index))
    test(`killed before step ${index + 1}, ${name.slice(0, 60)}: it is imported all the same`, async () => {
      const one = await project();
      await one.ask({ url: `${source.url}/shop.git` });
      await runDying(one, index + 1);
      if (index <= placing)
        assert.match(await refs(one.gitDir), /^refs\/heads\/main [0-9a-f]{40}$/);
      await db.many(sql`
      update repository_import set held_until = now() where repository_id = ${one.repositoryId}
         and state = 'running'`);
      worker();
      await check(one);
    });
