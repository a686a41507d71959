import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../server/billing/audit/ledger-audit.ts';
import { closeWorkspaceAccount } from '../server/billing/ledger/workspace-account.ts';
import { enterMode, storedMode } from '../server/billing/mode/enter-mode.ts';
import { openDatabase } from '../server/db/database/database.ts';
import { sql } from '../server/db/sql.ts';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { temporaryFolder } from '../server/testing/fixtures/tasks/file-stores.ts';
import { fixturesOn } from '../server/testing/fixtures/tenants.ts';
import { runCommand } from '../server/testing/processes/command.ts';

/** What an operator grants. */

async function database() {
  const clone = await cloneDatabase();
  const db = openDatabase({ url: clone.url, poolSize: 4 });
  after(async () => {
    await db.close();
    await clone.drop();
  });
  const run = (args: string[], env: object = {}) =>
    runCommand(args, { env: { DATABASE_URL: clone.url, ...env } });
  const grant = (...args: string[]) => run(['credits', 'grant', ...args]);
  const rows = () => db.many(sql`select amount from ledger_transfer`);
  return { db, run, grant, rows, fixtures: fixturesOn(db) };
}

const WHY = ['--reason', 'A pilot'];
const CREDITS = { mode: 'credits', testMoney: false } as const;

const granted = await database();
test('a grant is one posting and one audit event, to a workspace or a person', async () => {
  const { db, grant, fixtures } = granted;
  await enterMode(db, CREDITS);
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  const { code, out } = await grant('--workspace', workspace, '--amount', '50', ...WHY, '--json');
  assert.equal(code, 0);
  const { id, ...rest } = JSON.parse(out);
  assert.deepEqual(rest, { amount: '50.00', balance: '50.00', reason: 'A pilot', repeated: false });
  const own = await grant('--user', user.email, '--amount', '12.34', ...WHY);
  assert.equal(own.out, 'Granted 12.34 USD; the balance is 12.34 USD.\n');
  const [row] = await db.many(sql`
    select l.kind, l.reference_type, e.action, e.after, e.organization_id
      from ledger_transfer l join audit_event e on e.id = l.reference_id where l.id = ${id}`);
  assert.deepEqual(row, {
    kind: 'grant',
    reference_type: 'audit_event',
    action: 'credits.grant',
    after: { balance: '50.00', amount: '50.00', reason: 'A pilot' },
    organization_id: workspace,
  });
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('with a key it is made once, also by several processes at once, and another grant gets no such key', async () => {
  const { grant, fixtures } = granted;
  const [user, other] = [await fixtures.user(), await fixtures.user()];
  const same = ['--user', user.id, '--amount', '5.00', ...WHY, '--key', 'pilot-1'];
  const all = await Promise.all(Array.from({ length: 4 }, () => grant(...same, '--json')));
  assert.deepEqual(
    all.map(({ code }) => code),
    [0, 0, 0, 0],
    all.map(({ err }) => err).join(),
  );
  assert.equal(all.filter(({ out }) => !JSON.parse(out).repeated).length, 1);
  assert.equal(await fixtures.balance({ userId: user.id }), 5_000_000n);
  const before = await granted.rows();
  for (const [flag, value] of [
    ['--user', other.id],
    ['--amount', '6.00'],
    ['--reason', 'B'],
  ]) {
    const args = [...same];
    args[args.indexOf(flag as string) + 1] = value as string;
    const { code, err } = await grant(...args);
    assert.equal(code, 1);
    assert.match(err, /The key pilot-1 was used for another grant/);
  }
  assert.deepEqual(await granted.rows(), before);
});

test('no grant of nothing, of less or of too much, to no one or to both, and nothing changes', async () => {
  const { grant, fixtures } = granted;
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  const before = await granted.rows();
  const to = ['--user', user.id];
  for (const amount of ['0', '-5', '-0.01', '0.001', '1e3', 'NaN', '99999999999', '']) {
    const { code, err } = await grant(...to, `--amount=${amount}`, ...WHY);
    assert.deepEqual([code, /amount in USD of at least 0.01/.test(err)], [2, true], amount + err);
  }
  const refused = async (status: number, said: RegExp, ...args: string[]) => {
    const { code, err } = await grant(...args);
    assert.equal(code, status, err);
    assert.match(err, said);
  };
  const more = ['--amount', '1', ...WHY];
  await refused(1, /must not exceed 1000000000.00/, ...to, '--amount', '1000000000.01', ...WHY);
  await refused(2, /either --workspace or --user/, ...more);
  await refused(2, /either --workspace or --user/, ...to, '--workspace', workspace, ...more);
  await refused(2, /--reason/, ...to, '--amount', '1');
  await refused(2, /1 to 500 characters/, ...to, '--amount', '1', '--reason', ' ');
  await refused(1, /No workspace has the id/, '--workspace', user.id, ...more);
  await refused(1, /No user has the email/, '--user', 'no@example.com', ...more);
  assert.deepEqual(await granted.rows(), before);
});

test('a workspace that was deleted gets nothing, and what it was granted went to its owner', async () => {
  const { db, grant, fixtures } = granted;
  const user = await fixtures.user();
  const workspace = await fixtures.workspace(user);
  assert.equal((await grant('--workspace', workspace, '--amount', '3', ...WHY)).code, 0);
  await db.transaction((tx) => closeWorkspaceAccount(tx, workspace, user.id));
  const { code, err } = await grant('--workspace', workspace, '--amount', '3', ...WHY);
  assert.equal(code, 1);
  assert.match(err, /may have been deleted/);
  assert.equal(await fixtures.balance({ userId: user.id }), 3_000_000n);
});

const sandbox = await database();
test('test money gets no grant: it would become void with it', async () => {
  const { db, grant, rows, fixtures } = sandbox;
  const user = await fixtures.user();
  const args = ['--user', user.id, '--amount', '5', ...WHY];
  const early = await grant(...args);
  assert.match(early.err, /Balances are test money here/);
  await enterMode(db, { mode: 'sandbox', testMoney: true });
  const { code, err } = await grant(...args);
  assert.equal(code, 1);
  assert.match(err, /Balances are test money here/);
  assert.deepEqual(await rows(), []);
});

const imported = await database();
test('balances of a world file are granted only if that is said, where they are real money', async () => {
  const { db, run, rows } = imported;
  const file = join(await temporaryFolder(), 'world.json');
  const users = [{ handle: 'a', email: 'a@example.com', balance: '5.00' }];
  await writeFile(file, JSON.stringify({ users }));
  const env = { BILLING: 'credits' };
  const refused = await run(['import', file], env);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /--grant-balances/);
  assert.deepEqual(await rows(), []);
  assert.equal(await storedMode(db), undefined);
  const done = await run(['import', file, '--grant-balances'], env);
  assert.equal(done.code, 0, done.err);
  await enterMode(db, CREDITS);
  assert.deepEqual(await rows(), [{ amount: 5_000_000n }], 'they became void');
});
