import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '../server/db/sql.ts';
import { environmentOf, startGithub } from '../server/testing/fixtures/code/github.ts';
import { startHarness } from '../server/testing/harness/harness.ts';
import { jsonOf, runCommand } from '../server/testing/processes/command.ts';

/** `guildhall github`, in processes of its own, with a fake GitHub. */

const github = await startGithub();
const { db, databaseUrl, fixtures } = await startHarness();
const env = { DATABASE_URL: databaseUrl, ...environmentOf(github) };
const owner = await fixtures.user();
const workspace = await fixtures.workspace(owner);
const acme = github.install('acme');
const number = String(acme.id);

const audited = () =>
  db.many<{ action: string; organization_id: string | null; before: unknown; after: unknown }>(sql`
    select action, organization_id, before, after from audit_event
     where action like 'github.%' order by id`);

async function refused(args: string[], status: number, reason: RegExp, more = env): Promise<void> {
  const everything = () => db.many(sql`select * from github_connection order by id`);
  const before = await everything();
  const { code, out, err } = await runCommand(['github', ...args], { env: more });
  assert.deepEqual({ code, out }, { code: status, out: '' }, err);
  assert.match(err, reason);
  assert.deepEqual(await everything(), before);
}

test('an installation is read from GitHub and connected, once', async () => {
  const none = await runCommand(['github', 'list'], { env });
  assert.match(none.out, /^No account on GitHub is connected/);
  const connect = ['github', 'connect', '--installation', number, '--workspace', workspace];
  const done = { installation_id: acme.id, account: 'acme' };
  assert.deepEqual(await jsonOf(connect, { env }), { ...done, connected: true });
  assert.deepEqual(await jsonOf(connect, { env }), { ...done, connected: false });
  const forUser = ['github', 'connect', '--installation', number, '--user', owner.id];
  const { out } = await runCommand(forUser, { env });
  assert.match(out, /^Connected acme: /);
  assert.deepEqual(await audited(), [
    {
      action: 'github.connect',
      organization_id: workspace,
      before: null,
      after: { installation_id: acme.id },
    },
    {
      action: 'github.connect',
      organization_id: null,
      before: null,
      after: { installation_id: acme.id, user_id: owner.id },
    },
  ]);
  const listed = await jsonOf(['github', 'list'], { env });
  assert.deepEqual(listed[0].account, 'acme');
  assert.deepEqual([listed[0].organization_id, listed[1].user_email], [workspace, owner.email]);
});

test('a connection can be ended', async () => {
  const args = ['github', 'disconnect', '--installation', number, '--user', owner.id];
  assert.deepEqual(await jsonOf(args, { env }), { installation_id: acme.id, connected: false });
  await refused(args.slice(1), 1, /is not connected there/);
  const events = await audited();
  assert.deepEqual(events.at(-1)?.before, { installation_id: acme.id, user_id: owner.id });
});

test('what cannot be connected is said, and nothing changes', async () => {
  const connect = ['connect', '--installation', number];
  await refused(connect, 2, /give either --workspace or --user/i);
  const both = [...connect, '--workspace', workspace, '--user', owner.id];
  await refused(both, 2, /give either --workspace or --user/i);
  const to = ['--workspace', workspace];
  await refused(['connect', '--installation', 'x', ...to], 2, /number of an installation/);
  await refused(['connect', '--installation', '1', ...to], 1, /GitHub has no installation 1 /);
  await refused([...connect, '--workspace', randomUUID()], 1, /No workspace has the id/);
  await refused([...connect, '--user', randomUUID()], 1, /No active user has the id/);
  const { DATABASE_URL } = env;
  await refused([...connect, ...to], 1, /GITHUB_APP_ID must be set/, { DATABASE_URL } as never);
  const other = { ...env, GITHUB_APP_ID: '1' };
  await refused([...connect, ...to], 1, /GitHub refuses the key of the App/, other);
});
