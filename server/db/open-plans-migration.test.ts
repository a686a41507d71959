import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('plans that exist get the project of their task and the time of their current revision', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0032-open-plans.sql') });
  const client = await connect(url);
  await client.query(`
    insert into app_user (id, email, name)
      values ('aaaaaaaa-0000-4000-8000-000000000000', 'a@b.com', 'Ada');
    insert into project (id, owner_user_id, name, erp_version, erp_edition)
      select 'bbbbbbbb-0000-4000-8000-000000000000', id, 'Shop', '18.0', 'community' from app_user;
    insert into task (id, project_id, title, created_by_user_id)
      select 'cccccccc-0000-4000-8000-000000000000', p.id, 'T', p.owner_user_id from project p;
    insert into plan_revision (task_id, version, body, sha256, created_at)
      select t.id, v, 'text', sha256('text'), timestamptz '2026-01-01 00:00:00Z' + v * interval '1 day'
        from task t, generate_series(1, 2) v;
    insert into plan (task_id, version) select id, 2 from task`);

  await migrate(url);
  const { rows } = await client.query('select project_id, revised_at from plan');
  assert.deepEqual(rows, [
    {
      project_id: 'bbbbbbbb-0000-4000-8000-000000000000',
      revised_at: new Date('2026-01-03T00:00:00Z'),
    },
  ]);
});
