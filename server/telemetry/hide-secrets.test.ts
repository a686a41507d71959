import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mintKey } from '../identity/keys/key.ts';
import { SECRET_FORMS } from '../testing/fixtures/secret-forms.ts';
import { HIDDEN, hiding, hidingValues, holdsSecret, withoutSecrets } from './hide-secrets.ts';

/** Secrets are hidden by their value or their exact form, never by the words around them. */

const letters = (count: number) => 'aB3dE5gH7jK9'.repeat(20).slice(0, count);

test('ordinary lines stay as they are, also those that speak of secrets', () => {
  for (const line of [
    'password: expected 3',
    'token = undefined',
    'Unexpected token: "}"',
    'secret=missing, api_key: required',
    'OPENAI_API_KEY="not set"',
    'basic authentication is off; bearer tokens: none',
    'task_1 of risk_level disk_full, sk-toggle, ghp_ and gld_ are prefixes',
    'the sk_test_ keys, sk-learn-contrib-and-others, a class of fk-relationship',
    'npm_config_registry npm_lifecycle_event',
    "expected '-----BEGIN PRIVATE KEY-----' at the beginning of the file",
    'http://localhost:3000/@fs/app and git@github.com:a/b.git',
    'eyJ is how a JWT begins; v1.eyJhbGci.x',
  ])
    assert.equal(withoutSecrets(line), line);
});

test('keys of well-known services are hidden by their form, wherever they stand', () => {
  const forms: [beginning: string, rest: string][] = [
    ['gld_', mintKey().slice(4)],
    ['ghp_', letters(36)],
    ['ghs_', `1234_eyJ${letters(20)}.${letters(20)}.${letters(20)}`],
    ['github_pat_', `${letters(22)}_${letters(59)}`],
    ['glpat-', letters(20)],
    ['sk_live_', letters(24)],
    ['rk_test_', letters(24)],
    ['whsec_', letters(32)],
    ['sk-ant-api03-', letters(95)],
    ['sk-or-v1-', 'a1'.repeat(32)],
    ['sk-proj-', letters(80)],
    ['sk-', letters(48)],
    ['AIza', letters(35)],
    ['AKIA', 'ABCDEFGH234567AB'],
    ['xoxb-', `123456789012-${letters(24)}`],
    ['hf_', letters(34)],
    ['npm_', letters(36)],
    ['eyJ', `${letters(20)}.eyJ${letters(20)}.${letters(43)}`],
    [
      '-----BEGIN RSA PRIVATE KEY-----',
      `\n${letters(64)}\n${letters(9)}==\n-----END RSA PRIVATE KEY-----`,
    ],
    ['postgres://ada:', 'hunter22'],
  ];
  for (const [beginning, rest] of forms)
    for (const [before, after] of [
      ['', ''],
      ['key is "', '".'],
      ['\u001b[31m', '\u001b[0m'],
      ['\n', '\n'],
    ] as const) {
      const end = beginning.includes('://') ? '@db/x' : after;
      const said = `${before}${beginning}${rest}${end}`;
      assert.equal(withoutSecrets(said), `${before}${beginning}${HIDDEN}${end}`);
      const json = JSON.stringify({ said });
      assert.equal(withoutSecrets(json), JSON.stringify({ said: withoutSecrets(said) }));
    }
});

test('a private key without its end is hidden as far as it goes', () => {
  const cut = `-----BEGIN PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n`;
  assert.equal(withoutSecrets(`${cut}done`), `-----BEGIN PRIVATE KEY-----${HIDDEN}\ndone`);
});

const SECRET = 'p4ss/w+rd "x" ünd';

test('a known value is hidden as it is and as texts write it', () => {
  const hide = hiding([SECRET]);
  const json = JSON.stringify(SECRET).slice(1, -1);
  for (const form of [
    SECRET,
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).replaceAll('%20', '+'),
    encodeURIComponent(SECRET).toLowerCase(),
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    Buffer.from(SECRET).toString('hex'),
    Buffer.from(SECRET).toString('hex').toUpperCase(),
  ])
    assert.equal(hide(`it is <${form}>`), `it is <${HIDDEN}>`);
});

test('property: a secret is found, and then hidden, in each form that servers give to it', () => {
  const secret = fc
    .string({ unit: 'grapheme', minLength: 10, maxLength: 60 })
    .filter((text) => text.trim() === text && !text.includes('\n') && !text.includes('*'));
  const forms = fc.constantFrom(...Object.values(SECRET_FORMS));
  const around = fc.constantFrom('', ' ', '"', '<string>', ', ', 'key: ');
  fc.assert(
    fc.property(secret, forms, around, around, (value, form, before, after) => {
      const text = before + form(value) + after;
      return holdsSecret(text, value) && !holdsSecret(hiding([value])(text), value);
    }),
    { numRuns: 1_000 },
  );
});

test('4 MiB of what looks like the secret are looked through in little time', () => {
  for (const [part, secret] of [
    ['a', `${'a'.repeat(500)}b`],
    ['%25', `b${'%25'.repeat(300)}`],
    ['&amp;', `${'&amp;'.repeat(50)}x`],
  ] as const) {
    const text = part.repeat((4 * 1024 ** 2) / part.length);
    // Of this process alone: other tests may run beside it.
    const before = process.cpuUsage();
    assert.equal(holdsSecret(text, secret), false, part);
    const ms = process.cpuUsage(before).user / 1_000;
    assert.ok(ms < 5_000, `${part}: ${ms} ms`);
  }
});

test('not found: another secret, a part of it, and one so short that it is a word', () => {
  assert.equal(holdsSecret(`sk-other-0123456789 ${SECRET.slice(1)}`, SECRET), false);
  assert.equal(holdsSecret('the admin of admins', 'admin'), false);
  assert.equal(hiding(['admin'])('Wrong key: admin.'), 'Wrong key: ***.');
});

test('in Base64, a known value is hidden whatever stands around it', () => {
  const value = letters(40);
  const hide = hiding([value]);
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.constantFrom('base64', 'base64url'), (a, b, as) => {
      const shown = hide(Buffer.from(`${a}${value}${b}`).toString(as as 'base64'));
      assert.ok(shown.includes(HIDDEN));
      assert.ok(!Buffer.from(shown.replace(HIDDEN, ''), 'base64').includes(value.slice(3, 10)));
    }),
  );
});

test('a known value that a line break divides is hidden, plain and encoded', () => {
  const value = letters(90);
  const hide = hiding([value]);
  const base64 = Buffer.from(`user:${value}`).toString('base64');
  const folded = base64.replaceAll(/.{76}/g, '$&\n');
  assert.ok(folded.includes('\n'));
  assert.ok(!hide(folded).includes(base64.slice(60, 76)));
  assert.ok(!hide(folded.replaceAll('\n', '\r\n')).includes(base64.slice(60, 76)));
  assert.equal(hide(`a ${value.slice(0, 50)}\n${value.slice(50)} b`), `a ${HIDDEN} b`);
});

test('of a value of several lines, each line that is long enough is hidden', () => {
  const hide = hiding([`first line of it\n${letters(64)}\nx\n`]);
  assert.equal(hide(`a ${letters(64)} x`), `a ${HIDDEN} x`);
});

test('wherever a growing text ends, it shows nothing of a secret', () => {
  const key = mintKey();
  const value = 'Zq8-Wv6-Xu4-Yt2-Ps0-Rn1';
  const pem = `-----BEGIN PRIVATE KEY-----\n${letters(64)}\n${letters(30)}\n-----END PRIVATE KEY-----`;
  const hide = hiding([value]);
  const whole = `one ${key} two ${value} three ${pem} four`;
  const shown = hide(whole);
  assert.equal(shown, `one gld_*** two *** three -----BEGIN PRIVATE KEY-----*** four`);
  for (let end = 0; end <= whole.length; end += 1) {
    const now = hide(whole.slice(0, end), { growing: true });
    // Up to three characters say nothing.
    assert.ok(shown.startsWith(now.replace(/(?:Zq?8?|gl?d?|-+[A-Z ]*)$/, '')), now);
  }
});

test('a text full of beginnings takes time in proportion to its length', () => {
  const hide = hiding([SECRET]);
  for (const part of ['-----BEGIN PRIVATE KEY-----', '://', 'sk-', 'eyJ', 'p4ss'])
    hide(part.repeat(500_000 / part.length), { growing: true });
});

test('a known value is hidden however a text is cut into pieces, and what is no value is kept only until the next one', () => {
  const values = [
    letters(20),
    'abcdefgh1234',
    'cdefgh',
    'abababab',
    'two lines\nof which one is long enough',
  ];
  const hide = hidingValues(values);
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.constantFrom(...values, 'ab', '\r\n', 'cdef'), fc.string({ maxLength: 6 })),
        { maxLength: 8 },
      ),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (parts, lengths) => {
        const text = parts.join(' ');
        const pieces = hide.inPieces();
        let shown = '';
        for (let at = 0; at < text.length; ) {
          const length = lengths.next().value as number;
          shown += pieces.add(text.slice(at, at + length));
          at += length;
        }
        shown += pieces.end();
        assert.equal(shown, hide(text));
        for (const value of values) assert.ok(!shown.includes(value));
      },
    ),
  );
  const pieces = hide.inPieces();
  assert.deepEqual([pieces.add('see abc'), pieces.add('x')], ['see ', 'abcx']);
  assert.deepEqual([pieces.add('cdef'), pieces.end(), pieces.add('gh!')], ['', 'cdef', 'gh!']);
});

test('what only looks like a secret stays in a text that people act on, also a large one', async () => {
  const hide = hidingValues(['main road']);
  const text = `ghp_${letters(40)} https://a:password@b.example main roads`;
  const shown = `ghp_${letters(40)} https://a:password@b.example ***s`;
  assert.deepEqual([hide(text), await hide.large(text)], [shown, shown]);
  assert.equal(hidingValues([])(text), text);
});

test('many large values are looked for in a moment, also at the end of a text that grows', () => {
  const hide = hiding(Array.from({ length: 100 }, (_, n) => `${n} ${letters(2_000)}`));
  const text = 'an ordinary line of a log\n'.repeat(10_000);
  assert.equal(hide(text, { growing: true }), text);
});

test('a value as long as one may be is hidden, plain and in the lines of Base64, while the text grows', () => {
  const key = Array.from({ length: 2_700 }, (_, n) => `${n}:Zx`)
    .join('/')
    .slice(0, 16_384);
  const lines = (text: string) => text.replaceAll(/(.{76})/g, '$1\n');
  for (const shown of [key, lines(Buffer.from(key).toString('base64')), lines(key)])
    for (const growing of [false, true])
      assert.doesNotMatch(hiding([key])(`begin\n${shown}\nend\n`, { growing }), /Zx|Olp4|OjpaeA/);
});

test('a value of one repeated letter takes time in proportion to the text', () => {
  const hide = hiding(['a'.repeat(32_768)]);
  assert.equal(hide('a'.repeat(32_767), { growing: true }), '');
  assert.equal(hide(`${'a'.repeat(65_536)}b`, { growing: true }), `${HIDDEN}${HIDDEN}b`);
});
