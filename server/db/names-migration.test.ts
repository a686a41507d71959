import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrationsForTests } from '../testing/migrations.ts';
import { migrate } from './migrate.ts';

const { before, connect, emptyDatabase } = await migrationsForTests();

test('every name that can stay stays; the others are changed', async () => {
  const url = await emptyDatabase();
  await migrate(url, { directory: await before('0016-names.sql') });
  const old = await connect(url);
  await old.query(`
    begin;
    insert into app_user (id, email) values ('aaaaaaaa-0000-4000-8000-000000000000', 'a@b.com');
    insert into organization (id, name, owner_user_id)
      values ('bbbbbbbb-0000-4000-8000-000000000000', U&'\\3164',
        'aaaaaaaa-0000-4000-8000-000000000000');
    insert into membership (organization_id, user_id, role_id)
      select o.id, o.owner_user_id, '00000000-0000-4000-8000-000000000002' from organization o;
    insert into team (id, organization_id, name, created_at)
      select team.id::uuid, o.id, team.name, now() + nth * interval '1 s'
        from organization o, (values
        ('00000001-0000-4000-8000-000000000000', 'Straße', 1),
        ('00000002-0000-4000-8000-000000000000', 'STRASSE', 2),
        ('00000003-0000-4000-8000-000000000000', 'Core', 3),
        ('00000004-0000-4000-8000-000000000000', U&'Core\\200B', 4)) team (id, name, nth);
    commit`);

  await migrate(url);
  const names = await old.query(
    'select name from organization union all (select name from team order by id)',
  );
  assert.deepEqual(
    names.rows.map(({ name }) => name),
    ['Renamed bbbbbbbb', 'Straße', 'STRASSE 00000002', 'Core', 'Renamed 00000004'],
  );
  for (const name of ['strasse', 'Core\u200b'])
    await assert.rejects(
      old.query('insert into team (organization_id, name) select id, $1 from organization', [name]),
      /team_name_taken|team_name_is_name/,
    );
});
