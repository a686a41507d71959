import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser, signedIn } from '../../testing/clients/browser.ts';
import { givePassword, PASSWORD } from '../../testing/fixtures/identity/passwords.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

const harness = await startHarness();
const { fixtures } = harness;

interface Event {
  action: string;
  outcome: string;
  target_id: string;
}

test('the own trail has sign-ins, refused ones too, in pages, and nothing of a workspace or of others', async () => {
  const [user, other] = [await fixtures.user(), await fixtures.user()];
  await givePassword(harness, user, other);
  const workspace = await fixtures.workspace(user);
  const signIn = (email: string, password: string, browser = openBrowser(harness)) =>
    browser.request('POST', '/auth/sign-in', { body: { email, password } });
  const mine = openBrowser(harness);
  await signIn(user.email, PASSWORD, mine);
  await signIn(user.email, 'not this one');
  await signIn(other.email, PASSWORD);
  await mine.request('POST', `/api/organizations/${workspace}/teams`, { body: { name: 'Core' } });
  await mine.request('POST', '/auth/sessions/end-others');
  await mine.request('PUT', '/auth/password', { body: { password: 'plum-carousel-quartz-9' } });
  const list = async (query = '') =>
    (await mine.request('GET', `/auth/audit-events${query}`)).body as Event[];
  await until('the refusal', async () => (await list()).length === 3);
  const events = await list();
  const named = events.map(({ action, outcome }) => `${action} ${outcome}`);
  assert.equal(named[0], 'password.set done');
  assert.deepEqual(named.slice().sort(), [
    'password.set done',
    'session.create done',
    'session.create refused',
  ]);
  const first = await mine.request('GET', '/auth/audit-events?limit=2');
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const rest = await mine.request('GET', next);
  assert.deepEqual([...first.body, ...rest.body], events);
  const stranger = await signedIn(harness, await fixtures.user());
  assert.deepEqual((await stranger.request('GET', '/auth/audit-events')).body, []);
});
