import assert from 'node:assert/strict';
import { test } from 'node:test';
import { succeededTopUp } from '../testing/fixtures/billing/top-ups.ts';
import type { User } from '../testing/fixtures/tenants.ts';
import { startHarness } from '../testing/harness/harness.ts';

// The same operations for a person and for a workspace.

const { db, fixtures, request } = await startHarness();
const owner = await fixtures.user({ name: 'Ada Byron' });
const workspace = await fixtures.workspace(owner, { name: 'Acme' });
const card = await fixtures.card(owner);
const ofWorkspace = `/api/organizations/${workspace}/billing/invoices`;
const LISTS = [
  { whose: 'own', path: '/api/billing/invoices', name: 'Ada Byron', in: {} },
  { whose: "a workspace's", path: ofWorkspace, name: 'Acme', in: { organizationId: workspace } },
];
const topUp = (where: { organizationId?: string }, amount?: bigint) =>
  succeededTopUp(db, {
    userId: owner.id,
    card,
    ...where,
    ...(amount === undefined ? {} : { amount }),
  });

for (const { whose, path, name, in: where } of LISTS) {
  test(`200: ${whose} invoices, newest first, 50 to a page, and each by itself`, async () => {
    const ids: string[] = [];
    for (let i = 0; i < 52; i++)
      ids.unshift((await topUp(where, BigInt(i + 1) * 10_000n)).invoiceId);
    const first = await request('GET', path, owner);
    const link = /^<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] as string;
    const second = await request('GET', link, owner);
    const all = [...first.body, ...second.body];
    assert.deepEqual([first.body.length, second.headers.get('link')], [50, null]);
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    );
    const { issued_at, charged_at, number, top_up_id, ...rest } = all[0];
    assert.match(number, /^INV-\d{4}-\d{6}$/);
    assert.ok(issued_at >= charged_at && top_up_id !== undefined);
    assert.deepEqual(rest, {
      id: ids[0],
      kind: 'invoice',
      total: '0.52',
      net: '0.52',
      tax: '0.00',
      tax_rate: '0',
      tax_name: 'VAT',
      customer: { name, address: [], email: owner.email },
      issuer: { name: 'Guildhall', address: [] },
      card_brand: 'visa',
      card_last4: '4242',
      is_test: true,
    });
    const one = await request('GET', `${path}/${ids[0]}`, owner);
    assert.deepEqual([one.status, one.body], [200, all[0]]);
  });
}

test('403: an invoice of another person, or of a workspace as one’s own; 404: of another workspace', async () => {
  const other = await fixtures.user();
  const elsewhere = await fixtures.workspace(owner);
  const own = (await topUp({})).invoiceId;
  const workspaces = (await topUp({ organizationId: workspace })).invoiceId;
  for (const [user, path, refusal] of [
    [other, `/api/billing/invoices/${own}`, 'forbidden'],
    [owner, `/api/billing/invoices/${workspaces}`, 'forbidden'],
    [owner, `${ofWorkspace}/${own}`, 'not_found'],
    [owner, `/api/organizations/${elsewhere}/billing/invoices/${workspaces}`, 'not_found'],
  ] as [User, string, string][]) {
    const { status, body } = await request('GET', path, user);
    assert.deepEqual([status, body.code], [refusal === 'forbidden' ? 403 : 404, refusal]);
  }
});

test('200 for an admin of the workspace; 403 for members, viewers and strangers', async () => {
  const [admin, member, viewer, stranger] = (await Promise.all(
    Array.from({ length: 4 }, () => fixtures.user()),
  )) as [User, User, User, User];
  await fixtures.member(workspace, admin, 'admin');
  await fixtures.member(workspace, member);
  await fixtures.member(workspace, viewer, 'viewer');
  const { invoiceId } = await topUp({ organizationId: workspace });
  for (const path of [ofWorkspace, `${ofWorkspace}/${invoiceId}`]) {
    assert.equal((await request('GET', path, admin)).status, 200);
    for (const user of [member, viewer, stranger])
      assert.equal((await request('GET', path, user)).status, 403);
  }
});
