import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { branchOf, gitDirOf } from '../../code/repositories/git.ts';
import { sql } from '../../db/sql.ts';
import { agentsAtWork } from '../../testing/fixtures/runner/agents-at-work.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import type { AgentSession, StartAgent } from '../agents/agent.ts';

/** Turns whose agent writes more than a commit may hold. The files have no content on the disk. */

const harness = await startHarness({ own: true });
const { db, request } = harness;

/** An agent without a process. A line of its prompt is a file and its MiB. */
const startAgent = async ({ pod, mode }: StartAgent): Promise<AgentSession> => ({
  sessionId: 'a session',
  resumed: false,
  ended: new Promise(() => {}),
  prompt: async (text) => {
    for (const [, name = '', size] of mode === 'build' ? text.matchAll(/^(\S+) (\d+)$/gm) : []) {
      const path = join(pod.hostWorkTree as string, name);
      writeFileSync(path, '', { flag: 'a' });
      truncateSync(path, Number(size) * 1024 ** 2);
    }
    return { stopReason: 'done', text, alive: true };
  },
  cancel: async () => {},
  close: async () => {},
});
const at = await agentsAtWork(harness, { startAgent });

async function built(text: string) {
  at.work();
  const task = await at.task();
  await at.send(task, text);
  await at.untilStatus(task.id, 'awaiting_approval');
  await request('POST', `/api/tasks/${task.id}/plan/approve`, { key: task.owner.key });
  const { project } = await db.one<{ project: string }>(sql`
    select project_id as project from task where id = ${task.id}`);
  const gitDir = gitDirOf(at.folders.repositories, project);
  const names = () =>
    execFileSync('git', ['-C', gitDir, 'ls-tree', '--name-only', branchOf(task.id)], {
      encoding: 'utf8',
    });
  return { ...task, names };
}

test('a file that is too large is reported as a notice, and the turn ends well', async () => {
  const task = await built('Write:\ncode 1\nmodel.bin 5000');
  await at.untilStatus(task.id, 'ready');
  assert.equal(task.names(), 'code\n');
  const { turn } = await db.one<{ turn: string }>(sql`
    select id as turn from task_turn where task_id = ${task.id} and kind = 'build'`);
  await at.untilPublished(turn);
  const events = await at.eventsOf(task.id);
  // Its agent cannot load a session, which is told, too.
  const notices = events.filter(
    ({ type, text }) => type === 'notice' && !text.startsWith('The agent begins'),
  );
  assert.equal(notices.length, 1);
  assert.match(notices[0]?.text, /at most 100 MiB\.\n- model\.bin: 5000 MiB\n.*\.gitignore/s);
});

test('files that are too large together fail the turn with a reason; later they are committed', async () => {
  const files = Array.from({ length: 11 }, (_, n) => `file-${n} 100`);
  const task = await built(['Write:', ...files].join('\n'));
  await at.untilStatus(task.id, 'failed');
  const { reason } = await at.status(task.id);
  assert.match(
    reason ?? '',
    /^The files of the work tree have 1100 MiB together, and a commit may/,
  );
  assert.match(
    reason ?? '',
    /The largest is file-0: 100 MiB\. Nothing was committed; .*in the pod/,
  );
  const smaller = Array.from({ length: 11 }, (_, n) => `file-${n} 1`);
  await at.untilTurn(await at.send(task, ['Smaller:', ...smaller].join('\n')), 'done');
  assert.equal(task.names().split('\n').length, 12);
});
