import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVER_SECRET } from '../server/testing/fixtures/erp/odoo-connections.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { runCommand } from '../server/testing/processes/command.ts';

const { databaseUrl, fixtures } = await startHarness({ own: true });
const NEXT = 'the next secret for tests, which is also long enough';

const run = (env: Record<string, string>) =>
  runCommand(['secrets', 'rotate', '--json'], { env: { DATABASE_URL: databaseUrl, ...env } });

test('secrets rotate says what it sealed, fails while something does not open, and never shows a secret', async () => {
  const project = await fixtures.project({ userId: (await fixtures.user()).id });
  const [one] = [await fixtures.odooConnection(project), await fixtures.odooConnection(project)];
  const wrong = await run({ SERVER_SECRET: NEXT });
  assert.equal(wrong.code, 1, wrong.err);
  assert.ok(JSON.parse(wrong.err).error.includes(`odoo_connection ${one}`));
  assert.equal(JSON.parse(wrong.out).tables.odoo_connection.unopened.length, 2);
  const right = await run({ SERVER_SECRET: NEXT, SERVER_SECRET_PREVIOUS: SERVER_SECRET });
  assert.deepEqual([right.code, right.err], [0, '']);
  assert.deepEqual(JSON.parse(right.out).tables.odoo_connection, { sealed: 2, unopened: [] });
  for (const { out, err } of [wrong, right])
    for (const secret of [NEXT, SERVER_SECRET, 'a-planted-secret'])
      assert.ok(!out.includes(secret) && !err.includes(secret));
});
