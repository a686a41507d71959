import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../testing/harness/harness.ts';
import { encodeCursor } from './paging.ts';

const { fixtures, request } = await startHarness();
const ID = '00000000-0000-4000-8000-000000000001';

test('422: a cursor with a time or an id that PostgreSQL would refuse is no cursor', async () => {
  const user = await fixtures.user();
  const times = [
    '2026-99-99 00:00:00+00',
    '2026-02-30 00:00:00+00',
    '2025-02-29 00:00:00+00',
    '2026-11-22 99:00:00+00',
    '0000-01-01 00:00:00+00',
    '999999-01-01 00:00:00+00',
    `2026-11-22 00:00:00.${'1'.repeat(500)}+00`,
  ];
  for (const key of [...times.map((time) => [time, ID]), [times[0] as string, '-'.repeat(36)]]) {
    const path = `/api/invitations?cursor=${encodeCursor(key)}`;
    const { status, body } = await request('GET', path, user);
    assert.deepEqual([status, body.detail?.[0].type], [422, 'cursor_invalid'], key.join());
  }
  for (const time of ['2026-11-22 08:15:30.123456+00', '2024-02-29 00:00:00+00']) {
    const path = `/api/invitations?cursor=${encodeCursor([time, ID])}`;
    assert.equal((await request('GET', path, user)).status, 200, time);
  }
  const path = `/api/projects?limit=1&cursor=${encodeCursor(['a', '-'.repeat(36)])}`;
  assert.equal((await request('GET', path, user)).status, 422);
});
