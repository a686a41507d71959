import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { may, type Permission } from '../../access/roles.ts';
import type { Route } from '../../http/route.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { type Reply, startHarness } from '../harness/harness.ts';
import { GITHUB_IDS, unknownId } from './github-ids.ts';
import { type IdField, idField, idFieldsOf } from './id-fields.ts';
import { membersOf } from './members.ts';
import {
  type Change,
  foreignIds,
  idsIn,
  idsOf,
  makeTenant,
  requestSample,
  type Standing,
  successOf,
  tenantsFor,
} from './tenant.ts';

// OWASP API Security Top 10 (2023), 1, 2 and 5: objects, credentials, functions. Each test walks
// the route table.

const harness = await startHarness({
  env: { RATE_LIMIT_PER_MINUTE: '100000' },
  github: await startGithub(),
});
const { routes, unchanged } = harness;
const [mine, theirs] = [await makeTenant(harness), await makeTenant(harness)];

const pick = (ids: Record<string, string>, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, ids[name] as string]));
// What a filter does not find is an empty list, or has no groups.
const answer = ({ status, body, text }: Reply) =>
  `${status} ${body?.code ?? body?.detail?.[0]?.type ?? (/^(\[])?$|"groups" ?: ?\[\]/.test(text) ? 'empty' : text)}`;

test('every id that an operation takes beside its path is one that is attacked below', () => {
  for (const route of routes) {
    for (const place of ['query', 'body'] as const)
      for (const name of idFieldsOf(route, place))
        assert.ok(idField(place, name, route), `${route.operationId}: add ${name} to ID_FIELDS`);
  }
});

test('API1: another tenant’s objects are refused in every path, and an unknown child is no other than a foreign one', async () => {
  await unchanged(async () => {
    for (const route of routes) {
      const names = idsIn(route.path);
      if (names.length === 0) continue;
      const foreign = await requestSample(harness, route, mine, {
        ids: pick(idsOf(route, theirs), names),
      });
      const guessed = names.some((name) => GITHUB_IDS.includes(name));
      const refusal = guessed ? '404 not_found' : '403 forbidden';
      assert.equal(answer(foreign), refusal, route.operationId);
      const unknown = Object.fromEntries(names.map((name) => [name, unknownId(name)]));
      const missing = await requestSample(harness, route, mine, { ids: unknown });
      assert.equal(answer(missing), '404 not_found', route.operationId);
      if (names.length === 1) continue;
      for (const name of names) {
        const mixed = await requestSample(harness, route, mine, {
          ids: pick(idsOf(route, theirs), [name]),
        });
        const absent = await requestSample(harness, route, mine, {
          ids: { [name]: unknownId(name) },
        });
        // Whoever has no right somewhere does not learn which people, cards and connections are there.
        const hidden =
          name === names[0] &&
          ['user_id', 'payment_method_id', 'gitea_connection_id'].includes(names[1] as string);
        assert.equal(
          answer(mixed),
          hidden ? '403 forbidden' : '404 not_found',
          `${route.operationId} ${name}`,
        );
        assert.equal(answer(absent), '404 not_found', `${route.operationId} ${name}`);
        if (!hidden) assert.equal(mixed.text, absent.text);
      }
    }
  });
});

test('API1: another tenant’s ids in a query or a body are refused as ruled, and nothing changes', async () => {
  // Not `mine`, whose audit trail already records attempts on what is theirs.
  const own = await makeTenant(harness);
  for (const route of routes) {
    const fields = (['query', 'body'] as const).flatMap((place) =>
      idFieldsOf(route, place).map((name) => ({
        place,
        name,
        ...(idField(place, name, route) as IdField),
      })),
    );
    for (const { place, name, ...field } of fields) {
      const { foreign, unknown } = field;
      const without = field.without === undefined ? {} : { [field.without]: undefined };
      const others = foreignIds(field, theirs);
      const nowhere = field.kind === 'card' ? `pm_${'x'.repeat(24)}` : randomUUID();
      const ids =
        foreign === unknown
          ? { [foreign]: [...others, nowhere] }
          : { [foreign]: others, [unknown]: [nowhere] };
      const [, schema] = membersOf(route[place]).find(([member]) => member === name) ?? [];
      const texts = new Set<string>();
      for (const [expected, values] of Object.entries(ids)) {
        for (const value of values) {
          const reply = await unchanged(() =>
            requestSample(harness, route, own, {
              [place]: { [name]: schema?.type === 'array' ? [value] : value, ...without },
            }),
          );
          assert.equal(answer(reply), expected, `${route.operationId} ${name}`);
          texts.add(reply.text.replaceAll(value, 'ID'));
        }
      }
      assert.equal(
        texts.size,
        foreign === unknown ? 1 : 2,
        `${route.operationId} tells foreign from unknown`,
      );
    }
  }
});

test('API1: no answer names anything of another tenant', async () => {
  const others = [...Object.values(theirs.ids), theirs.owner.id, theirs.owner.email, theirs.card];
  const fresh = await makeTenant(harness);
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const { text } = await requestSample(harness, route, fresh);
    for (const other of others) assert.ok(!text.includes(other), route.operationId);
  }
});

test('API2: a good key is a credential only as Authorization: Bearer; anywhere else it opens nothing', async () => {
  const { key } = mine.caller;
  const queries = ['key', 'api_key', 'apikey', 'token', 'access_token', 'authorization'];
  const cookies = [`key=${key}`, `authorization=Bearer ${key}`, `session=${key}`];
  const others = [
    'x-api-key',
    'api-key',
    'x-auth-token',
    'proxy-authorization',
    'x-authorization',
    'x-forwarded-authorization',
  ];
  const everywhere = {
    query: Object.fromEntries(queries.map((name) => [name, key])),
    headers: {
      cookie: cookies.join('; '),
      ...Object.fromEntries(others.map((name) => [name, `Bearer ${key}`])),
    },
  };
  const isRefused = async (route: Route, change: Change) => {
    const reply = await requestSample(harness, route, mine, { key: undefined, ...change });
    assert.equal(reply.status, 401, `${route.operationId} ${JSON.stringify(change)}`);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  };
  const basic = Buffer.from(`${key}:`).toString('base64');
  await unchanged(async () => {
    for (const route of routes) await isRefused(route, everywhere);
    // One function reads the header, whatever the route is.
    for (const authorization of [
      `Basic ${basic}`,
      `Token ${key}`,
      `ApiKey ${key}`,
      `Digest ${key}`,
      `Bearer, Bearer ${key}`,
      `${key} Bearer`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key};`,
      `Bearer "${key}"`,
    ])
      await isRefused(routes[0] as Route, { headers: { authorization } });
  });
});

test('API2: refused credentials are counted over all operations together, and the count runs out on each of them', async () => {
  const limited = await startHarness({
    env: { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: String(routes.length) },
    github: await startGithub(),
  });
  const tenant = await makeTenant(limited);
  const statuses = async () => {
    const all = [];
    for (const route of limited.routes)
      all.push((await requestSample(limited, route, tenant, { key: undefined })).status);
    return new Set(all);
  };
  assert.deepEqual(await statuses(), new Set([401]));
  assert.deepEqual(await limited.unchanged(statuses), new Set([429]));
});

const STANDINGS: Standing[] = ['owner', 'admin', 'member', 'viewer', 'collaborator', 'stranger'];

/** What the table of roles says; a collaborator is a member, of one project alone. */
function allowed(route: Route, standing: Standing): boolean {
  const permission = route.access.permission as Permission | undefined;
  if (permission === undefined) return true;
  if (standing === 'stranger') return false;
  if (standing !== 'collaborator') return may(standing, permission);
  return /\{(project|task|deploy)_id\}/.test(route.path) && may('member', permission);
}

/** The last of these standings for which a route is done. */
const leastOf = (route: Route) => STANDINGS.findLast((standing) => allowed(route, standing));

/** What the right to a route is looked up for. */
const placeOf = ({ path }: Route) => idsIn(path)[0] ?? 'oneself';

test('API5: every operation is done for those whom the table of roles allows, and refused to everybody else', async () => {
  /** Each permission is tried for every standing that has it, in every place where it is asked for. */
  const tried = new Set<string>();
  for (const standing of STANDINGS) {
    const refused = await makeTenant(harness, standing);
    const tenantFor = tenantsFor(harness, standing);
    for (const route of routes.filter((each) => allowed(each, standing))) {
      const name = `${route.access.permission} ${placeOf(route)} ${standing}`;
      if (tried.has(name) && standing !== leastOf(route)) continue;
      tried.add(name);
      const reply = await requestSample(harness, route, await tenantFor(route));
      assert.equal(
        reply.status,
        successOf(route),
        `${route.operationId} by ${standing}: ${reply.text}`,
      );
    }
    await unchanged(async () => {
      for (const route of routes.filter((each) => !allowed(each, standing))) {
        const reply = await requestSample(harness, route, refused);
        assert.equal(answer(reply), '403 forbidden', `${route.operationId} by ${standing}`);
      }
    });
  }
});
