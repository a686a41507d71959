import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('a title that is there loses what cannot be seen; where nothing else is left, it gets another one', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0058-visible-titles.sql') });
  const old = await connect(url);
  await old.query(`
    insert into app_user (id, email) values ('aaaaaaaa-0000-4000-8000-000000000000', 'a@b.com');
    insert into project (id, owner_user_id, name, erp_version, erp_edition)
      select 'bbbbbbbb-0000-4000-8000-000000000000', id, 'Shop', '18.0', 'community' from app_user;
    insert into task (id, project_id, title, created_by_user_id)
      select task.id::uuid, project.id, task.title, project.owner_user_id
        from project, (values
          ('00000001-0000-4000-8000-000000000000', 'Zürich 👩\u200d💻'),
          ('00000002-0000-4000-8000-000000000000', '\u200bPay\u202e this'),
          ('00000003-0000-4000-8000-000000000000', '\u202e')) task (id, title);
    insert into attachment (project_id, uploaded_by_user_id, name, media_type, size, sha256,
                            storage_key)
      select id, owner_user_id, 'invoice\u202efdp.exe', 'text/plain', 1, repeat('0', 64), id || '/' || id
        from project`);

  await migrate(url);
  const titles = await old.query('select title from task order by id');
  assert.deepEqual(
    titles.rows.map(({ title }) => title),
    ['Zürich 👩\u200d💻', 'Pay this', 'Renamed 00000003'],
  );
  const files = await old.query('select name from attachment');
  assert.deepEqual(files.rows, [{ name: 'invoicefdp.exe' }]);
  await assert.rejects(old.query("update task set title = '\u202e'"), /task_title_is_name/);
  await assert.rejects(
    old.query(`
      insert into attachment (project_id, uploaded_by_user_id, name, media_type, size, sha256,
                              storage_key)
        select project_id, uploaded_by_user_id, '\u202e', media_type, size, sha256, storage_key
          from attachment`),
    /attachment_name_is_name/,
  );
});
