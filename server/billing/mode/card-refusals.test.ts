import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../testing/harness/harness.ts';

for (const mode of ['credits', 'off'] as const) {
  const { request, fixtures, unchanged } = await startHarness({ env: { BILLING: mode } });
  const code = `billing_${mode}`;

  async function person() {
    const user = await fixtures.user();
    const workspace = await fixtures.workspace(user);
    return { user, workspace, card: await fixtures.card(user) };
  }

  test(`409 with ${mode}: no operation takes a card, each says why, and nothing changes`, async () => {
    const { user, workspace, card } = await person();
    const charge = { amount: 25, payment_method_id: card };
    const reload = { enabled: true, threshold: 5, amount: 25, monthly_cap: 100 };
    const [own, ofWorkspace] = ['/api/billing', `/api/organizations/${workspace}/billing`];
    const calls: [string, string, object?][] = [
      ['POST', `${own}/add-funds`, charge],
      ['POST', `${ofWorkspace}/add-funds`, charge],
      ['POST', `${own}/top-ups`, charge],
      ['POST', `${ofWorkspace}/top-ups`, charge],
      ['POST', `${own}/payment-methods/setup`, { test_card: 'pm_card_visa' }],
      ['PUT', `${own}/payment-methods/${card}/default`],
      ['PUT', `${ofWorkspace}/payment-methods/${card}`],
      ['PUT', `${own}/auto-reload`, { ...reload, payment_method_id: card }],
      ['PUT', `${ofWorkspace}/auto-reload`, { threshold: 5 }],
    ];
    for (const [method, path, body] of calls) {
      const call = { key: user.key, ...(body && { body }) };
      const reply = await unchanged(() => request(method, path, call));
      assert.deepEqual([reply.status, reply.body.code], [409, code], path);
      assert.match(reply.body.detail, /^This server takes no cards, because /);
    }
  });

  test(`with ${mode}: strangers are refused as ever, and wrong requests before`, async () => {
    const { workspace, card } = await person();
    const stranger = await fixtures.user();
    const path = `/api/organizations/${workspace}/billing/add-funds`;
    const body = { amount: 25, payment_method_id: card };
    const ask = (more: object) => unchanged(() => request('POST', path, { body, ...more }));
    assert.equal((await ask({})).status, 401);
    // Of a refused attempt only the audit trail knows.
    assert.equal((await request('POST', path, { body, key: stranger.key })).status, 403);
    assert.equal((await ask({ key: stranger.key, body: { amount: 0 } })).status, 422);
  });

  test(`with ${mode}: what was saved before can be seen, switched off and removed`, async () => {
    const { user, card } = await person();
    const key = user.key;
    const cards = await request('GET', '/api/billing/payment-methods', { key });
    assert.equal(cards.body.length, 1);
    const off = { key, body: { enabled: false } };
    assert.equal((await request('PUT', '/api/billing/auto-reload', off)).status, 200);
    const removed = await request('DELETE', `/api/billing/payment-methods/${card}`, { key });
    assert.equal(removed.status, 204);
  });

  test(`the configuration says that billing is ${mode}, and that there are no cards`, async () => {
    const user = await fixtures.user();
    const { body } = await request('GET', '/api/config', { key: user.key });
    assert.deepEqual([body.features.billing, body.features.cards], [mode, 'none']);
  });
}
