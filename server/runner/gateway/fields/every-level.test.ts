import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api } from '../../../platform/catalog/agent-fields.ts';
import { ask, MODEL, makeGateway } from '../../../testing/fixtures/runner/gateway.ts';
import { Refusal } from '../refusal.ts';
import { messagesFields } from './anthropic-messages.ts';
import { geminiFields } from './gemini-content.ts';
import { chatFields } from './openai-chat.ts';
import { responsesFields } from './openai-responses.ts';
import { permitted } from './permitted.ts';
import { ByType, Either, type Fields, OneOf, Required, type Rule } from './rules.ts';

/** The tables are walked: at each object that a request may have, one more field is refused. */

const TABLES: { api: Api; path: string; table: Fields }[] = [
  { api: 'openai', path: '/v1/chat/completions', table: chatFields },
  { api: 'openai', path: '/v1/responses', table: responsesFields },
  { api: 'anthropic', path: '/v1/messages', table: messagesFields },
  { api: 'anthropic', path: '/v1/messages/count_tokens', table: messagesFields },
  { api: 'gemini', path: `/v1beta/models/${MODEL}:generateContent`, table: geminiFields },
  { api: 'gemini', path: `/v1beta/models/${MODEL}:countTokens`, table: geminiFields },
];

/** An object of a request: where it is, and the request in which it has more fields. */
interface Level {
  at: string;
  body(more: object): unknown;
}
type Around = (value: unknown) => unknown;

const LEAVES: Record<string, unknown> = {
  text: 'x',
  'message text': 'x',
  number: 1,
  flag: true,
  json: { any: 'thing' },
  schema: { type: 'object' },
  'image address': 'data:image/png;base64,AAAA',
  'image bytes': 'AAAA',
  file: 'AAAA',
  'left out': 'x',
};

/** A value that the rule lets through. */
function sample(rule: Rule): unknown {
  if (typeof rule === 'string') return LEAVES[rule];
  if (rule instanceof OneOf) return rule.values[0];
  if (rule instanceof Required) return sample(rule.rule);
  if (rule instanceof Either) return sample(rule.rules[0] as Rule);
  if (Array.isArray(rule)) return [sample(rule[0])];
  if (rule instanceof ByType) {
    const [type, table] = Object.entries(rule.tables)[0] as [string, Fields];
    return { ...sampleOf(table), [rule.key]: type };
  }
  return sampleOf(rule as Fields);
}

const sampleOf = (table: Fields) =>
  Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, sample(rule)]));

function levels(rule: Rule, at: string, around: Around): Level[] {
  if (typeof rule === 'string' || rule instanceof OneOf) return [];
  if (rule instanceof Required) return levels(rule.rule, at, around);
  if (rule instanceof Either) return rule.rules.flatMap((one) => levels(one, at, around));
  if (Array.isArray(rule)) return levels(rule[0], `${at}[0]`, (value) => around([value]));
  if (!(rule instanceof ByType)) return ofTable(rule as Fields, {}, at, around);
  return [
    ...Object.entries(rule.tables).flatMap(([type, table]) =>
      ofTable(table, { [rule.key]: type }, at, around),
    ),
    ...(rule.untyped ? ofTable(rule.untyped, {}, at, around) : []),
  ];
}

function ofTable(table: Fields, typed: object, at: string, around: Around): Level[] {
  const all = { ...sampleOf(table), ...typed };
  return [
    { at, body: (more) => around({ ...all, ...more }) },
    ...Object.entries(table).flatMap(([name, rule]) =>
      levels(rule, at === '' ? name : `${at}.${name}`, (value) =>
        around({ ...all, [name]: value }),
      ),
    ),
  ];
}

for (const { api, path, table } of TABLES) {
  const every = levels(table, '', (value) => value).map(({ at, body }) => ({
    at,
    body: (more: object) => ({
      ...(body(more) as object),
      ...(api === 'gemini' ? {} : { model: MODEL }),
    }),
  }));

  test(`${path}: at each of its ${every.length} objects, one more field is refused`, async () => {
    const { gateway, provider, charges } = await makeGateway(api);
    for (const { at, body } of every) {
      const field = at === '' ? 'unknown_field' : `${at}.unknown_field`;
      const { status, text } = await ask(gateway, path, body({ unknown_field: 1 }));
      assert.equal(status, 400, `${field}: ${text}`);
      const { message } = JSON.parse(text).error;
      assert.ok(message.startsWith(`${field}: the gateway does not know this field`), message);
    }
    assert.ok(every.length > 10);
    assert.deepEqual([provider.requests, charges], [[], []]);
  });

  test(`${path}: all that its table names passes together`, () => {
    for (const { at, body } of every)
      assert.doesNotThrow(() => permitted(table, body({}) as Record<string, unknown>), at);
  });
}

test('a field with null is one that is not there, in the gateway’s tables as in the APIs', () => {
  const { body } = permitted(chatFields, { model: 'm', unknown_field: null, seed: null });
  assert.deepEqual(body, { model: 'm', seed: null });
});

test('what is left out is left out whole, and leaves no empty list behind', () => {
  const { body } = permitted(responsesFields, {
    input: 'Hello',
    store: true,
    tools: [
      { type: 'web_search' },
      null,
      { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'mcp', server_url: 'x' }] },
    ],
  });
  const namespace = { type: 'namespace', name: 'n', description: 'd' };
  assert.deepEqual(body, { input: 'Hello', tools: [namespace] });
  assert.deepEqual(permitted(responsesFields, { tools: [{ type: 'web_search' }] }).body, {});
});

test('names are compared as they are: no other case, script or prototype is a known field', () => {
  for (const name of [
    'Model',
    'MODEL',
    'model ',
    'mоdel',
    '__proto__',
    'toString',
    'hasOwnProperty',
  ])
    assert.throws(() => permitted(chatFields, JSON.parse(`{${JSON.stringify(name)}: 1}`)), /know/);
  const { body } = permitted(chatFields, JSON.parse('{"\\u006dodel": "m", "model": "n"}'));
  assert.equal(JSON.stringify(body), '{"model":"n"}');
  const json = '{"__proto__":{"a":1},"constructor":2}';
  const bias = permitted(chatFields, JSON.parse(`{"logit_bias":${json}}`)).body;
  assert.equal(JSON.stringify(bias), `{"logit_bias":${json}}`);
});

test('what is nested without end is refused', () => {
  for (const nested of [
    '['.repeat(1e5) + ']'.repeat(1e5),
    `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`,
  ])
    for (const field of ['logit_bias', 'messages', 'stop'])
      assert.throws(() => permitted(chatFields, JSON.parse(`{"${field}":${nested}}`)), Refusal);
});
