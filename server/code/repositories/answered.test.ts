import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { noEndedGit, whileGitIsEnded } from '../../testing/fixtures/code/ended-git.ts';
import { mergesOn } from '../../testing/fixtures/code/merges.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { gitDirOf } from './git.ts';

const harness = await startHarness();
const { db, request, unchanged } = harness;
const { offered, owner } = await mergesOn(harness);

test('git_busy, not 500, where git is ended before it has answered', {
  skip: noEndedGit,
}, async () => {
  const { taskId, projectId, head } = await offered({ 'a.txt': 'one\n' });
  const { id: repository } = await db.one<{ id: string }>(sql`
    select id from repository where project_id = ${projectId}`);
  const gitDir = gitDirOf(harness.repositories, projectId);
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
  const ask = async ([method, path, body]: (typeof asked)[number]) => {
    const { status, body: said } = await request(method, path, { key: owner.key, body });
    return [method, path, status, said.code];
  };
  const answers = await unchanged(() => whileGitIsEnded(gitDir, () => Promise.all(asked.map(ask))));
  const code = (path: string) => (path.endsWith('/diff') ? 'diffs_busy' : 'git_busy');
  assert.deepEqual(
    answers,
    asked.map(([method, path]) => [method, path, 503, code(path)]),
  );
});
