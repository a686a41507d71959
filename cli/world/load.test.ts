import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { auditLedger } from '../../server/billing/audit/ledger-audit.ts';
import { isDefaultCard } from '../../server/billing/saved-card.ts';
import { type Database, openDatabase } from '../../server/db/database/database.ts';
import { sql } from '../../server/db/sql.ts';
import { hashKey, mintKey } from '../../server/identity/keys/key.ts';
import { cloneDatabase } from '../../server/testing/database/database.ts';
import { WorldError } from './faults.ts';
import { importFirstWorld, importWorld } from './load.ts';

const clone = await cloneDatabase();
const db = openDatabase({ url: clone.url });
after(async () => {
  await db.close();
  await clone.drop();
});

const demo = JSON.parse(await readFile(join(import.meta.dirname, '../../demo/world.json'), 'utf8'));
const ids = await importWorld(db, demo);

const count = async (table: 'app_user' | 'audit_event' | 'ledger_transfer'): Promise<number> => {
  const tables = {
    app_user: sql`app_user`,
    audit_event: sql`audit_event`,
    ledger_transfer: sql`ledger_transfer`,
  };
  return Number(
    (await db.one<{ count: bigint }>(sql`select count(*) from ${tables[table]}`)).count,
  );
};

test('every part of a world gets an id, printed by handle', async () => {
  assert.deepEqual(Object.keys(ids), [
    'users',
    'keys',
    'cards',
    'organizations',
    'teams',
    'invitations',
    'projects',
    'tasks',
  ]);
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  assert.match(ids.users.ada?.id ?? '', uuid);
  for (const list of ['organizations', 'teams', 'invitations', 'projects', 'tasks'] as const) {
    for (const id of Object.values(ids[list])) assert.match(id, uuid);
  }
  assert.match(ids.cards['ada/visa'] ?? '', /^pm_[0-9A-Za-z]{24}$/);
  const owner = await db.one(sql`
    select o.name from organization o join app_user u on u.id = o.owner_user_id
     where o.id = ${ids.organizations.acme} and u.id = ${ids.users.ada?.id}`);
  assert.deepEqual(owner, { name: 'Acme' });
});

test('the first card of a person in the file is their default', async () => {
  const defaults = await db.many<{ user_id: string; id: string }>(sql`
    select p.user_id, p.id from payment_method p where ${isDefaultCard}`);
  for (const { handle, cards } of demo.users.filter((user: { cards?: [] }) => user.cards?.length)) {
    const row = defaults.find(({ user_id }) => user_id === ids.users[handle]?.id);
    assert.equal(row?.id, ids.cards[`${handle}/${cards[0].handle}`], handle);
  }
});

test('a minted key is kept as its hash alone, and opens its owner', async () => {
  const secret = ids.keys['ada-laptop'] ?? '';
  const row = await db.one(sql`select user_id from api_key where secret_hash = ${hashKey(secret)}`);
  assert.deepEqual(row, { user_id: ids.users.ada?.id });
});

test('a key that the file gives is taken as it is', async () => {
  const secret = mintKey();
  const world = {
    users: [{ handle: 'x', email: 'given@x.com', keys: [{ handle: 'k', name: 'k', secret }] }],
  };
  assert.equal((await importWorld(db, world)).keys.k, secret);
});

test('the owner is a member whose role is admin', async () => {
  const row = await db.one(sql`
    select r.slug from membership m join role r on r.id = m.role_id
     where m.organization_id = ${ids.organizations.acme} and m.user_id = ${ids.users.ada?.id}`);
  assert.deepEqual(row, { slug: 'admin' });
});

test('initial balances are transfers from the promotions account, and the ledger holds', async () => {
  const rows = await db.many<{ kind: string; amount: bigint; keyed: boolean; name: string }>(sql`
    select l.kind, l.amount, l.idempotency_key = 'import:' || l.account_id as keyed,
      p.system_name as name
      from ledger_transfer l join billing_account a on a.id = l.account_id
      join billing_account p on p.id = l.debit_account_id
     where a.organization_id = any(${Object.values(ids.organizations)}::uuid[]) order by l.amount`);
  const common = { kind: 'promotion', keyed: true, name: 'promotions' };
  assert.deepEqual(rows, [
    { ...common, amount: 12_345_678n },
    { ...common, amount: 120_000_000n },
  ]);
  assert.deepEqual((await auditLedger(db)).violations, []);
});

test('a team that is added to new projects is not added to those of its file', async () => {
  const teams = await db.many(sql`
    select t.name from team_project tp join team t on t.id = tp.team_id
     where tp.project_id = ${ids.projects.warehouse}`);
  assert.deepEqual(teams, [{ name: 'Core' }]);
  const world = {
    users: [{ handle: 'x', email: 'eager@x.com' }],
    organizations: [
      {
        handle: 'o',
        name: 'O',
        owner: 'x',
        teams: [{ handle: 't', name: 'T', add_to_new_projects: true }],
      },
    ],
    projects: [
      { handle: 'p', name: 'P', organization: 'o', erp_version: '18.0', erp_edition: 'community' },
    ],
  };
  const { projects } = await importWorld(db, world);
  assert.deepEqual(
    await db.many(sql`select from team_project where project_id = ${projects.p}`),
    [],
  );
});

test('all revisions of a plan are kept; its creator approved the version that the file names, and the task waits for the newer one', async () => {
  const plan = await db.one(sql`
    select p.version, p.approved_version, a.approved_by_user_id = t.created_by_user_id as by_creator,
           (select count(*)::int from plan_revision r where r.task_id = t.id) as revisions,
           t.status
      from task t join plan p on p.task_id = t.id
      join plan_approval a on a.task_id = t.id and a.version = p.approved_version
     where t.id = ${ids.tasks.approvals}`);
  assert.deepEqual(plan, {
    version: 2,
    approved_version: 1,
    by_creator: true,
    revisions: 2,
    status: 'awaiting_approval',
  });
});

test('the conversation of a task is there in its order, with who said what', async () => {
  const messages = await db.many(sql`
    select m.role, u.email, t.last_message
      from task_message m join task t on t.id = m.task_id
      left join app_user u on u.id = m.author_user_id
     where t.id = ${ids.tasks.approvals} order by m.number`);
  assert.deepEqual(messages, [
    { role: 'user', email: 'carol@example.com', last_message: 4 },
    { role: 'agent', email: null, last_message: 4 },
    { role: 'user', email: 'carol@example.com', last_message: 4 },
    { role: 'agent', email: null, last_message: 4 },
  ]);
});

test('invitations expire when the file says, and were all made in the past, the later ones last', async () => {
  const rows = await db.many(sql`
    select email, status, expires_at > now() as open from invitation
     where organization_id = ${ids.organizations.acme} and created_at < now() order by created_at`);
  assert.deepEqual(rows, [
    { email: 'ivy@example.com', status: 'pending', open: false },
    { email: 'jonas@example.com', status: 'declined', open: true },
    { email: 'hugo@freelance.example', status: 'pending', open: true },
    { email: 'kim@example.com', status: 'pending', open: true },
  ]);
});

test('an import writes one audit row without an actor, with what it created', async () => {
  const row = await db.one(sql`
    select actor_user_id, outcome, request_id, after from audit_event
     where action = 'world.import' and target_id = 'world' order by occurred_at limit 1`);
  const after = { users: 8, organizations: 2, projects: 4, tasks: 5 };
  assert.deepEqual(row, { actor_user_id: null, outcome: 'done', request_id: 'cli', after });
});

/** Imports a world that is refused, and asserts that it left nothing. */
async function refused(world: unknown, message: RegExp): Promise<void> {
  const before = [
    await count('app_user'),
    await count('audit_event'),
    await count('ledger_transfer'),
  ];
  await assert.rejects(
    importWorld(db, world),
    (error) => error instanceof WorldError && message.test(error.message),
  );
  const now = [await count('app_user'), await count('audit_event'), await count('ledger_transfer')];
  assert.deepEqual(now, before);
}

test('an address that the database has, in any case, is named and nothing is imported', async () => {
  const users = [
    { handle: 'n', email: 'new@x.com', balance: '5.00' },
    { handle: 'a', email: 'ADA@example.com' },
  ];
  await refused({ users }, /\/users\/1\/email: ADA@example\.com already exists in the database/);
});

test('a workspace whose owner is deactivated or lacks the required second factor is refused whole', async () => {
  const world = {
    users: [
      { handle: 'gone', email: 'gone@x.com', is_active: false, balance: '5.00' },
      { handle: 'plain', email: 'plain@x.com' },
    ],
    organizations: [
      { handle: 'a', name: 'A', owner: 'gone' },
      { handle: 'b', name: 'B', owner: 'plain', require_2fa: true },
      { handle: 'c', name: 'C', owner: 'gone', require_2fa: true },
    ],
  };
  await refused(
    world,
    new RegExp(
      'has 4 faults.*/organizations/0/owner: "gone" is deactivated.*/organizations/1/owner: "plain" has no two-factor.*' +
        '/organizations/2/owner: "gone" is deactivated.*/organizations/2/owner: "gone" has no ' +
        'two-factor',
      's',
    ),
  );
  const [a, b] = world.organizations;
  world.users[0] = { handle: 'gone', email: 'gone@x.com', two_factor: true } as never;
  const made = await importWorld(db, {
    users: world.users,
    organizations: [
      { ...a, require_2fa: true },
      { ...b, require_2fa: false },
    ],
  });
  assert.deepEqual(Object.keys(made.organizations), ['a', 'b']);
});

test('a key that the database has is refused and nothing is imported', async () => {
  const keys = [{ handle: 'k', name: 'k', secret: ids.keys['ada-laptop'] }];
  await refused(
    { users: [{ handle: 'n', email: 'new@x.com', keys }] },
    /one of these keys already/,
  );
});

test('of two imports of the same file at once, one is done and the other refused whole', async () => {
  const world = {
    users: Array.from({ length: 50 }, (_, i) => ({ handle: `r${i}`, email: `race${i}@x.com` })),
  };
  const results = await Promise.allSettled([importWorld(db, world), importWorld(db, world)]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const lost = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  assert.ok(lost.reason instanceof WorldError, String(lost.reason));
  assert.equal((await db.many(sql`select from app_user where email like 'race%'`)).length, 50);
});

test('handles may be any text, also a name that JavaScript knows', async () => {
  const users = ['__proto__', 'constructor', 'toString'].map((handle, i) => ({
    handle,
    email: `odd${i}@x.com`,
  }));
  const made = await importWorld(db as Database, { users });
  assert.deepEqual(Object.keys(made.users), ['__proto__', 'constructor', 'toString']);
});

test('a world of many batches is loaded whole, and says how far it is', async () => {
  const users = Array.from({ length: 7_000 }, (_, i) => ({
    handle: `b${i}`,
    email: `big${i}@x.com`,
    balance: '1.00',
  }));
  const told: number[][] = [];
  const onProgress = (done: number, total: number) => told.push([done, total]);
  await importWorld(db, { users }, { onProgress });
  const steps = [5_000, 7_000, 12_000, 14_000];
  assert.deepEqual(
    told,
    steps.map((done) => [done, 14_000]),
  );
});

test('race: of processes that load the first world at once, one does, and the others wait for it', async () => {
  const other = await cloneDatabase();
  const servers = Array.from({ length: 4 }, () => openDatabase({ url: other.url }));
  const first = { users: demo.users };
  const loaded = await Promise.all(servers.map((server) => importFirstWorld(server, first)));
  assert.equal(loaded.filter((each) => each !== undefined).length, 1);
  assert.equal(await importFirstWorld(servers[0] as Database, first), undefined);
  await Promise.all(servers.map((server) => server.close()));
  await other.drop();
});
