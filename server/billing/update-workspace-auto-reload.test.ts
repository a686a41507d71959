import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../db/sql.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

const { fixtures, request, db, unchanged } = await startHarness();

const FIGURES = { threshold: '10.00', amount: '25.00', monthly_cap: '100.00' };
const RAISED = { threshold: '9000.00', amount: '10000.00', monthly_cap: '1000000.00' };
const NOT_YOURS = [403, 'auto_reload_of_another_person'];

/** A workspace with an owner and an admin who both have a card. */
async function workspaceOfTwo() {
  const [owner, admin] = [await fixtures.user(), await fixtures.user()];
  const id = await fixtures.workspace(owner);
  await fixtures.member(id, admin, 'admin');
  const path = `/api/organizations/${id}/billing/auto-reload`;
  return {
    id,
    owner,
    admin,
    ownersCard: await fixtures.card(owner),
    adminsCard: await fixtures.card(admin),
    get: async (user: User) => (await request('GET', path, { key: user.key })).body,
    put: (user: User, body: unknown) => request('PUT', path, { key: user.key, body }),
  };
}

/** The same, where auto-reload charges the owner's card. */
async function chargingTheOwner() {
  const workspace = await workspaceOfTwo();
  const body = { enabled: true, ...FIGURES, payment_method_id: workspace.ownersCard };
  assert.equal((await workspace.put(workspace.owner, body)).status, 200);
  return workspace;
}

type Workspace = Awaited<ReturnType<typeof workspaceOfTwo>>;

/** The request is refused and changes nothing. */
async function refused({ put }: Workspace, user: User, body: object): Promise<void> {
  const reply = await unchanged(() => put(user, body));
  assert.deepEqual([reply.status, reply.body.code], NOT_YOURS, JSON.stringify(body));
}

test('200: an admin switches off what charges the owner’s card; the owner switches their own figures on again', async () => {
  const workspace = await chargingTheOwner();
  const { owner, admin, put, get } = workspace;
  assert.equal((await put(admin, { enabled: false })).status, 200);
  assert.equal((await put(owner, { enabled: true })).status, 200);
  const { charged_this_month, ...settings } = await get(owner);
  const expected = { enabled: true, ...FIGURES, payment_method_id: workspace.ownersCard };
  assert.deepEqual(settings, expected);
});

test('403: whoever does not own the card cannot change a figure, not even while switching it off', async () => {
  const workspace = await chargingTheOwner();
  const { admin } = workspace;
  const bodies = [
    { enabled: false, ...RAISED },
    { enabled: false, threshold: '0.01' },
    { ...FIGURES },
    ...Object.entries(RAISED).map(([name, value]) => ({ [name]: value })),
  ];
  for (const body of bodies) await refused(workspace, admin, body);
  const { payment_method_id, ...rest } = await workspace.get(admin);
  for (const enabled of [true, false]) {
    await refused(workspace, admin, { ...rest, enabled });
    const whole = { ...rest, payment_method_id, enabled };
    const reply = await unchanged(() => workspace.put(admin, whole));
    assert.deepEqual([reply.status, reply.body.code], [403, 'payment_method_forbidden']);
  }
});

test('403: nor switch it on again after it was switched off by anybody', async () => {
  const workspace = await chargingTheOwner();
  const { owner, admin, put } = workspace;
  for (const user of [admin, owner]) {
    await put(user, { enabled: false });
    await refused(workspace, admin, { enabled: true });
    await put(owner, { enabled: true });
  }
});

test('403: a caller’s own card cannot be combined with another person’s figures', async () => {
  const workspace = await chargingTheOwner();
  const { admin, adminsCard } = workspace;
  for (const enabled of [undefined, false, true]) {
    const own = { payment_method_id: adminsCard, ...(enabled === undefined ? {} : { enabled }) };
    await refused(workspace, admin, own);
    for (const name of Object.keys(FIGURES)) {
      const { [name as keyof typeof FIGURES]: _, ...incomplete } = FIGURES;
      await refused(workspace, admin, { ...own, ...incomplete });
    }
  }
});

test('403: figures that an admin prepared without a card are not charged to the owner’s card', async () => {
  const workspace = await workspaceOfTwo();
  const { owner, admin, put, ownersCard } = workspace;
  assert.equal((await put(admin, RAISED)).status, 200);
  await refused(workspace, owner, { payment_method_id: ownersCard });
  await refused(workspace, owner, { enabled: true, payment_method_id: ownersCard });
  await refused(workspace, owner, { enabled: true, payment_method_id: ownersCard, amount: '25' });
  const own = { enabled: true, ...FIGURES, payment_method_id: ownersCard };
  assert.equal((await put(owner, own)).body.amount, '25.00');
  await refused(workspace, admin, { amount: '9999.00' });
});

test('200: all settings with one’s own card replace everything; then they belong to that person', async () => {
  const workspace = await chargingTheOwner();
  const { owner, admin, put, adminsCard } = workspace;
  const reply = await put(admin, { ...RAISED, payment_method_id: adminsCard });
  const expected = { enabled: true, ...RAISED, payment_method_id: adminsCard };
  assert.deepEqual(reply.body, { ...expected, charged_this_month: '0.00' });
  assert.equal((await put(owner, { enabled: false })).status, 200);
  await refused(workspace, owner, { enabled: true });
  await refused(workspace, owner, { amount: '25.00' });
  await refused(workspace, owner, { enabled: true, payment_method_id: workspace.ownersCard });
  assert.equal((await put(admin, { enabled: true })).status, 200);
});

test('403: after a transfer by force the new owner sends their own settings, or none', async () => {
  const workspace = await chargingTheOwner();
  const { id, owner, admin, put, get, adminsCard } = workspace;
  const body = { new_owner_user_id: admin.id, force: true };
  const transfer = `/api/organizations/${id}/transfer-ownership`;
  assert.equal((await request('POST', transfer, { key: owner.key, body })).status, 200);
  assert.equal((await get(admin)).enabled, false);
  await refused(workspace, admin, { enabled: true });
  await refused(workspace, admin, { enabled: true, payment_method_id: adminsCard });
  const own = { enabled: true, ...FIGURES, payment_method_id: adminsCard };
  assert.equal((await put(admin, own)).status, 200);
  await refused(workspace, owner, { monthly_cap: '1000000' });
});

test('403: the settings stay a person’s own after their card was removed, they left, or they are no admin any more', async () => {
  const gone: ((workspace: Workspace) => Promise<unknown>)[] = [
    ({ adminsCard }) =>
      db.many(sql`update payment_method set detached_at = now() where id = ${adminsCard}`),
    ({ id, admin }) => fixtures.removeMember(id, admin.id),
    ({ id, admin }) =>
      db.many(sql`
        update membership set role_id = '00000000-0000-4000-8000-000000000003'
         where organization_id = ${id} and user_id = ${admin.id}`),
  ];
  for (const go of gone) {
    const workspace = await workspaceOfTwo();
    const { owner, admin, put, ownersCard, adminsCard } = workspace;
    await put(admin, { enabled: true, ...FIGURES, payment_method_id: adminsCard });
    await go(workspace);
    await refused(workspace, owner, { amount: '30' });
    assert.equal((await put(owner, { enabled: false })).status, 200);
    await refused(workspace, owner, { enabled: true });
    await refused(workspace, owner, { enabled: true, payment_method_id: ownersCard });
    const own = { enabled: true, ...FIGURES, payment_method_id: ownersCard };
    assert.equal((await put(owner, own)).status, 200);
  }
});

test('200: {} and a repeated switching off change nothing, whoever sends them', async () => {
  const { admin, owner, put } = await chargingTheOwner();
  await unchanged(() => put(admin, {}));
  await put(admin, { enabled: false });
  for (const user of [admin, owner]) {
    assert.equal((await unchanged(() => put(user, { enabled: false }))).status, 200);
  }
});

test('412: with an If-Match from before the other person’s change nothing is switched', async () => {
  const { id, owner, admin, put } = await chargingTheOwner();
  const path = `/api/organizations/${id}/billing/auto-reload`;
  const read = await request('GET', path, { key: owner.key });
  const headers = { 'if-match': read.headers.get('etag') as string };
  assert.equal((await put(admin, { enabled: false })).status, 200);
  const late = { key: owner.key, body: { amount: '30' }, headers };
  const reply = await unchanged(() => request('PUT', path, late));
  assert.deepEqual([reply.status, reply.body.code], [412, 'auto_reload_changed']);
});

test('race: the owner switches on while an admin replaces everything; card and figures are of one person', async () => {
  for (let round = 0; round < 12; round++) {
    const workspace = await chargingTheOwner();
    const { owner, admin, put, get, adminsCard, ownersCard } = workspace;
    await put(owner, { enabled: false });
    const replies = await Promise.all([
      put(owner, { enabled: true }),
      put(admin, { ...RAISED, payment_method_id: adminsCard }),
      put(owner, { amount: '26.00' }),
    ]);
    for (const { status, body } of replies)
      assert.ok(status === 200 || body.code === NOT_YOURS[1], JSON.stringify(body));
    const { payment_method_id, threshold } = await get(owner);
    const pair = [payment_method_id, threshold];
    const whole = [
      [ownersCard, FIGURES.threshold],
      [adminsCard, RAISED.threshold],
    ];
    assert.ok(
      whole.some((each) => each.join() === pair.join()),
      pair.join(),
    );
  }
});
