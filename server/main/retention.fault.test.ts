import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDatabase } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { fixturesOn } from '../testing/fixtures/tenants.ts';
import { until } from '../testing/harness/until.ts';

/** Processes that are killed while they remove what is old. */

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url, statementTimeout: 60_000 });
const fixtures = fixturesOn(db);
after(async () => {
  await db.close();
  await clone.drop();
});

const TASKS = 200;
const MAILS = 30_000;

const start = () =>
  spawn(process.execPath, [join(import.meta.dirname, '../../cli/guildhall.ts'), 'retention'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: clone.url,
      RETENTION_CONVERSATIONS_DAYS: '10',
      RETENTION_FILES_DAYS: '10',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });

interface Left {
  conversations: number;
  files: number;
  mails: number;
}

const left = () =>
  db.one<Left>(sql`
    select (select count(*)::int from task where conversation_removed_at is null) as conversations,
           (select count(*)::int from attachment) as files,
           (select count(*)::int from mail) as mails`);

test('kill -9 in any part of it loses nothing, and nothing is removed twice', async () => {
  const owner = await fixtures.user();
  const project = await fixtures.project({ userId: owner.id });
  await db.many(sql`
    with made as (
      insert into task (project_id, title, created_by_user_id, archived_at)
      select ${project}, 'Old', ${owner.id}, now() - interval '20 days'
        from generate_series(1, ${TASKS})
      returning id),
    said as (
      insert into task_message (task_id, number, role, author_user_id, content)
      select id, n, 'user', ${owner.id}, repeat('word ', 200)
        from made, generate_series(1, 5) n),
    planned as (
      insert into plan_revision (task_id, version, body) select id, 1, 'The plan' from made)
    insert into attachment (project_id, task_id, uploaded_by_user_id, name, media_type, size, sha256,
                            storage_key)
    select ${project}, id, ${owner.id}, 'a.txt', 'text/plain', 7, repeat('a', 64),
           gen_random_uuid() || '/' || gen_random_uuid()
      from made`);
  await db.many(sql`
    insert into plan_approval (task_id, version, approved_by_user_id)
    select id, 1, ${owner.id} from task`);
  await db.many(sql`
    insert into mail (kind, recipient, subject_id, status, next_attempt_at, ended_at)
    select 'security_notice', 'eve@example.com', gen_random_uuid(), 'sent', null,
           now() - interval '40 days'
      from generate_series(1, ${MAILS})`);
  const parts: (keyof Left)[] = ['conversations', 'files', 'mails'];
  const all: Left = { conversations: TASKS, files: TASKS, mails: MAILS };
  assert.deepEqual(await left(), all);
  for (const part of parts) {
    const child = start();
    await until('something is removed', async () => (await left())[part] < all[part]);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const [code] = await once(start(), 'exit');
  assert.equal(code, 0);
  assert.deepEqual(await left(), { conversations: 0, files: 0, mails: 0 });
  assert.deepEqual(
    await db.one(sql`
      select (select count(*)::int from task_message) as messages,
             (select count(*)::int from file_removal) as bytes,
             (select sum(files_removed)::int from task) as counted,
             (select files::int from project_storage where project_id = ${project}) as stored,
             (select count(*)::int from plan_approval) as approvals,
             (select count(*)::int from plan_revision where body = '' and sha256 = sha256('The plan'))
               as hashes`),
    { messages: 0, bytes: TASKS, counted: TASKS, stored: 0, approvals: TASKS, hashes: TASKS },
  );
});
