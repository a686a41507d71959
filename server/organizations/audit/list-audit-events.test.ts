import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { sql } from '../../db/sql.ts';
import { genericPlan, type Sent, watchStatements } from '../../testing/database/statements.ts';
import type { User } from '../../testing/fixtures/tenants.ts';
import { startHarness } from '../../testing/harness/harness.ts';

const { fixtures, request, db, databaseUrl, owner: asOwner } = await startHarness();

const owner = await fixtures.user({ name: 'Ada' });
const workspace = await fixtures.workspace(owner);
const path = `/api/organizations/${workspace}/audit-events`;

interface Event {
  id: string;
  occurred_at: string;
  action: string;
  [field: string]: unknown;
}

const list = async (query: Record<string, string> = {}, { key } = owner, of = path) => {
  const search = new URLSearchParams(query);
  const reply = await request('GET', `${of}?${search}`, { key });
  return { ...reply, events: reply.body as Event[] };
};

/** Rows of a past that no request made, one second after another. */
const past = (organizationId: string, count: number, actor: User) =>
  asOwner(sql`
    insert into audit_event (occurred_at, actor_user_id, action, outcome, target_id,
                             organization_id, request_id)
    select '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 second', ${actor.id},
           'past.' || n % 2, 'done', 'target-' || n % 10, ${organizationId}, 'past'
      from generate_series(1, ${count}::int) n`);

test('200: a change is listed with who made it, with which key, and what it changed', async () => {
  const team = await fixtures.team(workspace, { name: 'Core' });
  const changed = await request('PUT', `/api/organizations/${workspace}/teams/${team}`, {
    key: owner.key,
    body: { name: 'Platform' },
  });
  assert.equal(changed.status, 200);
  const [newest] = (await list()).events;
  assert.ok(newest);
  const { id, occurred_at, key_id, before, after, ...rest } = newest;
  assert.deepEqual(rest, {
    action: 'team.update',
    outcome: 'done',
    actor_user_id: owner.id,
    actor_name: 'Ada',
    actor_email: owner.email,
    target_id: team,
    request_id: changed.headers.get('x-request-id'),
  });
  assert.ok(id && key_id && occurred_at);
  assert.equal((before as { name: string }).name, 'Core');
  assert.equal((after as { name: string }).name, 'Platform');
});

test('200: a stranger’s refused attempt is shown to the owner', async () => {
  const stranger = await fixtures.user({ name: null });
  const attempt = await request('DELETE', `/api/organizations/${workspace}`, {
    key: stranger.key,
  });
  assert.equal(attempt.status, 403);
  const [event] = (await list({ actor_user_id: stranger.id })).events;
  assert.ok(event);
  const { action, outcome, code, actor_email, target_id } = event;
  assert.deepEqual(
    { action, outcome, code, actor_email, target_id },
    {
      action: 'workspace.delete',
      outcome: 'refused',
      code: 'forbidden',
      actor_email: stranger.email,
      target_id: workspace,
    },
  );
  assert.equal('actor_name' in event, false);
});

test('200: pages of 50 unless limit says otherwise; following the links shows each event once, newest first', async () => {
  const reader = await fixtures.user();
  const own = await fixtures.workspace(reader);
  const other = await fixtures.workspace(reader);
  await past(own, 120, reader);
  await past(other, 3, reader);
  // Events of the same moment are told apart by their ids.
  await db.many(sql`
    insert into audit_event (occurred_at, action, outcome, target_id, organization_id, request_id)
    select '2026-01-01T00:00:30Z', 'past.same', 'done', 'x', ${own}, 'past'
      from generate_series(1, 60)`);
  for (const [query, sizes] of [
    [{}, [50, 50, 50, 30]],
    [{ limit: '200' }, [180]],
  ] as const) {
    const seen: Event[] = [];
    const found: number[] = [];
    let next: string | undefined =
      `/api/organizations/${own}/audit-events?${new URLSearchParams(query)}`;
    while (next !== undefined) {
      const reply = await request('GET', next, { key: reader.key });
      assert.equal(reply.status, 200, reply.text);
      seen.push(...reply.body);
      found.push(reply.body.length);
      next = /<(.+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(found, sizes);
    assert.equal(new Set(seen.map(({ id }) => id)).size, 180);
    const times = seen.map(({ occurred_at }) => occurred_at);
    assert.deepEqual(times, times.toSorted().toReversed());
  }
});

test('200: each filter narrows the list, alone and together; from is included, to is not', async () => {
  const reader = await fixtures.user();
  const own = await fixtures.workspace(reader);
  const actor = await fixtures.user();
  await past(own, 20, actor);
  await past(own, 20, reader);
  const count = async (query: Record<string, string>) => {
    const { status, events, text } = await list(
      query,
      reader,
      `/api/organizations/${own}/audit-events`,
    );
    assert.equal(status, 200, text);
    return events.length;
  };
  assert.equal(await count({}), 40);
  assert.equal(await count({ action: 'past.0' }), 20);
  assert.equal(await count({ action: 'past' }), 0);
  assert.equal(await count({ actor_user_id: actor.id.toUpperCase() }), 20);
  assert.equal(await count({ target_id: 'target-3' }), 4);
  assert.equal(await count({ from: '2026-01-01T00:00:11Z' }), 20);
  assert.equal(await count({ to: '2026-01-01T01:00:11+01:00' }), 20);
  assert.equal(await count({ from: '2026-01-01T00:00:11Z', to: '2026-01-01T00:00:11.000001Z' }), 2);
  assert.equal(await count({ from: '2026-01-01T00:00:11Z', to: '2026-01-01T00:00:11Z' }), 0);
  const all = { action: 'past.1', actor_user_id: actor.id, target_id: 'target-3' };
  assert.equal(await count({ ...all, from: '2026-01-01T00:00:04Z', to: '2026-01-02T00:00Z' }), 1);
});

test('422: a period that ends before it begins', async () => {
  const query = { from: '2026-01-02T00:00:00.5Z', to: '2026-01-02T00:00:00Z' };
  const { status, body } = await list(query);
  assert.deepEqual(
    [status, body.detail[0].type, body.detail[0].loc],
    [422, 'from_after_to', ['query', 'to']],
  );
});

test('no filter sorts or scans: an index gives the rows in their order', async () => {
  const sent: Sent[] = [];
  watchStatements((each) => sent.push(each));
  const filters = {
    '': 'audit_event_of_workspace',
    'action=x': 'audit_event_of_action',
    [`actor_user_id=${owner.id}`]: 'audit_event_of_actor',
    'target_id=x': 'audit_event_of_target',
    'from=2026-01-01T00:00Z&to=2026-02-01T00:00Z': 'audit_event_of_workspace',
  };
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
  for (const [query, index] of Object.entries(filters)) {
    const { status, headers } = await request('GET', `${path}?limit=2&${query}`, owner);
    assert.equal(status, 200);
    const next = /<(.+)>/.exec(headers.get('link') ?? '')?.[1];
    if (next !== undefined) await request('GET', next, owner);
    const listed = sent.splice(0).filter(({ text }) => /^with .*audit_event e/s.test(text));
    assert.ok(listed.length > 0);
    for (const { text } of listed) {
      const plan = await genericPlan(client, text);
      assert.match(plan, new RegExp(`Index Scan using ${index} on audit_event e`), plan);
      assert.doesNotMatch(plan, /Sort Key: e\./, plan);
    }
  }
  await client.end();
});
