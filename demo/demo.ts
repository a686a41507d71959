import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importWorld, type WorldIds } from '../cli/world/load.ts';
import type { Client } from '../client/src/index.ts';
import { auditLedger } from '../server/billing/audit/ledger-audit.ts';
import { removeOutside } from '../server/db/embedded/outside.ts';
import { type Server, start } from '../server/main/start.ts';
import { readConfig } from '../server/platform/config/config.ts';
import { useErp } from './erp.ts';
import { mergeTask } from './merge.ts';
import { type Person, Presenter, showBalances } from './presenter.ts';
import { carryOutTask } from './task.ts';
import { buildTenant, type Tenant } from './tenant.ts';

/**
 * `npm run demo`: a real server on a new database, a tenant from nothing, the seven operations of
 * the contract, a task from a message to a deploy, and one whose agent uses an ERP system of its own,
 * over HTTP and Git, each answer checked.
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
  const presenter = new Presenter(server.url);
  const tenant = await performAll(presenter, server, ids);
  // Only now, so that no agent changes the balances above.
  servers.push(await start(config, { tasks: 'here' }));
  const card = ids.cards['ada/visa'] as string;
  const task = await carryOutTask(presenter, people(ids), { ...tenant, card });
  await mergeTask(presenter, people(ids).carol, { project: tenant.project, task });
  await useErp(presenter, people(ids).carol, tenant.project);
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

async function performAll(presenter: Presenter, { db }: Server, ids: WorldIds): Promise<Tenant> {
  const tenant = await buildTenant(presenter, people(ids), ids);
  await readOperations(presenter, ids);
  await changeOperations(presenter, ids);
  await addFunds(presenter, db, ids);
  await transferAndDelete(presenter, db, ids);
  return tenant;
}

async function readOperations(presenter: Presenter, ids: WorldIds): Promise<void> {
  const { ada } = people(ids);
  const org_id = ids.organizations.acme as string;
  const project_id = ids.projects.shop as string;
  await presenter.send({
    title: "List a project's people, and where their roles come from",
    as: ada,
    call: (guildhall) => guildhall.get('/api/projects/{project_id}/people', { project_id }),
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
  await presenter.send({
    title: 'List pending invitations, newest first: one has expired, declined ones are not listed',
    as: ada,
    call: (guildhall) => guildhall.get('/api/organizations/{org_id}/invitations', { org_id }),
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

async function changeOperations(presenter: Presenter, ids: WorldIds): Promise<void> {
  const { bob, carol } = people(ids);
  await presenter.send({
    title: 'Update a team: fields that are not sent keep their values',
    as: bob,
    call: (guildhall) =>
      guildhall.put('/api/organizations/{org_id}/teams/{team_id}', {
        org_id: ids.organizations.acme as string,
        team_id: ids.teams.storefront as string,
        body: { name: 'Storefront & Checkout', can_merge_production: true },
      }),
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
    call: (guildhall: Client) =>
      guildhall.post('/api/tasks/{task_id}/plan/approve', {
        task_id: ids.tasks.approvals as string,
      }),
  };
  const body = { version: 2, approved_version: 2, approved_by_user_id: ids.users.carol?.id };
  await presenter.send({
    ...approve,
    title: 'Approve a plan in its second version; the first was approved earlier',
    promised: { status: 200, body: { ...body, newly_approved: true } },
  });
  await presenter.send({
    ...approve,
    title: 'Approve it again: nothing happens twice',
    promised: { status: 200, body: { ...body, newly_approved: false } },
  });
}

async function addFunds(presenter: Presenter, db: Server['db'], ids: WorldIds): Promise<void> {
  const { ada } = people(ids);
  const charge = (handle: string, amount: number) => ({
    as: ada,
    call: (guildhall: Client) =>
      guildhall.post('/api/billing/add-funds', {
        body: { amount, payment_method_id: ids.cards[`ada/${handle}`] as string },
      }),
  });
  await showBalances(db, 'before the next step', { 'Ada Byron': '25.00' });
  await presenter.send({
    ...charge('visa', 40),
    title: 'Add funds: the card is charged and the balance credited',
    promised: { status: 200, body: { amount_charged: 40, new_balance: 65, status: 'succeeded' } },
  });
  await showBalances(db, 'after', { 'Ada Byron': '65.00' });
  await presenter.send({
    ...charge('empty', 40),
    title: 'Refused: the card has insufficient funds',
    promised: { status: 402, body: { code: 'card_declined', decline_code: 'insufficient_funds' } },
  });
  await showBalances(db, 'after, unchanged', { 'Ada Byron': '65.00' });
}

async function transferAndDelete(
  presenter: Presenter,
  db: Server['db'],
  ids: WorldIds,
): Promise<void> {
  const { ada, bob, carol } = people(ids);
  const org_id = ids.organizations.acme as string;
  const path = '/api/organizations/{org_id}';
  await presenter.send({
    title: 'Refused: a member may not delete the workspace',
    as: carol,
    call: (guildhall) => guildhall.delete(path, { org_id }),
    promised: { status: 403, body: { code: 'forbidden' } },
  });
  await presenter.send({
    title: 'Transfer ownership: Bob is now the owner, and Ada becomes an admin',
    as: ada,
    call: (guildhall) =>
      guildhall.post('/api/organizations/{org_id}/transfer-ownership', {
        org_id,
        body: { new_owner_user_id: ids.users.bob?.id as string, force: false },
      }),
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
  await presenter.send({
    title: 'Delete the workspace: its balance goes to Ada, its projects remain',
    as: bob,
    call: (guildhall) =>
      guildhall.delete(path, {
        org_id,
        transfer_balance_to_user_id: ids.users.ada?.id as string,
      }),
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
