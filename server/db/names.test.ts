import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { object } from '../http/input/fields.ts';
import { name, nameKey } from '../http/input/names.ts';
import { compileRequest } from '../http/input/validation.ts';
import { cloneDatabase } from '../testing/database/database.ts';
import { anyText } from '../testing/fixtures/any-text.ts';
import { rawRequest } from '../testing/harness/input.ts';

/** The rule of the API and that of the database, held against each other over all of Unicode. */

const database = await cloneDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
after(async () => {
  await client.end();
  await database.drop();
});

const read = compileRequest({ body: object({ value: name({ maxLength: 100 }) }) });
const nameOf = (value: string): string | undefined => {
  const reply = read(rawRequest({ value }));
  return reply.ok ? reply.body.value : undefined;
};

/** What the database says of each name. */
async function ask(names: string[]): Promise<{ name: string; ok: boolean; key: string }[]> {
  const { rows } = await client.query(
    `select name, is_name(name) as ok, name_key(name) as key
       from unnest($1::text[]) with ordinality as given (name, nth) order by nth`,
    [names],
  );
  return rows;
}

async function agree(names: string[]): Promise<void> {
  const taken = names.flatMap((each) => nameOf(each) ?? []);
  for (const { name, ok, key } of await ask(taken)) {
    assert.ok(ok, `the database refuses ${JSON.stringify(name)}`);
    assert.equal(key, nameKey(name), JSON.stringify(name));
  }
}

const everyCodePoint = Array.from({ length: 0x10ffff }, (_, i) => i + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

test('each character of Unicode: what the API takes the database takes, under the same key', async () => {
  const taken = everyCodePoint.filter((character) => nameOf(`a${character}b`) !== undefined);
  assert.ok(taken.length > 150_000, String(taken.length));
  // Forty in a name, each between letters that it could combine with.
  const words = Array.from({ length: Math.ceil(taken.length / 40) }, (_, i) =>
    taken.slice(i * 40, (i + 1) * 40),
  );
  await agree(words.map((characters) => `a${characters.join('a')}b`));
});

test('each character that is invisible or no character is refused by both', async () => {
  const invisible =
    /[\p{Cc}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u2800]/u;
  const refused = everyCodePoint.filter((character) => invisible.test(character));
  assert.ok(refused.length > 140_000, String(refused.length));
  for (const character of refused) assert.equal(nameOf(`a${character}b`), undefined);
  const { rows } = await client.query(
    "select each from unnest($1::text[]) each where is_name('a' || each || 'b') or is_name(each)",
    [refused],
  );
  assert.deepEqual(rows, []);
});

const part = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }) },
  { weight: 3, arbitrary: anyText({ minLength: 1, maxLength: 2 }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'ß',
      'ẞ',
      'SS',
      'İ',
      'ı',
      'I',
      'i',
      'Σ',
      'ς',
      'σ',
      'ﬁ',
      'K',
      'Ａ',
      'ａ',
      '①',
      'Ǆ',
      'ᾳ',
      'ᾼ',
      'ͅ',
      'α',
      '\u0301',
      '\u0323',
      '\u0345',
      'e',
      '\u1100',
      '\u1161',
      '\u11a8',
      '가',
      'ᏸ',
      'Ꮿ',
      'ꭰ',
      'Ა',
      'ა',
      '\u200d',
      '\ufe0f',
      '\ufe0e',
      '\u200c',
      '❤',
      '👩',
      '🏽',
      '💻',
      '1',
      '\u20e3',
      'ب',
      'می',
      'ක',
      '\u0dca',
      ' ',
      '  ',
      '\u00a0',
      '\u3000',
      '¨',
      '\u2126',
      '\u212b',
      'ŉ',
      'և',
      '℡',
      '㎏',
      'ﷺ',
      '𝐀',
      '𞤀',
      '𐲀',
    ),
  },
);

test('any text: what the API takes the database takes, under the same key', async () => {
  const texts = fc.array(fc.array(part, { minLength: 1, maxLength: 8 }), { minLength: 200 });
  await fc.assert(
    fc.asyncProperty(texts, (all) =>
      agree(all.map((parts) => parts.join('')).filter((text) => !text.includes('\0'))),
    ),
    { numRuns: 30 },
  );
});
