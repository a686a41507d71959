import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { branchOf, gitDirOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { folder, git } from '../../testing/fixtures/code/git-client.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';

/** A task whose branch people push to, with real agents in real pods. */

const harness = await startHarness({ own: true });
const { db, request } = harness;
const { task, work, send, untilStatus, untilTurn, eventsOf, folders } = await agentsAtWork(harness);
const home = await folder();
after(() => rm(home, { recursive: true, force: true }));

test('what a person pushes between two turns is in the work tree of the next one, and said', async () => {
  const made = await task({ balance: '10.00' });
  work();
  await send(made, 'Add a greeting');
  await untilStatus(made.id, 'awaiting_approval');
  await request('POST', `/api/tasks/${made.id}/plan/approve`, { key: made.owner.key });
  await untilStatus(made.id, 'ready');

  const { project_id } = await db.one<{ project_id: string }>(sql`
    select project_id from task where id = ${made.id}`);
  const branch = branchOf(made.id);
  const gitDir = gitDirOf(folders.repositories, project_id);
  await git(home, 'clone', '--branch', branch, gitDir, 'mine');
  const mine = join(home, 'mine');
  await writeFile(join(mine, 'pushed.txt'), 'pushed\n');
  await git(mine, 'add', '.');
  await git(mine, 'commit', '-m', 'Pushed');
  await git(mine, 'push', 'origin', branch);

  await untilTurn(await send(made, 'Go on'), 'done');
  const notices = (await eventsOf(made.id)).filter(({ type }) => type === 'notice');
  assert.equal(notices.length, 1);
  assert.match(JSON.stringify(notices[0]), /Someone has changed the branch/);
  assert.equal(await git(gitDir, 'show', `${branch}:pushed.txt`), 'pushed');
});
