import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { rowsRead } from '../testing/database/rows-read.ts';
import { type Sent, watchStatements } from '../testing/database/statements.ts';
import { startHarness } from '../testing/harness/harness.ts';

// 10,000 tasks in 200 projects of the caller, and as many in projects that they cannot open. The
// owner of the database writes them, without a limit of time.

const { databaseUrl, fixtures, owner: asOwner, request } = await startHarness({ own: true });
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const stranger = await fixtures.user();
const elsewhere = await fixtures.workspace(stranger);
await asOwner(sql`
  with made as (
    insert into project (organization_id, name, erp_version, erp_edition)
    select o.id, 'Project ' || n, '18.0', 'community'
      from unnest(${[workspace, elsewhere]}::uuid[]) o (id), generate_series(1, 200) n
    returning id, organization_id)
  insert into task (project_id, title, created_by_user_id, status, status_reason, created_at,
                    updated_at, last_turn)
  select made.id, 'Task ' || n,
         case when organization_id = ${workspace} then ${owner.id}::uuid else ${stranger.id}::uuid end,
         status, case status when 'failed' then 'It stopped' when 'paused' then 'spend_cap' end,
         now() - random() * interval '300 days', now() - random() * interval '100 days', 1
    from made, generate_series(1, 50) n
   cross join lateral (
     select (array['ready', 'ready', 'ready', 'failed', 'planning', 'paused', 'awaiting_approval'])[
              1 + (n + hashtext(made.id::text) & 255) % 7] as status) s`);
await asOwner(sql`
  insert into pull_request (task_id, repository_id, number, base, title, body, state,
                            opened_by_user_id, updated_at)
  select t.id, r.id, row_number() over (partition by r.id), 'main', t.title, '',
         case when random() < 0.8 then 'merged' else 'open' end, ${owner.id},
         now() - random() * interval '100 days'
    from task t join repository r on r.project_id = t.project_id where t.status = 'ready'`);
await asOwner(sql`vacuum analyze`);

const sent: Sent[] = [];
watchStatements((statement) => sent.push(statement));

/** Each with how many rows of tasks it may read: some of each project until one fits. */
const PAGES: Record<string, [query: string, tasks: number]> = {
  'the newest': ['', 1_000],
  'what changed last': ['?sort=updated', 1_000],
  'what waits': ['?sort=updated&status=awaiting_approval&status=awaiting_answer', 2_500],
  'what runs': ['?sort=updated&status=queued&status=planning&status=building', 2_500],
  'what was merged last': ['?sort=merged', 1_000],
  'what is merged': ['?sort=updated&status=ready&merged=true', 1_000],
  'those of a person': [`?created_by=${owner.id}`, 1_000],
  'those of a model': ['?model=sandbox&sort=updated', 1_000],
};

for (const [name, [query, most]] of Object.entries(PAGES))
  test(`a page of ${name} reads no task of other people, and makes answers of what it shows alone`, async () => {
    sent.length = 0;
    const reply = await request('GET', `/api/tasks${query}`, { key: owner.key });
    assert.deepEqual([reply.status, reply.body.length], [200, 50]);
    const statement = sent.find(({ text }) => text.includes('row_number() over')) as Sent;
    const read = await rowsRead(databaseUrl, statement);
    assert.ok(read('task') <= most, `${read('task')} rows of task`);
    for (const table of ['plan', 'pod', 'task_turn'])
      assert.ok(read(table) <= 120, `${read(table)} rows of ${table}`);
  });
