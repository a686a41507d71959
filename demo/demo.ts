import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditLedger } from '../api/billing/audit/ledger-audit.ts';
import { readConfig } from '../api/config.ts';
import { removeOutside } from '../api/db/embedded/cluster-location.ts';
import { type Server, start } from '../api/process/start.ts';
import { importWorld, type WorldIds } from '../cli/world/load.ts';
import { DemoClient, showBalances } from './client.ts';
import { mergeTask } from './merge.ts';
import { carryOutTask } from './task.ts';
import { buildTenant, type Person, type Tenant } from './tenant.ts';

/**
 * `npm run demo`: a real server on a new database, a tenant from nothing, the seven operations of
 * the contract, and a task from a message to a deploy, over HTTP and Git, each answer checked.
 */

const WORLD = join(import.meta.dirname, 'world.json');

const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-demo-'));
const servers: Server[] = [];
const began = performance.now();
try {
  await chmod(dataDir, 0o755); // when run as root, PostgreSQL's own user needs access
  console.log('Starting a server on a new database …');
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'https://guildhall.example.com',
  });
  const server = await start(config);
  servers.push(server);
  const ids = await importWorld(server.db, JSON.parse(await readFile(WORLD, 'utf8')));
  console.log(`The server is running at ${server.url} with the workshop in demo/world.json.`);
  const client = new DemoClient(server.url);
  const tenant = await performAll(client, server, ids);
  // Only now, so that no agent changes the balances above.
  servers.push(await start(config, { work: true }));
  const card = ids.cards['ada/visa'] as string;
  const task = await carryOutTask(client, people(ids), { ...tenant, card });
  await mergeTask(client, people(ids).carol, { project: tenant.project, task });
  const { violations } = await auditLedger(server.db);
  assert.deepEqual(violations, [], 'the ledger does not hold');
  const seconds = Math.round((performance.now() - began) / 1_000);
  console.log(`\nEvery answer was as expected, and the ledger holds (${seconds} s).`);
} catch (error) {
  console.error(`\nThe demo failed: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  for (const server of servers.reverse()) await server.close();
  await removeOutside(dataDir);
  await rm(dataDir, { recursive: true });
}

async function performAll(client: DemoClient, { db }: Server, ids: WorldIds): Promise<Tenant> {
  const tenant = await buildTenant(client, people(ids), ids);
  await readOperations(client, ids);
  await changeOperations(client, ids);
  await addFunds(client, db, ids);
  await transferAndDelete(client, db, ids);
  return tenant;
}

async function readOperations(client: DemoClient, ids: WorldIds): Promise<void> {
  const { ada } = people(ids);
  await client.send({
    title: "List a project's people, and where their roles come from",
    as: ada,
    method: 'GET',
    path: `/api/projects/${ids.projects.shop}/people`,
    promised: {
      status: 200,
      body: [
        { email: 'ada@example.com', is_owner: true, source: 'org', effective_role: 'owner' },
        { email: 'bob@example.com', source: 'org', effective_role: 'admin' },
        {
          email: 'carol@example.com',
          source: 'override',
          org_role: 'member',
          effective_role: 'admin',
        },
        {
          email: 'dan@example.com',
          source: 'override',
          org_role: 'viewer',
          effective_role: 'member',
        },
        { email: 'farid@example.com', is_active: false, hidden_reason: 'deactivated' },
        { email: 'hugo@freelance.example', source: 'collaborator', is_org_member: false },
      ],
    },
  });
  await client.send({
    title: 'List pending invitations, newest first: one has expired, declined ones are not listed',
    as: ada,
    method: 'GET',
    path: `/api/organizations/${ids.organizations.acme}/invitations`,
    promised: {
      status: 200,
      body: [
        { email: 'kim@example.com', role: 'admin', status: 'pending' },
        { email: 'hugo@freelance.example', role: 'member', status: 'pending' },
        { email: 'ivy@example.com', role: 'member', status: 'expired' },
      ],
    },
  });
}

async function changeOperations(client: DemoClient, ids: WorldIds): Promise<void> {
  const { bob, carol } = people(ids);
  await client.send({
    title: 'Update a team: fields that are not sent keep their values',
    as: bob,
    method: 'PUT',
    path: `/api/organizations/${ids.organizations.acme}/teams/${ids.teams.storefront}`,
    body: { name: 'Storefront & Checkout', can_merge_production: true },
    promised: {
      status: 200,
      body: {
        name: 'Storefront & Checkout',
        can_merge_production: true,
        can_merge_staging: true,
        can_create_projects: false,
        member_count: 2,
        project_count: 1,
      },
    },
  });
  const approve = {
    as: carol,
    method: 'POST',
    path: `/api/tasks/${ids.tasks.approvals}/plan/approve`,
  } as const;
  const body = { version: 2, approved_version: 2, approved_by_user_id: ids.users.carol?.id };
  await client.send({
    ...approve,
    title: 'Approve a plan in its second version; the first was approved earlier',
    promised: { status: 200, body: { ...body, newly_approved: true } },
  });
  await client.send({
    ...approve,
    title: 'Approve it again: nothing happens twice',
    promised: { status: 200, body: { ...body, newly_approved: false } },
  });
}

async function addFunds(client: DemoClient, db: Server['db'], ids: WorldIds): Promise<void> {
  const { ada } = people(ids);
  const charge = { as: ada, method: 'POST', path: '/api/billing/add-funds' } as const;
  const card = (handle: string, amount: number) => ({
    amount,
    payment_method_id: ids.cards[`ada/${handle}`],
  });
  await showBalances(db, 'before the next step', { 'Ada Byron': '25.00' });
  await client.send({
    ...charge,
    title: 'Add funds: the card is charged and the balance credited',
    body: card('visa', 40),
    promised: { status: 200, body: { amount_charged: 40, new_balance: 65, status: 'succeeded' } },
  });
  await showBalances(db, 'after', { 'Ada Byron': '65.00' });
  await client.send({
    ...charge,
    title: 'Refused: the card has insufficient funds',
    body: card('empty', 40),
    promised: { status: 402, body: { code: 'card_declined', decline_code: 'insufficient_funds' } },
  });
  await showBalances(db, 'after, unchanged', { 'Ada Byron': '65.00' });
}

async function transferAndDelete(
  client: DemoClient,
  db: Server['db'],
  ids: WorldIds,
): Promise<void> {
  const { ada, bob, carol } = people(ids);
  const acme = `/api/organizations/${ids.organizations.acme}`;
  await client.send({
    title: 'Refused: a member may not delete the workspace',
    as: carol,
    method: 'DELETE',
    path: acme,
    promised: { status: 403, body: { code: 'forbidden' } },
  });
  await client.send({
    title: 'Transfer ownership: Bob is now the owner, and Ada becomes an admin',
    as: ada,
    method: 'POST',
    path: `${acme}/transfer-ownership`,
    body: { new_owner_user_id: ids.users.bob?.id, force: false },
    promised: {
      status: 200,
      body: { new_owner_user_id: ids.users.bob?.id, previous_owner_role: 'admin' },
    },
  });
  await showBalances(db, 'before the next step', {
    Acme: '120.00',
    'Ada Byron': '65.00',
    'Bob Tanaka': '3.50',
  });
  await client.send({
    title: 'Delete the workspace: its balance goes to Ada, its projects remain',
    as: bob,
    method: 'DELETE',
    path: `${acme}?transfer_balance_to_user_id=${ids.users.ada?.id}`,
    promised: {
      status: 200,
      body: {
        status: 'deleted',
        balance_transferred: '120.00',
        balance_transferred_to_user_id: ids.users.ada?.id,
        projects_released: 2,
        invitations_revoked: 3,
      },
    },
  });
  await showBalances(db, 'after', {
    Acme: 'no account',
    'Ada Byron': '185.00',
    'Bob Tanaka': '3.50',
  });
}

function people(ids: WorldIds): Record<'ada' | 'bob' | 'carol', Person> {
  const of = (name: string, handle: string) => ({ name, key: ids.keys[handle] as string });
  return {
    ada: of('Ada', 'ada-laptop'),
    bob: of('Bob', 'bob-desk'),
    carol: of('Carol', 'carol-ci'),
  };
}
