import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { type Keywords, membersOf, takesList } from './members.ts';
import { makeTenant, requestSample, sampleOf, successOf, tenantsFor } from './tenant.ts';

// OWASP API Security Top 10 (2023), 3: object properties. Each test walks the route table.

const harness = await startHarness({
  env: { RATE_LIMIT_PER_MINUTE: '100000' },
  github: await startGithub(),
});
const { routes, unchanged, fixtures } = harness;

// Of a list, its own test sends the same.
const withBody = routes.filter((route) => route.body !== undefined && !takesList(route));

// Fields that would give a caller money or permissions if they were taken from a request.
const stolen = await makeTenant(harness);
const PRIVILEGED: Record<string, unknown> = {
  id: stolen.ids.team_id,
  organization_id: stolen.ids.org_id,
  user_id: stolen.owner.id,
  owner: stolen.owner.id,
  owner_user_id: stolen.owner.id,
  account_id: stolen.owner.id,
  role: 'owner',
  role_id: '00000000-0000-4000-8000-000000000002',
  acts_as: 'owner',
  is_owner: true,
  is_active: 1,
  is_admin: true,
  two_factor: true,
  require_2fa: false,
  balance: '1000000.00',
  new_balance: 1e6,
  amount_charged: 0,
  currency: 'JPY',
  status: 'succeeded',
  version: 99,
  approved_version: 99,
  member_count: 99,
  charged_this_month: '77.00',
  paused_reason: 'declined',
  created_at: '2000-01-01T00:00:00.000Z',
  updated_at: '2000-01-01T00:00:00.000Z',
  constructor: { prototype: { role: 'owner' } },
  prototype: { role: 'owner' },
};

test('API3: no body takes a member that it does not declare: it is refused by name, or read-only and ignored', async () => {
  const reader = await makeTenant(harness);
  for (const route of withBody) {
    const declared = new Map(membersOf(route.body));
    const undeclared = Object.entries(PRIVILEGED).filter(([name]) => !declared.has(name));
    const ignored = Object.keys(PRIVILEGED).filter((name) => declared.get(name)?.readOnly);
    const tenant =
      ignored.length === 0 ? reader : await makeTenant(harness, 'owner', { only: [route] });
    const refused = await requestSample(harness, route, tenant, {
      body: Object.fromEntries(undeclared),
    });
    assert.equal(refused.status, 422, route.operationId);
    assert.deepEqual(
      refused.body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [type, ...loc]),
      undeclared.map(([name]) => ['extra_forbidden', 'body', name]),
      route.operationId,
    );
    const proto = `${JSON.stringify(sampleOf(route, tenant).body).slice(0, -1)},"__proto__":{"role":"owner"}}`;
    const polluting = await unchanged(() => requestSample(harness, route, tenant, { raw: proto }));
    assert.deepEqual([polluting.status, polluting.body.detail[0].type], [422, 'extra_forbidden']);
    assert.equal(({} as { role?: unknown }).role, undefined);

    // Read-only fields may be sent back and are ignored.
    if (ignored.length === 0) continue;
    const body = Object.fromEntries(ignored.map((name) => [name, PRIVILEGED[name]]));
    const plain = await requestSample(harness, route, tenant);
    const reply = await requestSample(harness, route, tenant, { body });
    assert.equal(reply.status, successOf(route));
    assert.deepEqual(reply.body, plain.body, `${route.operationId} took one of ${ignored}`);
  }
});

interface Required {
  required?: string[];
  properties: Record<string, Keywords>;
}

test('API3: a member that is missing, null, of another type or none of its values is refused by name', async () => {
  const tenant = await makeTenant(harness);
  await unchanged(async () => {
    for (const route of withBody) {
      const { required = [], properties } = route.body as unknown as Required;
      for (const [name, member] of Object.entries(properties)) {
        const { anyOf, enum: values, readOnly, type } = member;
        if (readOnly) continue;
        const wrong: unknown[] = [type === 'boolean' ? 'true' : true];
        if (!anyOf?.some((each) => each.type === 'null')) wrong.push(null);
        if (required.includes(name)) wrong.push(undefined);
        if (values !== undefined) wrong.push('no such');
        for (const value of wrong) {
          const reply = await requestSample(harness, route, tenant, { body: { [name]: value } });
          const about = `${route.operationId} ${name} ${value}: ${reply.text}`;
          assert.equal(reply.status, 422, about);
          assert.deepEqual(reply.body.detail[0].loc.slice(0, 2), ['body', name], about);
        }
      }
    }
  });
});

test('API3: a member of a query that is none of its values, no id, no number or empty is refused by name', async () => {
  const tenant = await makeTenant(harness);
  for (const route of routes)
    for (const [name, { enum: values, format, minLength, type }] of membersOf(route.query)) {
      const isStrict = type === 'boolean' || type === 'integer' || format === 'uuid';
      const wrong = values !== undefined || isStrict || name === 'cursor' ? ['no such'] : [];
      if (minLength !== undefined) wrong.push('');
      for (const value of wrong) {
        const reply = await requestSample(harness, route, tenant, { query: { [name]: value } });
        const about = `${route.operationId} ${name} "${value}": ${reply.text}`;
        assert.deepEqual([reply.status, reply.body.detail?.[0].loc], [422, ['query', name]], about);
      }
    }
});

test('API3: an operation without a body does not look at one, and no query names who asks or what they may', async () => {
  const before = await fixtures.balance({ userId: stolen.owner.id });
  const tenantFor = tenantsFor(harness);
  for (const route of routes) {
    // A filter that takes some of a few words is no way to say who one is.
    const words = membersOf(route.query).filter(
      ([, schema]) => (schema.items ?? schema).enum !== undefined,
    );
    const query = Object.fromEntries(
      Object.entries(PRIVILEGED)
        .filter(([name]) => !words.some(([word]) => word === name))
        .map(([name, value]) => [name, String(value)]),
    );
    const tenant = await tenantFor(route);
    const smuggled = route.body === undefined && route.method !== 'GET' ? { body: PRIVILEGED } : {};
    const reply = await requestSample(harness, route, tenant, { query, ...smuggled });
    assert.equal(reply.status, successOf(route), `${route.operationId}: ${reply.text}`);
    const followed = reply.headers.get('link') ?? '';
    for (const foreign of [...Object.values(stolen.ids), stolen.owner.id])
      assert.ok(!(reply.text + followed).includes(foreign), `${route.operationId} took ${foreign}`);
  }
  assert.equal(await fixtures.balance({ userId: stolen.owner.id }), before);
});
