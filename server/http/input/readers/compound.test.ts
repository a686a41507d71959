import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Type, { type Static } from 'typebox';
import { bodyOf, fieldOf, itemsOf, queryOf, rawRequest } from '../../../testing/harness/input.ts';
import * as field from '../fields.ts';
import { compileRequest } from '../validation.ts';

const word = field.text({ minLength: 1, maxLength: 4 });
const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

const project = field.object({
  name: word,
  notes: Type.Optional(field.nullable(word)),
  members: field.list(
    field.object({ user_id: field.uuid(), admin: field.boolean({ default: false }) }),
    { maxItems: 2, default: [] },
  ),
});

/** Fails to compile when a handler would see other types. */
type Project = {
  name: string;
  notes?: string | null;
  members: { user_id: string; admin: boolean }[];
};
const handled: Project = {} as Static<typeof project>;
const typed: Static<typeof project> = {} as Project;
void [handled, typed];

describe('lists and objects of a body', () => {
  const read = compileRequest({ body: project });

  test('values are read at every depth, and defaults filled in', () => {
    const sent = {
      name: ' a ',
      members: [{ user_id: ID.toUpperCase() }, { user_id: ID, admin: true }],
    };
    assert.deepEqual(bodyOf(read, sent), {
      name: 'a',
      members: [
        { user_id: ID, admin: false },
        { user_id: ID, admin: true },
      ],
    });
    assert.deepEqual(bodyOf(read, { name: 'a' }), { name: 'a', members: [] });
  });
  test('422: errors of all depths are one list, in order', () => {
    const sent = { extra: 1, members: [{ user_id: 'x', admin: 1 }, { other: {} }], name: 1 };
    assert.deepEqual(
      itemsOf(read, rawRequest(sent)).map(({ type, loc }) => `${type} ${loc.join('.')}`),
      [
        'string_type body.name',
        'uuid_parsing body.members.0.user_id',
        'bool_type body.members.0.admin',
        'missing body.members.1.user_id',
        'extra_forbidden body.members.1.other',
        'extra_forbidden body.extra',
      ],
    );
  });
  test('422: names of prototypes are unknown fields at every depth', () => {
    const sent = '{"name":"a","members":[{"user_id":"x","__proto__":{"admin":true}}],"toString":1}';
    assert.deepEqual(
      itemsOf(read, rawRequest(sent)).map(({ loc }) => loc.join('.')),
      ['body.members.0.user_id', 'body.members.0.__proto__', 'body.toString'],
    );
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });
});

describe('null', () => {
  const read = compileRequest({ body: project });

  test('clears a field that may be empty, and differs from leaving it out', () => {
    assert.deepEqual(bodyOf(read, { name: 'a', notes: null }), {
      name: 'a',
      notes: null,
      members: [],
    });
    assert.ok(!('notes' in (bodyOf(read, { name: 'a' }) as object)));
  });
  test('422: everywhere else it is an error of the field', () => {
    const types = (body: object) => itemsOf(read, rawRequest(body)).map(({ type }) => type);
    assert.deepEqual(types({ name: null, members: null }), ['string_type', 'list_type']);
    assert.deepEqual(types({ name: 'a', members: [null] }), ['model_attributes_type']);
    for (const [schema, type] of [
      [field.integer({ minimum: 1, maximum: 2 }), 'int_type'],
      [field.dateTime(), 'datetime_type'],
      [field.date(), 'date_type'],
      [field.email(), 'string_type'],
      [field.color(), 'string_type'],
      [field.slug({ maxLength: 9 }), 'string_type'],
      [field.usdAmount({ minimum: 1, maximum: 2 }), 'decimal_type'],
      [field.object({}), 'model_attributes_type'],
    ] as const) {
      assert.equal(fieldOf(field.object({ value: schema }))(null), `${type} value`);
      assert.equal(fieldOf(field.object({ value: field.nullable(schema) }))(null), null);
    }
  });
});

/** The type of the error that a JSON literal meets. */
const fieldType = (schema: Type.TSchema) => {
  const read = compileRequest({ body: field.object({ value: schema }) });
  return (literal: string) => itemsOf(read, rawRequest(`{"value":${literal}}`))[0]?.type;
};

describe('numbers, colours and words', () => {
  test('an integer may be written 2.0 or 2e0; -0 is 0', () => {
    const read = fieldOf(field.object({ value: field.integer({ minimum: -5, maximum: 5 }) }));
    for (const value of [2, -5, 5]) assert.equal(read(value), value);
    assert.equal(read(JSON.parse('2.0')), 2);
    const body = field.object({ value: field.integer({ minimum: -5, maximum: 5 }) });
    const { value } = bodyOf(compileRequest({ body }), '{"value":-0.0}') as { value: number };
    assert.ok(Object.is(value, 0));
  });
  test('422: NaN and what is too large for any number', () => {
    const read = fieldType(field.integer({ minimum: 1, maximum: 5 }));
    for (const literal of ['NaN', 'Infinity', '-Infinity', '1e400'])
      assert.equal(read(literal), 'finite_number');
  });
  test('422: an integer that JavaScript would round is not let in', () => {
    const read = fieldType(field.integer({ minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1 }));
    assert.equal(read('9007199254740993'), 'less_than_equal');
    assert.equal(read('-9007199254740993'), 'greater_than_equal');
    assert.equal(read('1.00000000000000000001'), 'int_from_float');
    assert.throws(() => fieldType(field.integer({ minimum: 1, maximum: 2 ** 53 })), /safe bounds/);
  });
  test('a colour is put in upper case, a word is taken as it is', () => {
    assert.equal(fieldOf(field.object({ value: field.color() }))('#a1b2cD'), '#A1B2CD');
    const icon = fieldOf(field.object({ value: field.slug({ maxLength: 10 }) }));
    assert.equal(icon('rocket-2'), 'rocket-2');
    assert.equal(icon(' rocket'), 'string_pattern_mismatch value');
  });
});

describe('the query', () => {
  const read = compileRequest({
    query: Type.Object({
      all: field.boolean({ default: false }),
      roles: field.list(field.oneOf(['admin', 'member']), { maxItems: 3, default: [] }),
      ids: Type.Optional(field.list(field.uuid(), { maxItems: 2 })),
      since: Type.Optional(field.dateTime()),
      day: Type.Optional(field.date()),
    }),
  });

  test('a list is a name that is repeated, also once', () => {
    assert.deepEqual(queryOf(read, ''), { all: false, roles: [] });
    assert.deepEqual(queryOf(read, `roles=admin&all=1&roles=member&ids=${ID}`), {
      all: true,
      roles: ['admin', 'member'],
      ids: [ID],
    });
  });
  test('booleans as FastAPI takes them', () => {
    for (const word of ['true', 'True', 'TRUE', '1', 't', 'T', 'yes', 'y', 'on', 'ON'])
      assert.deepEqual(queryOf(read, `all=${word}`), { all: true, roles: [] }, word);
    for (const word of ['false', 'False', '0', 'f', 'no', 'N', 'off'])
      assert.deepEqual(queryOf(read, `all=${word}`), { all: false, roles: [] }, word);
  });
  test('times and days; a plus sign is encoded', () => {
    assert.deepEqual(queryOf(read, 'since=2026-11-21T01:00:00%2B01:00&day=2026-11-21'), {
      all: false,
      roles: [],
      since: '2026-11-21T00:00:00.000Z',
      day: '2026-11-21',
    });
  });
  test('names of prototypes are no lists', () => {
    assert.deepEqual(queryOf(read, '__proto__=1&__proto__=2&constructor=3'), {
      all: false,
      roles: [],
    });
  });
});
