import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fieldOf, itemsOf, rawRequest } from '../../../testing/harness/input.ts';
import { email, object } from '../fields.ts';
import { compileRequest } from '../validation.ts';

const schema = object({ value: email() });
const address = fieldOf(schema);
const read = compileRequest({ body: schema });
const reasonFor = (value: string) => itemsOf(read, rawRequest({ value }))[0]?.ctx?.reason;

test('an address is trimmed, composed, and its domain put in lower case', () => {
  const addresses: [string, string][] = [
    ['ada@example.com', 'ada@example.com'],
    [' Ada.Lovelace+x@EXAMPLE.com\n', 'Ada.Lovelace+x@example.com'],
    ["o'neil@b.co.uk", "o'neil@b.co.uk"],
    ['e\u0301@b.com', 'é@b.com'],
    ['a@MÜNCHEN.de', 'a@münchen.de'],
    ['a@xn--mnchen-3ya.de', 'a@münchen.de'],
    ['a@b\uff0ecom', 'a@b.com'],
    ['ada@guildhall.test', 'ada@guildhall.test'],
    [`${'a'.repeat(248)}@b.com`, `${'a'.repeat(248)}@b.com`],
  ];
  for (const [sent, received] of addresses) assert.equal(address(sent), received, sent);
});

test('422: what is no address says why', () => {
  assert.equal(
    reasonFor(`${'a'.repeat(249)}@b.com`),
    'The email address is too long (1 character too many).',
  );
  assert.equal(
    reasonFor(`${'é'.repeat(125)}@b.com`),
    'The email address is too long (2 characters too many).',
  );
  assert.equal(reasonFor('x'.repeat(2049)), 'Length must not exceed 2048 characters');
  assert.equal(
    reasonFor('a@münchen-.de'),
    'An email address cannot have a period and a hyphen next to each other.',
  );
  assert.equal(reasonFor('a@xn--a.com'), 'The part after the @-sign is not valid IDNA.');
  assert.equal(
    reasonFor('Ada <ada@b.com>'),
    "The email address contains invalid characters before the @-sign: '<', SPACE.",
  );
  for (const hidden of ['a\u200b@b.com', 'a\u202e@b.com', 'a@b.com\u202e', 'a\u0085b@c.com'])
    assert.match(String(reasonFor(hidden)), /^The email address contains unsafe characters: U\+/);
  assert.equal(address('\ud800@b.com'), 'string_unicode value');
});

test('422: many different wrong characters do not make a long answer', () => {
  const wrong = Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0x2000 + i)).join('');
  assert.ok(String(reasonFor(`a@${wrong}`)).length < 200);
  assert.ok(String(reasonFor(`(),:;<>[]"\\ ${wrong}@b.com`)).length < 200);
});

test('what is read is read again as the same', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (text) => {
      const once = address(text);
      if (typeof once === 'string' && once.includes('@')) assert.equal(address(once), once);
    }),
  );
});
