import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../db/sql.ts';
import { contextOf, sealedConnections } from '../../erp/sealed-secrets.ts';
import { sealedFactors } from '../../identity/sign-in/sealed-factors.ts';
import { SERVER_SECRET } from '../../testing/fixtures/erp/odoo-connections.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';
import { sealedVariables } from '../variables/sealed-variables.ts';
import { variablesOf } from '../variables/variables-of.ts';
import { rotate } from './rotate.ts';
import { keyIdOf, openSealing } from './sealing.ts';

const NEXT = 'the next secret for tests, which is also long enough';
const both = { current: NEXT, previous: SERVER_SECRET };
const all = [sealedFactors, sealedConnections, sealedVariables];
const { databaseUrl, db, fixtures } = await startHarness();
const person = await fixtures.user();
const project = await fixtures.project({ userId: person.id });
const url = 'https://127.0.0.1:9';

interface Row {
  id: string;
  sealed: Buffer;
  keyId: string;
}
const connections = () =>
  db.many<Row>(sql`
    select id, secret as sealed, secret_key_id as "keyId" from odoo_connection order by id`);
/** The processes of PostgreSQL that serve this database. */
const backends = async () =>
  (
    await db.many<{ pid: number }>(sql`
      select pid from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend'`)
  ).map(({ pid }) => pid);
const secretOf = (secrets: Parameters<typeof openSealing>[0], { id, ...value }: Row) =>
  openSealing(secrets, 'connections')
    .open(value, contextOf({ connection_id: id, project_id: project, url }))
    .toString();

test('killed in the middle, a rotation is finished by the next; servers with both secrets read all the while', async () => {
  for (let i = 0; i < 150; i++) await fixtures.odooConnection(project, { secret: `secret ${i}` });
  const before = new Map((await connections()).map((row) => [row.id, secretOf(both, row)]));
  const ours = new Set(await backends());
  const rotating = spawn(process.execPath, [
    join(import.meta.dirname, '../../testing/processes/rotate-process.ts'),
    databaseUrl,
    NEXT,
    SERVER_SECRET,
  ]);
  const ended = once(rotating, 'exit');
  const isNew = ({ keyId }: Row) => keyId === keyIdOf(NEXT);
  let rows = await connections();
  while (rows.filter(isNew).length < 10) {
    assert.equal(rotating.exitCode, null, 'it has ended before it was killed');
    for (const row of rows) assert.equal(secretOf(both, row), before.get(row.id));
    await pause(5);
    rows = await connections();
  }
  rotating.kill('SIGKILL');
  await ended;
  // What it had sent is carried out to its end.
  await until('its connections end', async () => (await backends()).every((id) => ours.has(id)));
  rows = await connections();
  const left = rows.filter((row) => !isNew(row)).length;
  assert.ok(left > 0, 'it was not killed in the middle');
  for (const row of rows) assert.equal(secretOf(both, row), before.get(row.id));
  const done = await rotate(db, both, all);
  assert.deepEqual(done[1], { name: 'odoo_connection', sealed: left, unopened: [] });
  for (const row of await connections())
    assert.equal(secretOf({ current: NEXT }, row), before.get(row.id));
  assert.deepEqual(
    (await rotate(db, both, all)).map(({ sealed }) => sealed),
    [0, 0, 0],
  );
});

test('a server with only the old secret says what is missing, and changes nothing', async () => {
  const [row] = await connections();
  assert.throws(() => secretOf({ current: SERVER_SECRET }, row as Row), /SERVER_SECRET_PREVIOUS/);
});

test('with a wrong secret, rows are named by their id and stay; the others are sealed anew', async () => {
  const other = 'a secret that no server of these has, long enough';
  const id = await fixtures.odooConnection(project, { serverSecret: other });
  await fixtures.odooConnection(project);
  const before = (await connections()).find((row) => row.id === id);
  const [, done] = await rotate(db, both, all, 1);
  assert.deepEqual(done, { name: 'odoo_connection', sealed: 1, unopened: [id] });
  assert.deepEqual(
    (await connections()).find((row) => row.id === id),
    before,
  );
});

test('secrets of authenticator apps are sealed anew, too, also those of before keys had ids', async () => {
  const vault = openSealing({ current: SERVER_SECRET }, 'factors');
  const { sealed } = vault.seal(Buffer.from('twenty bytes of totp'), person.id);
  await db.many(sql`insert into totp (user_id, secret) values (${person.id}, ${sealed})`);
  const [factors] = await rotate(db, both, all);
  assert.equal(factors?.sealed, 1);
  const row = await db.one<{ sealed: Buffer; keyId: string }>(sql`
    select secret as sealed, key_id as "keyId" from totp where user_id = ${person.id}`);
  const opened = openSealing({ current: NEXT }, 'factors').open(row, person.id);
  assert.equal(opened.toString(), 'twenty bytes of totp');
});

test('secrets of variables are sealed anew; one that does not open is named, and said to whoever needs it', async () => {
  const by = person;
  const name = 'TOKEN';
  const own = await fixtures.project({ userId: person.id });
  await fixtures.variable(own, { by, name, value: 'of the project', secret: true });
  await fixtures.variable(own, { by, name: 'PLAIN', value: 'plain' });
  const [, , done] = await rotate(db, both, all);
  assert.deepEqual(done, { name: 'project_variable', sealed: 1, unopened: [] });
  const wanted = { projectId: own, purpose: 'checks' } as const;
  const { env, secrets } = await variablesOf(
    db,
    openSealing({ current: NEXT }, 'variables'),
    wanted,
  );
  assert.deepEqual(env, { PLAIN: 'plain', TOKEN: 'of the project' });
  assert.deepEqual(secrets, ['of the project']);
  for (const sealing of [undefined, openSealing({ current: SERVER_SECRET }, 'variables')])
    await assert.rejects(variablesOf(db, sealing, wanted), /secret TOKEN .* SERVER_SECRET/);

  const serverSecret = 'a secret that no server of these has, long enough';
  const lost = await fixtures.variable(own, { by, name: 'LOST', secret: true, serverSecret });
  const [, , partly] = await rotate(db, both, all);
  assert.deepEqual(partly, { name: 'project_variable', sealed: 0, unopened: [lost] });
});
