import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('merge targets that git or people cannot tell from others are gone, and no more come', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0200-chosen-branches.sql') });
  const old = await connect(url);
  await old.query(`
    insert into app_user (id, email) values ('aaaaaaaa-0000-4000-8000-000000000000', 'a@b.com');
    insert into project (id, owner_user_id, name, erp_version, erp_edition)
      select 'bbbbbbbb-0000-4000-8000-000000000000', id, 'Shop', '18.0', 'community' from app_user;
    insert into merge_target (project_id, branch, stage)
      select id, branch, 'staging'
        from project, unnest(array['18.0', 'HEAD', 'refs/heads/main', 'ma\u202ein']) branch`);

  await migrate(url);
  const { rows } = await old.query('select branch from merge_target order by branch');
  assert.deepEqual(
    rows.map(({ branch }) => branch),
    ['18.0', 'main'],
  );
  await assert.rejects(
    old.query("update merge_target set branch = 'HEAD' where branch = '18.0'"),
    /merge_target_chosen/,
  );
});
