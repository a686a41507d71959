import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Type from 'typebox';
import { Check } from 'typebox/value';
import * as field from './fields.ts';
import { UnreadableBody } from './json.ts';
import { compileRequest, type ErrorItem, itemAt, itemSchema } from './validation.ts';

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const org = Type.Object({ org_id: field.uuid() });
const AMOUNT = field.usdAmount({ minimum: 1, maximum: 10_000 });

const transfer = compileRequest({
  params: org,
  body: Type.Object({ new_owner_user_id: field.uuid(), force: field.boolean({ default: false }) }),
});
const addFunds = compileRequest({
  body: Type.Object({
    amount: AMOUNT,
    payment_method_id: field.text({ minLength: 1, maxLength: 255 }),
  }),
});
const updateTeam = compileRequest({
  params: Type.Object({ org_id: field.uuid(), team_id: field.uuid() }),
  body: Type.Object({
    name: Type.Optional(field.text({ minLength: 1, maxLength: 100 })),
    all_projects: Type.Optional(field.boolean()),
    role: Type.Optional(field.oneOf(['admin', 'member', 'viewer'])),
    id: field.ignored(),
  }),
});
const remove = compileRequest({
  params: org,
  query: Type.Object({ transfer_balance_to_user_id: Type.Optional(field.uuid()) }),
});
const list = compileRequest({
  query: Type.Object({
    status: Type.Optional(field.oneOf(['pending', 'expired'])),
    limit: field.integer({ minimum: 1, maximum: 200, default: 50 }),
    cursor: Type.Optional(field.text({ minLength: 1, maxLength: 5 })),
  }),
});
const anyBody = compileRequest({ body: Type.Object({}) });

type Reply =
  | { ok: true; body: unknown; query: unknown; params: unknown }
  | { ok: false; items: ErrorItem[] };
type Reader = (raw: Parameters<typeof transfer>[0]) => Reply;

const raw = (body: unknown, search = ''): Parameters<typeof transfer>[0] => ({
  params: { org_id: ID, team_id: ID },
  search,
  contentType: 'application/json',
  body:
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const items = (reader: Reader, body: unknown, search = ''): ErrorItem[] => {
  const reply = reader(raw(body, search));
  return reply.ok ? assert.fail(`accepted: ${JSON.stringify(body)} ${search}`) : reply.items;
};
const bodyOf = (reader: Reader, body: unknown): unknown => {
  const reply = reader(raw(body));
  return reply.ok ? reply.body : assert.fail(JSON.stringify(reply.items));
};
const nameOf = (name: unknown): unknown => {
  const reply = updateTeam(raw({ name }));
  return reply.ok ? reply.body.name : reply.items.map((item) => item.type).join();
};

describe('recorded FastAPI answers', () => {
  const vectors = readFileSync(new URL('vectors.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  let replayed = 0;
  for (const vector of vectors.map((line) => JSON.parse(line))) {
    // Gzip is the door's business: this module gets the bytes as they are to be read.
    if (![400, 422].includes(vector.status) || vector.headers['content-encoding']) continue;
    replayed++;
    test(`${replayed} ${vector.name.slice(0, 60)}`, () => {
      const url = new URL(vector.path, 'http://x');
      const [, , , org_id = '', kind, team_id = ''] = url.pathname.split('/');
      const reader: Reader =
        vector.method === 'DELETE'
          ? remove
          : org_id === 'add-funds'
            ? addFunds
            : kind === 'teams'
              ? updateTeam
              : transfer;
      const read = () =>
        reader({
          params: { org_id, team_id },
          search: vector.path.split('?')[1] ?? '',
          contentType: vector.headers['content-type'],
          body: vector.body_base64 === null ? undefined : Buffer.from(vector.body_base64, 'base64'),
        });
      if (vector.status === 400) return assert.throws(read, UnreadableBody);
      const reply = read();
      assert.ok(!reply.ok);
      if (vector.compare === 'type, loc, msg, input, ctx')
        assert.deepEqual(reply.items, vector.detail);
      else {
        const weak = (all: ErrorItem[]) => all.map(({ type, loc, msg }) => [type, loc[0], msg]);
        assert.deepEqual(weak(reply.items), weak(vector.detail));
      }
    });
  }
  test('all of them are replayed', () => assert.equal(replayed, 82));
});

describe('what is accepted', () => {
  test('values, defaults, ignored fields, and only declared names', () => {
    const id = `{${ID.toUpperCase()}}`;
    assert.deepEqual(bodyOf(transfer, { new_owner_user_id: id }), {
      new_owner_user_id: ID,
      force: false,
    });
    assert.deepEqual(bodyOf(updateTeam, { id: [null], name: ' e\u0301 ' }), { name: 'é' });
    assert.deepEqual(bodyOf(updateTeam, {}), {});
    const reply = list(raw('', 'limit=7&limit=+12&x=1&status=expired'));
    assert.deepEqual(reply.ok && reply.query, { limit: 12, status: 'expired' });
    const fallback = list(raw(''));
    assert.deepEqual(fallback.ok && fallback.query, { limit: 50 });
  });
  test('every spelling of a UUID', () => {
    for (const text of [
      ID,
      ID.toUpperCase(),
      ID.replaceAll('-', ''),
      `{${ID}}`,
      `urn:uuid:${ID}`,
    ]) {
      const reply = remove({ ...raw('{'), params: { org_id: text }, search: '' });
      assert.deepEqual(reply.ok && reply.params, { org_id: ID });
    }
  });
  test('without a body schema the body is not looked at', () => {
    assert.ok(remove({ ...raw(Buffer.from([0xff])), contentType: 'x' }).ok);
  });
  test('JSON media types, with parameters, in any case', () => {
    const ok = [
      'application/json; charset=utf-8',
      'Application/JSON',
      ' application/merge-patch+json ;x',
    ];
    for (const contentType of ok)
      assert.ok(updateTeam({ ...raw({}), contentType }).ok, String(contentType));
    for (const contentType of [
      undefined,
      '',
      'json',
      'text/json',
      'application/jsonx',
      'a/application/json',
    ])
      assert.ok(!updateTeam({ ...raw({}), contentType }).ok, String(contentType));
  });
});

describe('422: one list', () => {
  test('path, query, declared fields, then extras as sent', () => {
    const all = compileRequest({
      params: org,
      query: Type.Object({ limit: field.integer({ minimum: 1, maximum: 9 }) }),
      body: Type.Object({ a: field.uuid(), b: field.boolean() }),
    });
    const body = Buffer.from('{"z":1,"b":1,"__proto__":{"a":1},"constructor":2}');
    const reply = all({ ...raw(body), params: { org_id: 'x' } });
    assert.ok(!reply.ok);
    assert.deepEqual(
      reply.items.map((item) => `${item.type} ${item.loc.join('.')}`),
      ['uuid_parsing path.org_id', 'missing query.limit', 'missing body.a', 'bool_type body.b']
        .concat(['extra_forbidden body.z', 'extra_forbidden body.__proto__'])
        .concat(['extra_forbidden body.constructor']),
    );
    assert.equal(reply.items[1]?.input, null);
    assert.deepEqual(reply.items[2]?.input, JSON.parse(body.toString()));
    assert.equal(({} as { a?: unknown }).a, undefined);
  });
  test('inherited names are no fields', () => {
    const odd = compileRequest({ body: Type.Object({ toString: field.boolean() }) });
    assert.equal(items(odd, {})[0]?.type, 'missing');
  });
  test('input is left out over 1 KiB of JSON or when JSON cannot hold it', () => {
    const input = (body: unknown) => items(anyBody, body)[0]?.input;
    assert.equal(input({ a: 'x'.repeat(1022) }), 'x'.repeat(1022));
    assert.equal(input({ a: 'x'.repeat(1023) }), undefined);
    assert.equal(input({ a: 'é'.repeat(512) }), undefined);
    assert.equal(input('{"a":[{"b":1e999}]}'), undefined);
    assert.ok(!('input' in itemAt('mine', ['body', 'a'], 'No', undefined)));
  });
  test('null is an error of the field, and nothing is coerced', () => {
    const types = (body: object) => items(updateTeam, body).map((item) => item.type);
    assert.deepEqual(types({ name: null, all_projects: null, role: null }), [
      'string_type',
      'bool_type',
      'literal_error',
    ]);
    assert.deepEqual(types({ name: 1, all_projects: 'true', role: 'Owner' }), [
      'string_type',
      'bool_type',
      'literal_error',
    ]);
    assert.deepEqual(
      items(transfer, { new_owner_user_id: 1, force: 1 }).map((item) => item.type),
      ['uuid_type', 'bool_type'],
    );
  });
  test('query: the words and the bounds', () => {
    const [status, limit] = items(list, '', 'limit=1.5&status=x');
    assert.equal(status?.msg, "Input should be 'pending' or 'expired'");
    assert.deepEqual(status?.ctx, { expected: "'pending' or 'expired'" });
    assert.equal(
      limit?.msg,
      'Input should be a valid integer, unable to parse string as an integer',
    );
    assert.equal(items(list, '', 'limit=')[0]?.type, 'int_parsing');
    assert.deepEqual(items(list, '', 'limit=0')[0]?.ctx, { ge: 1 });
    assert.deepEqual(items(list, '', `limit=${'9'.repeat(400)}`)[0]?.ctx, { le: 200 });
    assert.deepEqual(items(list, '', 'cursor=')[0]?.ctx, { min_length: 1 });
    assert.deepEqual(
      items(list, '', 'cursor=123456')[0]?.msg,
      'String should have at most 5 characters',
    );
  });
});

test('texts: trimmed, NFC, counted in code points, no control characters, no lone surrogates', () => {
  assert.equal(nameOf(` ${'😀'.repeat(100)}\n`), '😀'.repeat(100));
  assert.equal(nameOf('e\u0301'.repeat(100)), 'é'.repeat(100));
  assert.equal(nameOf('😀'.repeat(101)), 'string_too_long');
  assert.equal(nameOf(' \t\u00a0'), 'string_too_short');
  for (const char of ['\0', '\n', '\x1f', '\x7f', '\x80', '\x9f'])
    assert.equal(nameOf(`a${char}b`), 'control_characters');
  assert.equal(items(updateTeam, { name: '' })[0]?.msg, 'String should have at least 1 character');
  assert.equal(nameOf('\ud800'), 'string_unicode');
  assert.equal(items(updateTeam, { role: '\ud800' })[0]?.type, 'string_unicode');
  assert.equal(items(transfer, { new_owner_user_id: '\ud800' })[0]?.type, 'string_unicode');
});

describe('whatever is sent', () => {
  const readers: Reader[] = [transfer, addFunds, updateTeam, remove, list, anyBody];
  const holds = (request: Parameters<typeof transfer>[0]): void => {
    for (const reader of readers) {
      let reply: Reply;
      try {
        reply = reader(request);
      } catch (error) {
        assert.ok(error instanceof UnreadableBody, String(error));
        continue;
      }
      if (!reply.ok)
        assert.ok(
          Check(Type.Array(itemSchema, { minItems: 1 }), JSON.parse(JSON.stringify(reply.items))),
        );
    }
  };
  const names = fc.constantFrom(
    'amount',
    'name',
    'force',
    'new_owner_user_id',
    '__proto__',
    'toString',
  );
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: 'binary' }),
    fc.double(),
    fc.constant('\ud800'),
  );
  const unit = fc.constantFrom(
    ...'{}[]":,\\-.0e19 ',
    'NaN',
    'Infinity',
    'null',
    '"amount"',
    '\ud800',
  );
  test('any JSON', () =>
    fc.assert(fc.property(fc.dictionary(names, value), (body) => holds(raw(body)))));
  test('near JSON', () => fc.assert(fc.property(fc.string({ unit }), (body) => holds(raw(body)))));
  test('any bytes', () => fc.assert(fc.property(fc.uint8Array(), (body) => holds(raw(body)))));
  test('any query and path', () => {
    const anyText = fc.string({ unit: 'binary' });
    const search = fc.tuple(
      fc.constantFrom('', 'limit=', 'status=', 'cursor=%', 'transfer_balance_to_user_id='),
      anyText,
    );
    fc.assert(
      fc.property(search, anyText, ([name, text], org_id) => {
        holds({ ...raw('{}', name + text), params: { org_id, team_id: text } });
      }),
    );
  });
  test('64 KiB made to be slow is not', () => {
    const started = performance.now();
    const n = 60_000;
    for (const text of [
      '"'.repeat(n),
      '\\"'.repeat(n / 2),
      `"${'\\"'.repeat(n / 2)}\\`,
      'NaN'.repeat(n / 3),
    ])
      holds(raw(text));
    for (const amount of [
      `1e${'0'.repeat(n)}x`,
      `0.${'0'.repeat(n)}1x`,
      `${'1'.repeat(n)}x`,
      `1${' '.repeat(n)}1`,
    ])
      holds(raw({ amount, name: amount, new_owner_user_id: amount.replaceAll('x', '') }));
    assert.ok(performance.now() - started < 1000);
  });
});

test('the schemas are plain JSON Schema, and what no reader understands fails at start-up', () => {
  const body = Type.Object({
    amount: AMOUNT,
    force: field.boolean({ default: false }),
    id: field.ignored(),
  });
  assert.deepEqual(JSON.parse(JSON.stringify(body)).required, ['amount']);
  assert.ok(!JSON.stringify(body).includes('~'));
  assert.throws(
    () => compileRequest({ body: Type.Object({ a: Type.Array(Type.String()) }) }),
    /no reader/,
  );
  assert.throws(() => compileRequest({ query: Type.Object({ a: field.boolean() }) }), /no reader/);
});
