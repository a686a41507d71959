import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CONTROLS_BUT_LINES } from '../../http/input/fields.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';
import { type Keywords, membersOf, takesList } from './members.ts';
import { makeTenant, requestSample, successOf } from './tenant.ts';

// OWASP API Security Top 10 (2023), 4 and 6: resources and business flows. Each test walks the
// route table.

const harness = await startHarness({ github: await startGithub() });
const { routes, unchanged } = harness;

const withBody = routes.filter(({ body }) => body !== undefined);

/** Of what people write to an agent or for one, in code points. */
const LONGEST_TEXT = 400_000;

const isBounded = ({
  format,
  type,
  enum: values,
  readOnly,
  maxLength,
  maximum,
  maxItems,
  items,
  anyOf,
  pattern,
  properties,
}: Keywords): boolean =>
  readOnly === true ||
  format === 'uuid' ||
  format === 'date-time' ||
  format === 'date' ||
  values !== undefined ||
  type === 'boolean' ||
  (type === 'string' &&
    maxLength !== undefined &&
    maxLength <= (pattern === NO_CONTROLS_BUT_LINES ? LONGEST_TEXT : 2000)) ||
  (type === 'object' && Object.values(properties ?? {}).every(isBounded)) ||
  (type === 'integer' && maximum !== undefined) ||
  (type === 'array' && maxItems !== undefined && maxItems <= 200 && isBounded(items ?? {})) ||
  (format === 'decimal' && anyOf?.[0]?.maximum !== undefined) ||
  (anyOf?.[1]?.type === 'null' && isBounded(anyOf[0] ?? {}));

test('API4: everything that a caller sends has a largest size, and one above it is refused', async () => {
  const tenant = await makeTenant(harness);
  await unchanged(async () => {
    for (const route of routes) {
      for (const place of ['query', 'body'] as const) {
        if (place === 'body' && takesList(route))
          assert.ok(isBounded(route.body as Keywords), route.operationId);
        for (const [name, schema] of membersOf(route[place])) {
          assert.ok(isBounded(schema), `${route.operationId} ${name} has no bound`);
          if (schema.readOnly) continue;
          // Of an address the headers' limit is the first one; of a body it is 64 KiB, or more
          // where a text may be longer.
          const longest = Math.max(schema.maxLength ?? 0, 2000);
          for (const size of [longest + 1, place === 'query' ? 12_000 : longest + 58_000]) {
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

test('API4: pages have 200 entries at most, a body that is read 64 KiB or what its route allows, and an id is not looked at for long', async () => {
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
        raw: 'x'.repeat((route.bodyLimit ?? 64 * 1024) + 1),
      });
      assert.equal(status, 413, route.operationId);
    }
  });
});

test('API6: what changes something can be repeated under one Idempotency-Key: one effect, one answer, at once or later', async () => {
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    const tenant = await makeTenant(harness, 'owner', { only: [route] });
    const again = () =>
      requestSample(harness, route, tenant, { headers: { 'idempotency-key': 'once' } });
    const all = await Promise.all(Array.from({ length: 3 }, again));
    const success = successOf(route);
    assert.ok(
      all.every(
        ({ status, body }) =>
          [success, 409].includes(status) ||
          // One person may send four files at once.
          (route.upload !== undefined && body.code === 'uploads_busy'),
      ),
      `${route.operationId}: ${all.map(({ status, text }) => `${status} ${text}`)}`,
    );
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
