import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, unchanged } = await startHarness({
  env: { RATE_LIMIT_INVITATIONS_PER_MINUTE: '60' },
});

test('429: of 1,000 invitations that a user sends at once, 60 are sent; all others say when to try again', async () => {
  const [owner, other] = [await fixtures.user(), await fixtures.user()];
  const workspace = await fixtures.workspace(owner);
  await fixtures.member(workspace, other, 'admin');
  const project = await fixtures.project({ organizationId: workspace });
  const path = `/api/organizations/${workspace}/invitations`;
  const invite = (n: number, { key } = owner) =>
    request('POST', path, { key, body: { email: `eve-${n}@example.com`, role: 'member' } });
  const sent = new Map<number, number>();
  for (let n = 0; n < 1000; n += 20) {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => invite(n + i)));
    for (const { status, headers } of replies) {
      sent.set(status, (sent.get(status) ?? 0) + 1);
      if (status !== 429) continue;
      const seconds = Number(headers.get('retry-after'));
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
    }
  }
  assert.deepEqual(
    sent,
    new Map([
      [201, 60],
      [429, 940],
    ]),
  );
  const { body: open } = await request('GET', path, { key: owner.key });
  assert.equal(open.length, 60);
  // One count for everything that sends an invitation.
  for (const again of [`${path}/${open[0].id}/resend`, `/api/projects/${project}/invitations`]) {
    const body = { email: 'ann@example.com', role: 'member' };
    const reply = await unchanged(() => request('POST', again, { key: owner.key, body }));
    assert.deepEqual([reply.status, reply.body.code], [429, 'rate_limited']);
    assert.match(reply.headers.get('ratelimit-policy') as string, /"invitations";q=60;w=60$/);
  }
  // Revoking does not count as sending, and the limit holds up no one else.
  const revoked = await request('DELETE', `${path}/${open[0].id}`, { key: owner.key });
  assert.equal(revoked.status, 204);
  assert.equal((await invite(1000, other)).status, 201);
});
