import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../../db/sql.ts';
import { signedIn } from '../../../testing/clients/browser.ts';
import { enrol, forgetCodes } from '../../../testing/fixtures/identity/authenticator-app.ts';
import { givePassword, PASSWORD } from '../../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../../testing/harness/harness.ts';
import { until } from '../../../testing/harness/until.ts';

const harness = await startHarness();
const { db, fixtures, unchanged } = harness;

test('a proof opens what needs one, for ten minutes, and changes the token', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const workspace = await fixtures.workspace(user);
  const browser = await signedIn(harness, user, { provenMinutesAgo: 11 });
  const { cookie } = browser;
  const path = `/api/organizations/${workspace}`;
  const before = await unchanged(() => browser.request('DELETE', path));
  assert.deepEqual([before.status, before.body.code], [403, 'proof_required']);
  const reply = await browser.request('POST', '/auth/proof', { body: { password: PASSWORD } });
  assert.equal(reply.status, 200, reply.text);
  const minutes = (Date.parse(reply.body.proven_until) - Date.now()) / 60_000;
  assert.ok(minutes > 9 && minutes <= 10);
  assert.notEqual(browser.cookie, cookie);
  assert.equal((await browser.request('DELETE', path)).status, 200);
  browser.cookie = cookie;
  assert.equal((await browser.request('GET', '/auth/factors')).status, 401);
});

test('403, 422: a wrong password; with a second factor also a wrong or missing code', async () => {
  const user = await fixtures.user();
  await givePassword(harness, user);
  const browser = await signedIn(harness, user);
  const prove = (body: object) => browser.request('POST', '/auth/proof', { body });
  const missing = await unchanged(() => prove({}));
  assert.deepEqual([missing.status, missing.body.detail[0].loc], [422, ['body', 'password']]);
  const wrong = await unchanged(() => prove({ password: 'not this one' }));
  assert.deepEqual([wrong.status, wrong.body.code], [403, 'wrong_password']);
  const app = await enrol(browser);
  await forgetCodes(harness, user.id);
  const alone = await unchanged(() => prove({ password: PASSWORD }));
  assert.deepEqual([alone.status, alone.body.detail[0].loc], [422, ['body', 'code']]);
  const bad = await unchanged(() => prove({ password: PASSWORD, code: '000000' }));
  assert.deepEqual([bad.status, bad.body.code], [403, 'wrong_code']);
  const codeAlone = await unchanged(() => prove({ code: app.code() }));
  assert.equal(codeAlone.status, 422);
  const code = app.code();
  assert.equal((await prove({ password: PASSWORD, code })).status, 200);
  const again = await prove({ password: PASSWORD, code });
  assert.equal(again.status, 403);
  const refused = () =>
    db.many(sql`
      select code from audit_event
       where actor_user_id = ${user.id} and action = 'session.prove' and outcome = 'refused'`);
  await until('the refusals', async () => (await refused()).length >= 4);
});

test('409: without a password and a second factor there is nothing to prove with', async () => {
  const browser = await signedIn(harness, await fixtures.user());
  const reply = await unchanged(() => browser.request('POST', '/auth/proof', { body: {} }));
  assert.deepEqual([reply.status, reply.body.code], [409, 'nothing_to_prove_with']);
});

test('429: ten proofs in a quarter of an hour, right or wrong', async () => {
  const user = await fixtures.user();
  const browser = await signedIn(harness, user);
  for (let times = 0; times < 10; times++)
    assert.equal((await browser.request('POST', '/auth/proof', { body: {} })).status, 409);
  const reply = await browser.request('POST', '/auth/proof', { body: {} });
  assert.equal(reply.status, 429);
  assert.equal((await browser.request('GET', '/auth/factors')).status, 200);
});

test('a workspace that requires two factors opens to who enrols one, and closes when it is removed', async () => {
  const [owner, user] = [await fixtures.user({ twoFactor: true }), await fixtures.user()];
  const workspace = await fixtures.workspace(owner, { require2fa: true });
  const invitation = await fixtures.invitation(workspace, { email: user.email, by: owner });
  const browser = await signedIn(harness, user);
  const accept = () =>
    browser.request('POST', `/api/invitations/${invitation}/accept`, { body: {} });
  const refused = await unchanged(accept);
  assert.deepEqual([refused.status, refused.body.code], [403, 'two_factor_required']);
  await enrol(browser);
  const accepted = await accept();
  assert.equal(accepted.status, 200, accepted.text);
  const path = `/api/organizations/${workspace}/teams`;
  assert.equal((await browser.request('GET', path)).status, 200);
  assert.equal((await browser.request('DELETE', '/auth/totp')).status, 204);
  assert.equal((await browser.request('GET', path)).body.code, 'two_factor_required');
});
