import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import Type from 'typebox';
import type { Reader } from '../../testing/harness/input.ts';
import * as field from './fields.ts';
import { UnreadableBody } from './json.ts';
import { compileRequest, type ErrorItem } from './validation.ts';

/** What a real FastAPI answered to wrong requests; here the same comes back. */
const recorded = (file: string) =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const bytesOf = (base64: string | null) =>
  base64 === null ? undefined : Buffer.from(base64, 'base64');

describe('the operations', () => {
  const org = Type.Object({ org_id: field.uuid() });
  const transfer = compileRequest({
    params: org,
    body: Type.Object({
      new_owner_user_id: field.uuid(),
      force: field.boolean({ default: false }),
    }),
  });
  const addFunds = compileRequest({
    body: Type.Object({
      amount: field.usdAmount({ minimum: 1, maximum: 10_000 }),
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
  const readerFor = (method: string, pathname: string): Reader => {
    if (method === 'DELETE') return remove;
    if (pathname.endsWith('/add-funds')) return addFunds;
    return pathname.includes('/teams/') ? updateTeam : transfer;
  };

  let replayed = 0;
  for (const vector of recorded('vectors.jsonl')) {
    // A reader gets bytes that were decompressed, and sees no answer but 400 and 422.
    if (![400, 422].includes(vector.status) || vector.headers['content-encoding']) continue;
    replayed++;
    test(`${replayed} ${vector.name.slice(0, 60)}`, () => {
      const { pathname } = new URL(vector.path, 'http://x');
      const [, , , org_id = '', , team_id = ''] = pathname.split('/');
      const read = () =>
        readerFor(
          vector.method,
          pathname,
        )({
          params: { org_id, team_id },
          search: vector.path.split('?')[1] ?? '',
          contentType: vector.headers['content-type'],
          body: bytesOf(vector.body_base64),
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

describe('every kind of field', () => {
  const word = field.text({ minLength: 1, maxLength: 4 });
  const contact = field.object({
    email: field.email(),
    note: Type.Optional(field.nullable(field.text({ minLength: 0, maxLength: 5 }))),
  });
  const ten = field.integer({ minimum: 1, maximum: 10 });
  const body = compileRequest({
    body: field.object({
      words: Type.Optional(field.list(word, { minItems: 1, maxItems: 3 })),
      contact: Type.Optional(contact),
      contacts: Type.Optional(field.list(contact, { maxItems: 3 })),
      parent: Type.Optional(field.nullable(contact)),
      count: Type.Optional(ten),
      size: Type.Optional(ten),
      limit: Type.Optional(field.nullable(ten)),
      starts_at: Type.Optional(field.dateTime()),
      day: Type.Optional(field.date()),
      color: Type.Optional(field.color()),
      slug: Type.Optional(field.slug({ maxLength: 5 })),
      flag: Type.Optional(field.nullable(field.boolean())),
      kind: Type.Optional(field.nullable(field.oneOf(['a', 'b']))),
      email: Type.Optional(field.email()),
    }),
  });
  const query = compileRequest({
    query: Type.Object({
      flag: Type.Optional(field.boolean()),
      words: Type.Optional(field.list(word, { minItems: 1, maxItems: 2 })),
      kinds: Type.Optional(field.list(field.oneOf(['a', 'b']), { maxItems: 3 })),
      sizes: Type.Optional(field.list(field.integer({ minimum: 1, maximum: 9 }), { maxItems: 3 })),
      day: Type.Optional(field.date()),
      at: Type.Optional(field.dateTime()),
    }),
  });
  const required = compileRequest({
    query: Type.Object({ words: field.list(word, { maxItems: 2 }) }),
  });

  const vectors = recorded('vectors-of-fields.jsonl');
  for (const { name, method, path, body_base64, detail } of vectors) {
    test(name, () => {
      const reader: Reader =
        method === 'POST' ? body : path.startsWith('/required') ? required : query;
      const reply = reader({
        params: {},
        search: path.split('?')[1] ?? '',
        contentType: 'application/json',
        body: bytesOf(body_base64),
      });
      assert.deepEqual(reply.ok ? 'accepted' : reply.items, detail);
    });
  }
  test('all of them are replayed', () => assert.equal(vectors.length, 250));
});
