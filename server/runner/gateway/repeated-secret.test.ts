import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SECRET_FORMS } from '../../testing/secret-forms.ts';
import { repeats, withoutSecret } from './repeated-secret.ts';

// Whether a text holds a secret in any form that servers give to it.

const SECRETS = [
  '3f1c0a9e8b7d6c5f4e3d2c1b0a99887766554433',
  'sk-provider-key-0123456789',
  'a "quoted" \\ word',
  'R&D <größer> 100%',
  'a&amp;b"c%41d\\u0041',
  'ключ от всего',
  '🗝️🗝️🗝️🗝️ four',
];

for (const [name, form] of Object.entries(SECRET_FORMS))
  test(`found: ${name}`, () => {
    for (const secret of SECRETS)
      for (const text of [form(secret), `{"said": "${form(secret)}"}`, `<a>${form(secret)}</a>`]) {
        assert.ok(repeats(text, secret), text);
        assert.ok(!repeats(withoutSecret(text, secret), secret), text);
      }
  });

test('property: found whatever the secret, its form and what is around it', () => {
  const secret = fc
    .string({ unit: 'grapheme', minLength: 10, maxLength: 60 })
    .filter((text) => text.trim() === text && text.replaceAll(/\s/g, '').length >= 10);
  const forms = fc.constantFrom(...Object.values(SECRET_FORMS));
  const around = fc.constantFrom('', ' ', '"', '<string>', ', ', 'key: ');
  fc.assert(
    fc.property(secret, forms, around, around, (text, form, before, after) =>
      repeats(before + form(text) + after, text),
    ),
    { numRuns: 2_000 },
  );
});

test('found: a key of hexadecimal digits in either case, also in Base64', () => {
  const [key = '', word = ''] = SECRETS;
  const upper = key.toUpperCase();
  for (const form of Object.values(SECRET_FORMS)) {
    assert.ok(repeats(`<a>${form(upper)}</a>`, key), form(upper));
    assert.ok(repeats(`<a>${form(key)}</a>`, upper), form(key));
  }
  assert.equal(repeats(word.toUpperCase(), word), false);
});

test('found: at every place of a long text, also where one step of the search ends', async () => {
  const [key = ''] = SECRETS;
  const text = 'x'.repeat(400_000);
  for (let at = 65_536 - 45; at < 65_536 + 5; at += 1)
    for (const said of [
      key,
      `${key.slice(0, 20)}&#x${key.charCodeAt(20).toString(16)};${key.slice(21)}`,
    ])
      assert.ok(repeats(text.slice(0, at) + said + text.slice(at, 70_000), key), String(at));
  assert.equal(repeats(text, key), false);
  assert.equal(repeats(text + key, key), true);
});

test('not found: another secret, a part of it, and one so short that it is a word', () => {
  const [secret = '', other = ''] = SECRETS;
  const text = `${other} ${secret.slice(1)} ${Buffer.from(secret.slice(4)).toString('base64')}`;
  assert.equal(repeats(text, secret), false);
  assert.equal(repeats('the admin of admins', 'admin'), false);
});

test('an error keeps its words without the secret, and none of them around another form of it', () => {
  assert.equal(withoutSecret('Wrong key: 12345678.', '12345678'), 'Wrong key: ***.');
  assert.equal(withoutSecret('Wrong key: %612345678.', 'a2345678'), '***');
  assert.equal(withoutSecret('Wrong key: admin.', 'admin'), 'Wrong key: ***.');
});

test('16 MiB of escapes and of what looks like the secret are looked through in little time', () => {
  const size = 16 * 1024 ** 2;
  for (const [part, secret] of [
    ['\\u0430', SECRETS[0]],
    ['\\\\"', `${'\\"'.repeat(100)}x`],
    ['&amp;', `${'&amp;'.repeat(50)}x`],
    ['&aaaaaaa', `${'a'.repeat(500)}b`],
    ['a', `${'a'.repeat(500)}b`],
    ['%25', `b${'%25'.repeat(300)}`],
  ] as const) {
    const text = part.repeat(size / part.length);
    // Of this process alone: other tests may run beside it.
    const before = process.cpuUsage();
    assert.equal(repeats(text, secret as string), false, part);
    const ms = process.cpuUsage(before).user / 1_000;
    assert.ok(ms < 5_000, `${part}: ${ms} ms`);
  }
});
