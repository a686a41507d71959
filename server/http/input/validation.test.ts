import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Type from 'typebox';
import { bodyOf, fieldOf, itemsOf, queryOf, rawRequest } from '../../testing/harness/input.ts';
import { ValidationError } from '../errors.ts';
import * as field from './fields.ts';
import { compileRequest, itemAt } from './validation.ts';

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const org = Type.Object({ org_id: field.uuid() });
const transfer = compileRequest({
  body: Type.Object({ new_owner_user_id: field.uuid(), force: field.boolean({ default: false }) }),
});
const updateTeam = compileRequest({
  body: Type.Object({
    name: Type.Optional(field.text({ minLength: 1, maxLength: 100 })),
    all_projects: Type.Optional(field.boolean()),
    role: Type.Optional(field.oneOf(['admin', 'member', 'viewer'])),
    id: field.ignored(),
  }),
});
const remove = compileRequest({ params: org });
const list = compileRequest({
  query: Type.Object({
    status: Type.Optional(field.oneOf(['pending', 'expired'])),
    limit: field.integer({ minimum: 1, maximum: 200, default: 50 }),
    cursor: Type.Optional(field.text({ minLength: 1, maxLength: 5 })),
  }),
});
const anyBody = compileRequest({ body: Type.Object({}) });

const bodyItems = (reader: Parameters<typeof itemsOf>[0], body: unknown) =>
  itemsOf(reader, rawRequest(body));
const queryItems = (search: string) => itemsOf(list, rawRequest('', search));
const nameOf = (name: unknown): unknown => {
  const reply = updateTeam(rawRequest({ name }));
  return reply.ok ? reply.body.name : reply.items.map((item) => item.type).join();
};

describe('what is accepted', () => {
  test('values, defaults, ignored fields, and only declared names', () => {
    const id = `{${ID.toUpperCase()}}`;
    assert.deepEqual(bodyOf(transfer, { new_owner_user_id: id }), {
      new_owner_user_id: ID,
      force: false,
    });
    assert.deepEqual(bodyOf(updateTeam, { id: [null], name: ' e\u0301 ' }), { name: 'é' });
    assert.deepEqual(bodyOf(updateTeam, {}), {});
    const mayBeOmitted = compileRequest({ body: field.object({}, { default: {} }) });
    assert.deepEqual(bodyOf(mayBeOmitted, ''), {});
    const search = 'limit=7&limit=+12&x=1&status=expired';
    assert.deepEqual(queryOf(list, search), { limit: 12, status: 'expired' });
    assert.deepEqual(queryOf(list, ''), { limit: 50 });
  });
  test('every spelling of a UUID', () => {
    for (const text of [
      ID,
      ID.toUpperCase(),
      ID.replaceAll('-', ''),
      `{${ID}}`,
      `urn:uuid:${ID}`,
    ]) {
      const reply = remove(rawRequest('{', '', { org_id: text }));
      assert.deepEqual(reply.ok && reply.params, { org_id: ID });
    }
  });
  test('without a body schema the body is not looked at', () => {
    assert.ok(
      remove({ ...rawRequest(Buffer.from([0xff]), '', { org_id: ID }), contentType: 'x' }).ok,
    );
  });
  test('JSON media types, with parameters, in any case', () => {
    const ok = [
      'application/json; charset=utf-8',
      'Application/JSON',
      ' application/merge-patch+json ;x',
    ];
    for (const contentType of ok)
      assert.ok(updateTeam({ ...rawRequest({}), contentType }).ok, String(contentType));
    for (const contentType of [
      undefined,
      '',
      'json',
      'text/json',
      'application/jsonx',
      'a/application/json',
    ])
      assert.ok(!updateTeam({ ...rawRequest({}), contentType }).ok, String(contentType));
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
    const reply = all({ ...rawRequest(body), params: { org_id: 'x' } });
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
    assert.equal(bodyItems(odd, {})[0]?.type, 'missing');
  });
  test('input is left out over 1 KiB of JSON or when JSON cannot hold it', () => {
    const input = (body: unknown) => bodyItems(anyBody, body)[0]?.input;
    assert.equal(input({ a: 'x'.repeat(1022) }), 'x'.repeat(1022));
    assert.equal(input({ a: 'x'.repeat(1023) }), undefined);
    assert.equal(input({ a: 'é'.repeat(512) }), undefined);
    assert.equal(input('{"a":[{"b":1e999}]}'), undefined);
    assert.ok(!('input' in itemAt('mine', ['body', 'a'], 'No', undefined)));
  });
  test('a number is echoed digit by digit', () => {
    const digits = '99999999999999999999';
    const items = bodyItems(updateTeam, `{"name":${digits},"x":[1.0000000000000000001]}`);
    assert.equal(
      JSON.stringify(items.map(({ input }) => input)),
      `[${digits},[1.0000000000000000001]]`,
    );
    assert.equal(JSON.stringify(bodyItems(updateTeam, digits)[0]?.input), digits);
    assert.equal(bodyItems(updateTeam, digits)[0]?.type, 'model_attributes_type');
  });
  test('null is an error of the field, and nothing is coerced', () => {
    const types = (body: object) => bodyItems(updateTeam, body).map((item) => item.type);
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
      bodyItems(transfer, { new_owner_user_id: 1, force: 1 }).map((item) => item.type),
      ['uuid_type', 'bool_type'],
    );
  });
  test('query: the words and the bounds', () => {
    const [status, limit] = queryItems('limit=1.5&status=x');
    assert.equal(status?.msg, "Input should be 'pending' or 'expired'");
    assert.deepEqual(status?.ctx, { expected: "'pending' or 'expired'" });
    assert.equal(
      limit?.msg,
      'Input should be a valid integer, unable to parse string as an integer',
    );
    assert.equal(queryItems('limit=')[0]?.type, 'int_parsing');
    assert.deepEqual(queryItems('limit=0')[0]?.ctx, { ge: 1 });
    assert.deepEqual(queryItems(`limit=${'9'.repeat(400)}`)[0]?.ctx, { le: 200 });
    assert.deepEqual(queryItems('cursor=')[0]?.ctx, { min_length: 1 });
    assert.deepEqual(
      queryItems('cursor=123456')[0]?.msg,
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
  assert.equal(
    bodyItems(updateTeam, { name: '' })[0]?.msg,
    'String should have at least 1 character',
  );
  assert.equal(nameOf('\ud800'), 'string_unicode');
  assert.equal(bodyItems(updateTeam, { role: '\ud800' })[0]?.type, 'string_unicode');
  assert.equal(bodyItems(transfer, { new_owner_user_id: '\ud800' })[0]?.type, 'string_unicode');
});

test('texts of several lines: kept as they were sent, with tabs and line ends as the only controls', () => {
  const linesOf = fieldOf(
    Type.Object({ value: field.multilineText({ minLength: 1, maxLength: 10 }) }),
  );
  for (const text of ['  a\r\n\tb\n', 'e\u0301', '😀'.repeat(10), '\u202eabc'])
    assert.equal(linesOf(text), text);
  for (const [text, fault] of [
    [' \n\t', 'string_too_short'],
    ['', 'string_too_short'],
    ['x'.repeat(11), 'string_too_long'],
    ['a\0', 'control_characters'],
    ['a\u001b', 'control_characters'],
    ['a\u0085', 'control_characters'],
    ['\ud800', 'string_unicode'],
    [1, 'string_type'],
  ] as const)
    assert.equal(linesOf(text), `${fault} value`, JSON.stringify(text));
});

describe('rules that a handler finds broken show what was sent', () => {
  const reply = transfer(rawRequest({ new_owner_user_id: `{${ID.toUpperCase()}}`, force: false }));
  const sent = reply.ok ? reply.sent : assert.fail();
  const echoed = (type: string, loc: string[], input?: unknown) =>
    new ValidationError([itemAt(type, loc, 'No', input)]).echoing(sent).items[0];

  test('the value at its place, before it was read', () => {
    const item = echoed('not_a_member', ['body', 'new_owner_user_id'], ID);
    assert.equal(item?.input, `{${ID.toUpperCase()}}`);
  });
  test('the object around a missing value', () => {
    assert.deepEqual(echoed('missing', ['body', 'name'])?.input, sent.body);
  });
  test('what the handler says, where nothing stands', () => {
    assert.equal(echoed('too_low', ['body', 'cap'], '24.99')?.input, '24.99');
    assert.ok(!('input' in (echoed('mine', ['header', 'If-Match']) ?? {})));
    assert.ok(!('input' in (echoed('mine', ['body', 'constructor', 'name']) ?? {})));
    assert.ok(!('input' in (echoed('mine', ['body', 'cap'], 1n) ?? {})));
  });
});

describe('the list is bounded', () => {
  const manyFields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));

  test('100 errors are all listed', () => {
    assert.equal(bodyItems(anyBody, manyFields(100)).length, 100);
  });
  test('of more, the first 100 are listed and a last item says how many there were', () => {
    const items = bodyItems(anyBody, manyFields(5000));
    assert.equal(items.length, 101);
    assert.deepEqual(items[99], {
      type: 'extra_forbidden',
      loc: ['body', 'f99'],
      msg: 'Extra inputs are not permitted',
      input: 99,
    });
    assert.deepEqual(items[100], {
      type: 'too_many_errors',
      loc: ['body'],
      msg: 'The request has 5000 errors; the first 100 are listed: correct these first',
      ctx: { error_count: 5000, max_listed: 100 },
    });
    assert.ok(JSON.stringify(items).length < 12_000);
  });
});

test('the schemas are plain JSON Schema', () => {
  const body = Type.Object({ force: field.boolean({ default: false }), id: field.ignored() });
  assert.ok(!('required' in JSON.parse(JSON.stringify(body))));
  assert.ok(!JSON.stringify(body).includes('~'));
});

test('what no reader understands, or its place cannot carry, fails at start-up', () => {
  const bodies = [Type.Number(), Type.Null(), Type.Tuple([Type.String()]), Type.Any()];
  for (const value of bodies)
    assert.throws(() => compileRequest({ body: Type.Object({ value }) }), /no reader/);
  const queries = [
    field.usdAmount({ minimum: 1, maximum: 2 }),
    field.object({}),
    field.nullable(field.uuid()),
  ];
  for (const value of queries)
    assert.throws(() => compileRequest({ query: Type.Object({ value }) }), /no reader/);
  for (const value of [field.boolean(), field.list(field.uuid(), { maxItems: 2 })])
    assert.throws(() => compileRequest({ params: Type.Object({ value }) }), /no reader/);
});
