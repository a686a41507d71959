import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TObject, TSchema } from 'typebox';
import type { Route } from '../../http/route.ts';
import { startHarness } from '../harness.ts';
import { makeTenant, requestSample, sampleOf, successOf } from './tenant.ts';

// OWASP API Security Top 10 (2023), 3, 4 and 6: which members, how much, how often. Each walks the route table.

const harness = await startHarness();
const { routes, unchanged, fixtures } = harness;

type Keywords = {
  format?: string;
  type?: string;
  enum?: unknown[];
  readOnly?: boolean;
  maxLength?: number;
  maximum?: number;
  anyOf?: Keywords[];
  items?: Keywords;
  properties?: Record<string, Keywords>;
};
const membersOf = (schema: TObject | undefined) =>
  Object.entries((schema?.properties ?? {}) as Record<string, Keywords>);
const withBody = routes.filter(({ body }) => body !== undefined);

// What would make somebody richer or mightier if it were taken from a caller.
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
  is_active: true,
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
  for (const route of withBody) {
    const declared = new Map(membersOf(route.body));
    const refused = Object.keys(PRIVILEGED).filter((name) => !declared.has(name));
    const tenant = await makeTenant(harness);
    for (const name of refused) {
      const { status, body } = await requestSample(harness, route, tenant, {
        body: { [name]: PRIVILEGED[name] },
      });
      assert.equal(status, 422, `${route.operationId} ${name}`);
      assert.deepEqual(
        [body.detail[0].type, body.detail[0].loc],
        ['extra_forbidden', ['body', name]],
      );
    }
    const proto = `${JSON.stringify(sampleOf(route, tenant).body).slice(0, -1)},"__proto__":{"role":"owner"}}`;
    const polluting = await unchanged(() => requestSample(harness, route, tenant, { raw: proto }));
    assert.deepEqual([polluting.status, polluting.body.detail[0].type], [422, 'extra_forbidden']);
    assert.equal(({} as { role?: unknown }).role, undefined);

    // What may be sent back as it was read has no say.
    const ignored = Object.keys(PRIVILEGED).filter((name) => declared.get(name)?.readOnly);
    const body = Object.fromEntries(ignored.map((name) => [name, PRIVILEGED[name]]));
    const plain = await requestSample(harness, route, await makeTenant(harness));
    const reply = await requestSample(harness, route, await makeTenant(harness), { body });
    assert.equal(reply.status, successOf(route));
    assert.deepEqual(Object.keys(reply.body ?? {}), Object.keys(plain.body ?? {}));
    for (const name of ignored)
      assert.notEqual(reply.body[name], PRIVILEGED[name], `${route.operationId} took ${name}`);
  }
});

test('API3: an operation without a body does not look at one, and no query names who asks or what they may', async () => {
  const query = Object.fromEntries(
    Object.entries(PRIVILEGED)
      .filter(([name]) => name !== 'status')
      .map(([name, value]) => [name, String(value)]),
  );
  for (const route of routes) {
    const tenant = await makeTenant(harness, 'owner');
    const smuggled = route.body === undefined && route.method !== 'GET' ? { body: PRIVILEGED } : {};
    const reply = await requestSample(harness, route, tenant, { query, ...smuggled });
    assert.equal(reply.status, successOf(route), `${route.operationId}: ${reply.text}`);
    const followed = reply.headers.get('link') ?? '';
    for (const foreign of [...Object.values(stolen.ids), stolen.owner.id])
      assert.ok(!(reply.text + followed).includes(foreign), `${route.operationId} took ${foreign}`);
  }
  assert.equal(await fixtures.balance({ userId: stolen.owner.id }), 15_000_000n);
});

/** Where a value holds a member that its schema does not declare. */
function undeclared(schema: Keywords, value: unknown, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((each, i) => undeclared(schema.items ?? {}, each, `${at}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const member = schema.properties?.[name];
    return member === undefined ? [`${at}.${name}`] : undeclared(member, each, `${at}.${name}`);
  });
}

test('API3: every answer holds the members that are declared, and no other; a refusal holds detail and code', async () => {
  assert.deepEqual(undeclared({ items: { properties: { a: {} } } }, [{ a: 1, b: 1 }], ''), [
    '[0].b',
  ]);
  for (const route of routes) {
    const tenant = await makeTenant(harness);
    const refused = await requestSample(harness, route, tenant, { key: undefined });
    assert.deepEqual(Object.keys(refused.body).sort(), ['code', 'detail']);
    const reply = await requestSample(harness, route, tenant);
    const { schema } = route.responses[reply.status] as { schema: TSchema };
    assert.deepEqual(undeclared(schema as Keywords, reply.body, route.operationId), []);
    assert.doesNotMatch(reply.text, /secret|password|token_hash|secret_hash|"token"/);
  }
});

/** Has a value of this schema a largest size? */
const isBounded = ({
  format,
  type,
  enum: values,
  readOnly,
  maxLength,
  maximum,
  anyOf,
}: Keywords): boolean =>
  readOnly === true ||
  format === 'uuid' ||
  values !== undefined ||
  type === 'boolean' ||
  (type === 'string' && maxLength !== undefined && maxLength <= 2000) ||
  (type === 'integer' && maximum !== undefined) ||
  (format === 'decimal' && anyOf?.[0]?.maximum !== undefined);

test('API4: everything that a caller sends has a largest size, and one above it is refused', async () => {
  const tenant = await makeTenant(harness);
  await unchanged(async () => {
    for (const route of routes) {
      for (const place of ['query', 'body'] as const) {
        for (const [name, schema] of membersOf(route[place])) {
          assert.ok(isBounded(schema), `${route.operationId} ${name} has no bound`);
          if (schema.readOnly) continue;
          // Of an address the headers' limit is the first one; of a body it is 64 KiB.
          for (const size of [2001, place === 'query' ? 12_000 : 60_000]) {
            const reply = await requestSample(harness, route, tenant, {
              [place]: { [name]: '9'.repeat(size) },
            });
            assert.equal(reply.status, 422, `${route.operationId} ${name} ${reply.status}`);
            assert.ok(reply.text.length < 2000, 'what was refused for its length is not echoed');
          }
        }
      }
    }
  });
});

test('API4: pages have 200 entries at most, a body that is read 64 KiB, and an id is not looked at for long', async () => {
  const tenant = await makeTenant(harness);
  await unchanged(async () => {
    for (const route of routes) {
      if (route.query?.properties?.limit !== undefined) {
        for (const limit of ['0', '-1', '201', '1e9', '9'.repeat(400), 'Infinity', '0x10', '']) {
          const { status, body } = await requestSample(harness, route, tenant, {
            query: { limit },
          });
          assert.deepEqual([status, body.detail?.[0].loc], [422, ['query', 'limit']], limit);
        }
      }
      if (route.body === undefined) continue;
      const { status } = await requestSample(harness, route, tenant, {
        raw: 'x'.repeat(64 * 1024 + 1),
      });
      assert.equal(status, 413, route.operationId);
    }
  });
});

test('API4: the limits of a request are declared by its answer: everybody’s, and a stricter one for what charges a card', async () => {
  const charges = ({ body }: Route) =>
    ['amount', 'payment_method_id'].every((name) => body?.required?.includes(name) ?? false);
  for (const route of routes) {
    const { headers } = await requestSample(harness, route, await makeTenant(harness));
    const policies = (headers.get('ratelimit-policy') ?? '')
      .split(', ')
      .map((each) => each.split(';')[0]);
    assert.deepEqual(
      policies,
      charges(route) ? ['"user"', '"add-funds"'] : ['"user"'],
      route.operationId,
    );
    assert.equal(route.limit === 'addFunds', charges(route));
  }
});

test('API6: what changes something can be repeated under one Idempotency-Key: one effect, one answer, at once or later', async () => {
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    const tenant = await makeTenant(harness);
    const again = () =>
      requestSample(harness, route, tenant, { headers: { 'idempotency-key': 'once' } });
    const all = await Promise.all(Array.from({ length: 5 }, again));
    const success = successOf(route);
    assert.ok(all.every(({ status }) => [success, 409].includes(status)));
    assert.ok(
      all.filter((each) => each.status === success && !each.headers.has('idempotent-replayed'))
        .length <= 1,
    );
    const later = await unchanged(again);
    assert.deepEqual(
      [later.status, later.headers.get('idempotent-replayed')],
      [success, 'true'],
      route.operationId,
    );
    for (const each of all.filter(({ status }) => status === success))
      assert.equal(each.text, later.text);
  }
});

test('API6: an amount outside its bounds is refused by every operation that takes one', async () => {
  const tenant = await makeTenant(harness);
  const amounts = [0, -25, 0.001, 1e21, '-0', '1e9', '25.001', 1_000_001];
  await unchanged(async () => {
    for (const route of withBody) {
      for (const [name] of membersOf(route.body).filter(([, { format }]) => format === 'decimal')) {
        for (const amount of amounts) {
          const reply = await requestSample(harness, route, tenant, { body: { [name]: amount } });
          assert.deepEqual(
            [reply.status, reply.body.detail[0].loc],
            [422, ['body', name]],
            `${name} ${amount}`,
          );
        }
      }
    }
  });
});

test('texts: NUL and controls, half a pair, and what only looks like a name of ours are refused or kept as one text', async () => {
  const tenant = await makeTenant(harness);
  for (const route of withBody) {
    for (const [name, { type, format, readOnly }] of membersOf(route.body)) {
      if (readOnly || (type !== 'string' && format !== 'uuid')) continue;
      await unchanged(async () => {
        for (const odd of [
          'a\u0000b',
          'a\u001bb',
          'a\u0085b',
          'a\r\nb',
          '\ud800',
          '\udc00x',
          '\u0000',
          ' ',
        ]) {
          const reply = await requestSample(harness, route, tenant, { body: { [name]: odd } });
          assert.deepEqual(
            [reply.status, reply.body.detail[0].loc],
            [422, ['body', name]],
            JSON.stringify(odd),
          );
        }
        // Letters that look alike, directions and widths are other letters: no id and no card is found by them.
        for (const odd of [
          '\u202eabc',
          'pm\uff3fabc',
          'p\u200bm_x',
          '\ufeffpm_x',
          '__proto__',
          'constructor',
          '\u{1f600}',
        ]) {
          // Names that people give are free in their letters.
          if (name === 'name') continue;
          const { status } = await requestSample(harness, route, tenant, { body: { [name]: odd } });
          assert.ok(
            status === 422 || status === 404,
            `${route.operationId} ${name} ${odd} ${status}`,
          );
        }
      });
    }
  }
});

test('of a member that came twice the last counts, for the check as for the change; no other name reaches it', async () => {
  for (const route of withBody) {
    const tenant = await makeTenant(harness);
    const good = JSON.stringify(sampleOf(route, tenant).body).slice(1, -1);
    const names = membersOf(route.body)
      .filter(([, { readOnly }]) => !readOnly)
      .map(([name]) => name);
    await unchanged(async () => {
      for (const name of names) {
        const last = await requestSample(harness, route, tenant, { raw: `{${good},"${name}":[]}` });
        assert.deepEqual(
          [last.status, last.body.detail[0].loc],
          [422, ['body', name]],
          route.operationId,
        );
        for (const other of [
          name.toUpperCase(),
          `${name}\u0000`,
          ` ${name}`,
          `${name}[]`,
          `${name}.x`,
        ]) {
          const raw = `{${good},${JSON.stringify(other)}:1}`;
          const { status, body } = await requestSample(harness, route, tenant, { raw });
          assert.deepEqual([status, body.detail[0].type], [422, 'extra_forbidden'], other);
        }
      }
    });
    // The same name, spelt in another way, is the same member.
    const [, first] = /^"(\w+)"/.exec(good) as unknown as [string, string];
    const escaped = good.replace(/^"(\w)/, () => `"\\u00${first.charCodeAt(0).toString(16)}`);
    const twice = await requestSample(harness, route, tenant, {
      raw: `{"${first}":[],${escaped}}`,
    });
    assert.equal(twice.status, successOf(route), twice.text);
  }
});
