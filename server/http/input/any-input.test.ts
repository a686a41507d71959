import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { Check } from 'typebox/value';
import { anyText } from '../../testing/fixtures/any-text.ts';
import { type Reader, type Reply, rawRequest } from '../../testing/harness/input.ts';
import { threadMs } from '../../testing/harness/thread-time.ts';
import * as field from './fields.ts';
import { UnreadableBody } from './json.ts';
import { compileRequest, itemSchema, type RawRequest } from './validation.ts';

/**
 * Whatever is sent, a reader answers with values or with a list of items; it throws nothing but
 * UnreadableBody.
 */
const fields = {
  id: field.uuid(),
  name: field.text({ minLength: 1, maxLength: 100 }),
  lines: field.multilineText({ minLength: 1, maxLength: 100 }),
  role: field.oneOf(['admin', 'member', 'viewer']),
  limit: field.integer({ minimum: 1, maximum: 200 }),
  flag: field.boolean(),
  at: field.dateTime(),
  day: field.date(),
  email: field.email(),
  slug: field.slug({ maxLength: 20 }),
};
const ids = field.list(field.uuid(), { maxItems: 3 });
const readers: Reader[] = [
  compileRequest({
    body: Type.Object({
      ...fields,
      ids,
      amount: field.usdAmount({ minimum: 1, maximum: 10_000 }),
      inner: field.nullable(field.object(fields)),
    }),
  }),
  compileRequest({ query: Type.Object({ ...fields, ids }) }),
  compileRequest({ params: Type.Object({ id: field.uuid(), name: fields.name }) }),
  compileRequest({ body: Type.Object({}) }),
];
const items = Type.Array(itemSchema, { minItems: 1, maxItems: 101 });

function holds(request: RawRequest): void {
  for (const reader of readers) {
    let reply: Reply;
    try {
      reply = reader(request);
    } catch (error) {
      assert.ok(error instanceof UnreadableBody, String(error));
      continue;
    }
    if (!reply.ok) assert.ok(Check(items, JSON.parse(JSON.stringify(reply.items))));
  }
}

const names = [...Object.keys(fields), 'ids', 'amount', 'inner', '__proto__', 'toString'];
const value = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.double(),
  fc.constantFrom('\ud800', '2026-11-21T08:15:30+01:00', 'a@b.com', '1e2'),
  fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
);
const unit = fc.constantFrom(
  ...'{}[]":,\\-.0e19 TZ@',
  'NaN',
  'Infinity',
  'null',
  ...names.map((name) => `"${name}"`),
  '\ud800',
);

test('any JSON', () => {
  const body = fc.dictionary(fc.constantFrom(...names), value);
  fc.assert(fc.property(body, (sent) => holds(rawRequest(sent))));
});

test('near JSON', () => {
  fc.assert(fc.property(fc.string({ unit }), (body) => holds(rawRequest(body))));
});

test('any bytes', () => {
  fc.assert(fc.property(fc.uint8Array(), (body) => holds(rawRequest(body))));
});

test('any query and path', () => {
  const text = anyText();
  const name = fc.constantFrom('', ...names.map((each) => `${each}=`), 'slug=%');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text)), text, (search, id) => {
      const query = search.map((pair) => pair.join('')).join('&');
      holds(rawRequest('{}', query, { id, name: id }));
    }),
  );
});

test('64 KiB made to be slow is not', () => {
  const started = threadMs();
  const n = 60_000;
  for (const text of [
    '"'.repeat(n),
    '\\"'.repeat(n / 2),
    `"${'\\"'.repeat(n / 2)}\\`,
    'NaN'.repeat(n / 3),
    `{${'"a":1,'.repeat(n / 6)}"b":1}`,
    `{"ids":[${'1,'.repeat(n / 2)}1]}`,
  ])
    holds(rawRequest(text));
  for (const text of [
    `1e${'0'.repeat(n)}x`,
    `0.${'0'.repeat(n)}1x`,
    `${'1'.repeat(n)}x`,
    `1${' '.repeat(n)}1`,
    `a@${'b.'.repeat(n / 2)}com`,
    `a@${'xn--'.repeat(n / 4)}`,
    `2026-11-21T00:00:00.${'1'.repeat(n)}x`,
    `${'a-'.repeat(n / 2)}_`,
  ])
    holds(rawRequest(Object.fromEntries(names.map((name) => [name, text]))));
  assert.ok(threadMs() - started < 1500);
});
