import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { SERVER_SECRET } from '../server/testing/fixtures/erp/odoo-connections.ts';
import { startHarness } from '../server/testing/harness/harness.ts';

const { databaseUrl, fixtures } = await startHarness();
const NEXT = 'the next secret for tests, which is also long enough';

async function run(env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'guildhall.ts'), 'secrets', 'rotate', '--json'],
    { env: { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl, ...env } },
  );
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, out, err };
}

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
