import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { kill, processesOf } from '../../platform/pods/process/descendants.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { gitDirOf } from './git.ts';

const harness = await startHarness();
const { db, request, unchanged } = harness;
const { offered, owner } = await mergesOn(harness);

const skip = process.platform === 'linux' ? false : 'only Linux tells which processes are git';

test('git_busy, not 500, where git is ended before it has answered', { skip }, async () => {
  const { taskId, projectId, head } = await offered({ 'a.txt': 'one\n' });
  const { id: repository } = await db.one<{ id: string }>(sql`
    select id from repository where project_id = ${projectId}`);
  const gitDir = gitDirOf(harness.repositories, projectId);
  const packed = join(gitDir, 'packed-refs');
  await rm(packed, { force: true });
  // Whoever reads what branches there are waits for a writer.
  execFileSync('mkfifo', [packed]);
  const asked: [string, string, object?][] = [
    ['GET', `/api/tasks/${taskId}/pull-request`],
    ['POST', `/api/tasks/${taskId}/pull-request`],
    ['POST', `/api/tasks/${taskId}/merge`, { expected_head_sha: head }],
    ['GET', `/api/tasks/${taskId}/diff`],
    ['POST', `/api/projects/${projectId}/tasks`, { message: 'Begin there.', base: 'other' }],
    ['GET', `/api/projects/${projectId}/repositories/${repository}/branches`],
    ['GET', `/api/projects/${projectId}/repositories/${repository}/import`],
    [
      'POST',
      `/api/projects/${projectId}/repositories/${repository}/import`,
      { url: 'https://git.example.com/a.git' },
    ],
  ];
  await unchanged(async () => {
    let open = true;
    const answers = Promise.all(
      asked.map(async ([method, path, body]) => {
        const { status, body: said } = await request(method, path, { key: owner.key, body });
        return [method, path, status, said.code];
      }),
    ).finally(() => {
      open = false;
    });
    while (open) {
      for (const pid of await processesOf(`GIT_DIR=${gitDir}`)) kill(pid);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const code = (path: string) => (path.endsWith('/diff') ? 'diffs_busy' : 'git_busy');
    assert.deepEqual(
      await answers,
      asked.map(([method, path]) => [method, path, 503, code(path)]),
    );
  });
});
