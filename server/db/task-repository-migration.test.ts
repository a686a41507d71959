import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('projects that have detached `main` get it back, with `main` as its default branch', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0069-task-repository.sql') });
  const client = await connect(url);
  await client.query(`
    insert into app_user (id, email, name)
      values ('aaaaaaaa-0000-4000-8000-000000000000', 'a@b.com', 'Ada');
    insert into project (owner_user_id, name, erp_version, erp_edition)
      select id, given, '18.0', 'community'
        from app_user, unnest(array['as it was', 'detached', 'other branch']) given;
    insert into repository (project_id, host, full_name, default_branch)
      select id, 'local', 'library', '17.0' from project;
    delete from repository r using project p
      where p.id = r.project_id and p.name = 'detached' and r.full_name = 'main';
    update repository r set default_branch = '17.0' from project p
      where p.id = r.project_id and p.name = 'other branch'`);

  await migrate(url);
  const { rows } = await client.query(`
    select p.name, array_agg(r.full_name || ' ' || r.default_branch order by r.full_name) as has
      from project p join repository r on r.project_id = p.id group by 1 order by 1`);
  const has = ['library 17.0', 'main main'];
  assert.deepEqual(rows, [
    { name: 'as it was', has },
    { name: 'detached', has },
    { name: 'other branch', has },
  ]);
});
