import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../db/sql.ts';
import { senderOn, startReceiver } from '../../testing/fixtures/webhooks.ts';
import { startHarness } from '../../testing/harness/harness.ts';
import { until } from '../../testing/harness/until.ts';

/** A thousand webhooks, of which a hundred hang and a hundred refuse, and the rest must not wait. */

const harness = await startHarness({ own: true });
const { db, fixtures } = harness;
const ENDPOINTS = 1_000;
const EVENTS = 3;
const BROKEN = 100;

test('endpoints that hang or refuse delay no other', async (t) => {
  const owner = await fixtures.user();
  /** Milliseconds to the first copy of each; on a busy machine, an answer may come too late for one. */
  const late = new Map<string, number>();
  const receiver = await startReceiver(({ path, text, id }) => {
    if (path.startsWith('/hang')) return undefined;
    if (!late.has(id)) late.set(id, Date.now() - Date.parse(JSON.parse(text).timestamp));
    return 200;
  });
  const projects: string[] = [];
  for (let n = 0; n < ENDPOINTS; n += 1) {
    if (n % 20 === 0) projects.push(await fixtures.project({ userId: owner.id }));
    const url =
      n % 10 === 0
        ? `${receiver.url}/hang/${n}`
        : n % 10 === 1
          ? 'http://127.0.0.1:1/'
          : `${receiver.url}/ok/${n}`;
    await fixtures.webhook(projects.at(-1) as string, { url, types: ['task.created'] });
  }
  const sender = senderOn(harness, { finishWithin: 0 });
  sender.start();
  const well = ENDPOINTS - 2 * BROKEN;
  for (let event = 1; event <= EVENTS; event += 1) {
    await Promise.all(projects.map((project) => fixtures.task(project, owner)));
    await until('all that answer have this event', () => late.size === event * well, 60_000);
    if (event === 1) {
      // While the others were served, those that hang were asked, and have not been given up.
      const { waiting } = await db.one<{ waiting: number }>(sql`
        select count(*)::integer as waiting from webhook_delivery where state = 'waiting'`);
      assert.ok(waiting >= 2 * BROKEN, String(waiting));
    }
  }
  await sender.close();
  const sorted = [...late.values()].toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1];
  t.diagnostic(
    `${late.size} deliveries: median ${at(0.5)} ms, p99 ${at(0.99)} ms, last ${at(1)} ms`,
  );
  const copies = Map.groupBy(receiver.messages, ({ id }) => id);
  const delivered = await db.many<{ id: string; attempts: number }>(sql`
    select id, attempts from webhook_delivery where state = 'delivered'`);
  assert.deepEqual(
    delivered.filter(({ id, attempts }) => copies.get(id)?.length !== attempts),
    [],
    'each attempt sends one copy',
  );
});
