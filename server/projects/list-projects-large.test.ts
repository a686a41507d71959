import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import { rowsRead } from '../testing/database/rows-read.ts';
import { type Sent, watchStatements } from '../testing/database/statements.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, databaseUrl, owner } = await startHarness({ own: true });

test('a page of projects reads no membership but the caller’s, in a large workspace and in many small ones', async () => {
  const caller = await fixtures.user();
  const large = await fixtures.workspace(caller);
  await owner(sql`
    with made as (
      insert into app_user (email) select 'member' || n || '@large.example' from generate_series(1, 3000) n
      returning id)
    insert into membership (organization_id, user_id, role_id)
    select ${large}, made.id, m.role_id from made, membership m where m.organization_id = ${large}`);
  await owner(sql`
    with made as (
      insert into organization (id, name, owner_user_id)
      select gen_random_uuid(), 'Small ' || n, ${caller.id} from generate_series(1, 300) n
      returning id),
    joined as (
      insert into membership (organization_id, user_id, role_id)
      select made.id, ${caller.id}, m.role_id
        from made, membership m where m.organization_id = ${large} and m.user_id = ${caller.id}),
    shops as (
      insert into project (organization_id, name, erp_version, erp_edition)
      select made.id, 'Shop', '18.0', 'community' from made)
    insert into project (organization_id, name, erp_version, erp_edition)
    select ${large}, 'Project ' || n, '18.0', 'community' from generate_series(1, 100) n`);
  await owner(sql`analyze`);

  const sent: Sent[] = [];
  watchStatements((statement) => sent.push(statement));
  const reply = await request('GET', '/api/projects?limit=50', { key: caller.key });
  assert.deepEqual([reply.status, reply.body.length], [200, 50]);
  const statement = sent.find(({ text }) => text.includes('from project t')) as Sent;

  // One for each workspace of the caller, and one for each project that is shown.
  const memberships = (await rowsRead(databaseUrl, statement))('membership');
  assert.ok(memberships < 500, `${memberships} rows of membership were read`);
});
