import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../db/database/database.ts';
import { findRedis, type Redis } from '../testing/clients/redis.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { fixturesOn, type User } from '../testing/fixtures/tenants.ts';
import { serve } from '../testing/harness/serve.ts';

/** Three real processes that share their limits in a real store, which dies and comes back. */

const LIMIT = 30;

const redis = await findRedis();
if (redis === undefined)
  test('limits shared by three processes', {
    skip: 'there is no valkey-server and no redis-server',
  }, () => {});
else await sharedIn(redis);

async function sharedIn(redis: Redis) {
  await redis.start();
  const clone = await cloneDatabase();
  const env = {
    DATABASE_URL: clone.url,
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  };
  const servers = await Promise.all([1, 2, 3].map(() => serve(env)));
  const db = openDatabase({ url: clone.url });
  const fixtures = fixturesOn(db);
  after(async () => {
    for (const { child } of servers) child.kill('SIGKILL');
    await redis.kill();
    await db.close();
    await clone.drop();
  });

  /**
   * How many of `count` requests to each process were let through; each is answered one way or the
   * other.
   */
  async function passed(user: User, count: number): Promise<number[]> {
    return Promise.all(
      servers.map(async ({ url }) => {
        const statuses: number[] = [];
        for (let i = 0; i < count; i++) statuses.push(await ask(url, user));
        assert.deepEqual(
          statuses.filter((status) => status !== 404 && status !== 429),
          [],
        );
        return statuses.filter((status) => status === 404).length;
      }),
    );
  }
  const ask = async (url: string, { key }: User) => {
    const path = `/api/projects/${randomUUID()}/people`;
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    await reply.text();
    return reply.status;
  };
  const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0);

  test('three processes let one limit through together', async (t) => {
    const counts = await passed(await fixtures.user(), LIMIT);
    assert.equal(sum(counts), LIMIT);
    t.diagnostic(`${counts.join(' + ')} of ${3 * LIMIT} requests were let through; ${redis.name}`);
  });

  test('with the store killed in the middle requests go on: each process lets its own limit through', async () => {
    const user = await fixtures.user();
    assert.equal(sum(await passed(user, LIMIT)), LIMIT);
    const other = await fixtures.user();
    await Promise.all([passed(other, LIMIT), redis.kill()]);
    assert.deepEqual(await passed(await fixtures.user(), LIMIT + 5), [LIMIT, LIMIT, LIMIT]);
    assert.deepEqual(await passed(user, LIMIT + 5), [LIMIT, LIMIT, LIMIT]);
    for (const { logged } of servers) await logged('the store at REDIS_URL cannot be used');
  });

  test('when the store is back, the limit is shared again by itself', async () => {
    await redis.start();
    // Each process finds it in its own time.
    for (let i = 0; ; i++) {
      const counts = await passed(await fixtures.user(), LIMIT);
      if (sum(counts) === LIMIT) break;
      assert.ok(i < 100, `still ${counts}`);
      await pause(100);
    }
    assert.equal(sum(await passed(await fixtures.user(), LIMIT)), LIMIT);
    for (const { logged } of servers) await logged('rate limits are shared again');
  });
}
