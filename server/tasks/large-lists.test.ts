import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { rowsRead } from '../testing/database/rows-read.ts';
import { type Sent, watchStatements } from '../testing/database/statements.ts';
import { startHarness } from '../testing/harness/harness.ts';

// What a page of a list reads does not grow with the list, nor with the other projects.

const { databaseUrl, db, fixtures, owner: asOwner, request } = await startHarness({ own: true });

const TASKS = 2_000;
const VERSIONS = 1_500;

/** Rows of a table that a page of 50 may read: some for each entry. */
const MOST = 600;
const TABLES = ['task', 'plan', 'plan_approval', 'plan_revision', 'agent_request', 'task_message'];

const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const [project, other] = [
  await fixtures.project({ organizationId: workspace }),
  await fixtures.project({ organizationId: workspace }),
];
let sent: Sent[] = [];
watchStatements((statement) => sent.push(statement));

/** Tasks in every state, whose plans were approved; the starts of some of them wait. */
async function fill(): Promise<string> {
  await asOwner(sql`
    insert into task (project_id, title, created_by_user_id, status, status_reason, created_at,
                      last_turn)
    select p.id, 'Task ' || n, ${owner.id}, s.status,
           case when s.status = 'failed' then 'It stopped' end, now() - n * interval '1 minute', 2
      from unnest(${[project, other]}::uuid[]) p (id), generate_series(1, ${TASKS}::int) n
     cross join lateral (
       select (array['ready', 'failed', 'cancelled', 'awaiting_approval', 'awaiting_approval'])[
                1 + n % 5] as status) s`);
  await asOwner(sql`
    insert into plan_revision (task_id, version, body)
    select id, version, 'A plan' from task, generate_series(1, 2) version`);
  await asOwner(sql`insert into plan (task_id, version) select id, 2 from task`);
  await asOwner(sql`
    insert into plan_approval (task_id, version, approved_by_user_id)
    select id, 1, ${owner.id} from task`);
  await asOwner(sql`
    insert into outbox (topic, key, payload, done_at)
    select 'agent_start', id || ':1', jsonb_build_object('task_id', id, 'version', 1),
           case when title not like '%4' or random() > 0.5 then now() end
      from task`);
  await asOwner(sql`
    insert into task_turn (task_id, number, kind, source, prompt, state, ended_at)
    select id, number, 'plan', 'test:' || id || ':' || number, 'Do it', 'done', now()
      from task, generate_series(1, 2) number`);
  const { id } = await db.one<{ id: string }>(sql`
    select id from task where project_id = ${project} order by created_at desc limit 1`);
  await asOwner(sql`
    insert into plan_revision (task_id, version, body)
    select ${id}, version, 'A plan' from generate_series(3, ${VERSIONS}::int) version`);
  await asOwner(sql`
    insert into task_message (task_id, number, role, content)
    select ${id}, number, 'agent', 'Done' from generate_series(1, ${VERSIONS}::int) number`);
  await asOwner(sql`
    insert into agent_request (task_id, turn_id, kind, title, options)
    select task_id, id, 'question', 'Go on?', '[]'
      from task_turn, generate_series(1, ${VERSIONS}::int) where task_id = ${id} and number = 1`);
  await asOwner(sql`analyze`);
  return id;
}

const task = await fill();
const { waiting } = await db.one<{ waiting: number }>(sql`
  select count(*)::int as waiting from waiting_start`);
const tasks = `/api/projects/${project}/tasks`;
const LISTS: Record<string, string> = {
  'the inbox': '/api/inbox?limit=50',
  tasks,
  ...Object.fromEntries(
    ['queued', 'awaiting_approval', 'ready', 'failed', 'cancelled'].map((status) => [
      `tasks that are ${status}`,
      `${tasks}?status=${status}`,
    ]),
  ),
  'tasks by their last change': `${tasks}?sort=updated`,
  'tasks that are ready by their last change': `${tasks}?status=ready&sort=updated`,
  'tasks of a person': `${tasks}?created_by=${owner.id}`,
  messages: `/api/tasks/${task}/messages`,
  'versions of a plan': `/api/tasks/${task}/plan/versions?limit=50`,
  requests: `/api/tasks/${task}/requests`,
};

for (const [name, path] of Object.entries(LISTS))
  test(`a page of ${name} reads about what it shows`, async () => {
    sent = [];
    const reply = await request('GET', path, { key: owner.key });
    assert.equal(reply.status, 200);
    assert.ok(reply.body.length > 20, String(reply.body.length));
    const statement = sent.find(({ text }) => text.includes('row_number() over')) as Sent;
    const read = await rowsRead(databaseUrl, statement);
    for (const table of TABLES) assert.ok(read(table) <= MOST, `${read(table)} rows of ${table}`);
    const starts = read('outbox');
    assert.ok(starts <= waiting + MOST, `${starts} rows of outbox, of which ${waiting} wait`);
  });
