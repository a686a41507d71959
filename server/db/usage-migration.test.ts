import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

const id = (n: number) => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [ADA, BOB, PROJECT, TASK, TURN, GONE] = [1, 2, 3, 4, 5, 6].map(id);

test('usage of before is summed by day, and says what it was of as far as that still exists', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0085-usage-by-day.sql') });
  const old = await connect(url);
  // The functions of these triggers are views, which that copy does not have.
  await old.query(`
    set session_replication_role = replica;
    insert into app_user (id, email) values ('${ADA}', 'a@x.com'), ('${BOB}', 'b@x.com');
    insert into billing_account (kind, user_id) values ('user', '${ADA}');
    insert into project (id, owner_user_id, name, erp_version, erp_edition)
      values ('${PROJECT}', '${ADA}', 'P', '19.0', 'community');
    insert into task (id, project_id, title, created_by_user_id, model)
      values ('${TASK}', '${PROJECT}', 'T', '${ADA}', 'large');
    insert into task_turn (id, task_id, number, kind, source, prompt, requested_by_user_id)
      values ('${TURN}', '${TASK}', 1, 'prompt', 's', 'x', '${BOB}');
    insert into usage_event (account_id, idempotency_key, amount, reference_type, reference_id, occurred_at)
    select a.id, e.* from billing_account a, (values
      ('1', 5, 'task_turn', '${TURN}'::uuid, '2026-03-04T23:59:59Z'::timestamptz),
      ('2', 6, 'task_turn', '${TURN}', '2026-03-04T00:00:00Z'),
      ('3', 7, 'task', '${TASK}', '2026-03-04T00:00:00Z'),
      ('4', 8, 'task_turn', '${GONE}', '2026-03-05T00:00:00Z')) e
     where a.user_id = '${ADA}'`);
  await migrate(url);
  const { rows } = await old.query(`
    select day::text, task_id, project_id, user_id, model, amount::int, events::int
      from usage_day order by day, amount desc`);
  const known = { task_id: TASK, project_id: PROJECT };
  const unknown = { task_id: null, project_id: null, user_id: null, model: null };
  assert.deepEqual(rows, [
    { day: '2026-03-04', ...known, user_id: BOB, model: 'large', amount: 11, events: 2 },
    { day: '2026-03-04', ...known, user_id: ADA, model: null, amount: 7, events: 1 },
    { day: '2026-03-05', ...unknown, amount: 8, events: 1 },
  ]);
});
