import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fieldOf, itemsOf, rawRequest } from '../../testing/harness/input.ts';
import { object } from './fields.ts';
import { asName, name, nameFault, nameKey } from './names.ts';
import { compileRequest } from './validation.ts';

const schema = object({ value: name({ maxLength: 100 }) });
const nameOf = fieldOf(schema);
const errorOf = (value: string) =>
  itemsOf(compileRequest({ body: schema }), rawRequest({ value }))[0];

/** Code points of a text, so that a failure can be read. */
const hex = (text: string) =>
  Array.from(text, (each) => each.codePointAt(0)?.toString(16)).join(' ');

describe('names that people use', () => {
  const names = {
    'words and symbols': ['Core', 'R&D', 'C++', '#1', '…', 'Zürich', 'Ünïcödé', '½ Team', 'Ærø'],
    'other scripts': [
      'Команда',
      'Ομάδα',
      '開発チーム',
      '개발팀',
      'ทีม',
      'צוות',
      'فريق',
      'टीम',
      'ქართული',
    ],
    'Persian with a non-joiner': ['می\u200cخواهم', 'کتاب\u200cها'],
    'Indic conjuncts': ['ශ්\u200dරී ලංකා', 'र्\u200dय', 'র\u200d্যাব', 'ക്\u200cഷ', 'ന്\u200d'],
    'emoji made of several': [
      '👨\u200d👩\u200d👧\u200d👦',
      '👩🏽\u200d💻',
      '🏳\ufe0f\u200d🌈',
      '🏴\u200d☠\ufe0f',
      '❤\ufe0f\u200d🔥',
      '👁\ufe0f\u200d🗨\ufe0f',
      '🐻\u200d❄\ufe0f',
      '🧑\u200d🤝\u200d🧑',
      'Team ❤\ufe0f',
      '☎\ufe0e',
      '1\ufe0f\u20e3',
      '🇨🇭',
      '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
      '🩷',
    ],
  };
  for (const [what, all] of Object.entries(names))
    test(what, () => {
      for (const each of all) assert.equal(nameOf(each), each.normalize('NFC'), hex(each));
    });

  test('are trimmed and composed', () => {
    assert.equal(nameOf('\u3000 Cafe\u0301\u00a0'), 'Café');
  });
});

test('a name made of any text has no fault, and keeps what can be seen', () => {
  for (const [text, expected] of [
    [' Pay\u202e this\u200b ', 'Pay this'],
    ['👩\u200d💻 می\u200cخواهم', '👩\u200d💻 می\u200cخواهم'],
    ['👩\u200b\u200d💻', '👩💻'],
    ['a\u200d\u200db', 'ab'],
    ['e\u200b\u0301', 'é'],
    ['\u202e', ''],
    ['\u200b\u0301', ''],
    [' ', ''],
  ] as const) {
    assert.equal(asName(text), expected, hex(text));
    assert.equal(nameFault(asName(text)), undefined);
  }
});

describe('422', () => {
  test('a character that cannot be seen says which it is, where, and what to do', () => {
    assert.deepEqual(errorOf('T1b\u200b'), {
      type: 'character_not_allowed',
      loc: ['body', 'value'],
      msg: 'Text must not contain U+200B (character 4), which is invisible or not supported: remove it',
      input: 'T1b\u200b',
      ctx: { code_point: 'U+200B', position: 4 },
    });
    assert.deepEqual(errorOf('👨\u200d👩 \u{e0001}')?.ctx, { code_point: 'U+E0001', position: 5 });
  });
  test('nothing that can be seen', () => {
    assert.deepEqual(errorOf('\u0301')?.type, 'no_visible_character');
    assert.equal(
      errorOf('\u0301')?.msg,
      'Text must have at least one visible character: add a letter, a digit or a symbol',
    );
    assert.equal(nameOf(' \u00a0\u3000'), 'string_too_short value');
  });
  test('what only seems to be a name', () => {
    const characters = [
      '\u00ad',
      '\u034f',
      '\u061c',
      '\u115f',
      '\u1160',
      '\u17b4',
      '\u180e',
      '\u200b',
      '\u200e',
      '\u2028',
      '\u202a',
      '\u202e',
      '\u2060',
      '\u2066',
      '\u2069',
      '\u206f',
      '\u2800',
      '\u3164',
      '\ufe00',
      '\ufeff',
      '\uffa0',
      '\ufff9',
      '\ufffc',
      '\ufffe',
      '\uffff',
      '\ue000',
      '\u0378',
      '\u{1d159}',
      '\u{1d173}',
      '\u{e0020}',
      '\u{e0100}',
      '\u{10ffff}',
      '\u{1ccd6}',
    ];
    for (const character of characters)
      for (const text of [character, `T1b${character}`, `a${character}b`]) {
        // A mark at the end that trimming takes away is not refused.
        if (text.trim() === 'T1b') continue;
        if (text.trim() === '') assert.equal(nameOf(text), 'string_too_short value', hex(text));
        else assert.equal(nameOf(text), 'character_not_allowed value', hex(text));
      }
  });
  test('joiners and variation selectors where no writing has them', () => {
    for (const text of [
      'T\u200d1b',
      'T1b\u200c',
      'Core\ufe0f',
      '1\ufe0f',
      '👩\u200d',
      '👩\u200d\u200d💻',
      '\u200d💻',
      'a\u200db',
      'é\u200cé',
      '한\u200d국',
      'می\u200c',
      '\u200d\u0dca',
      'a\u200d\u094d',
      '🏴\u{e0067}\u{e0062}\u{e0078}\u{e007f}',
    ])
      assert.equal(nameOf(text), 'character_not_allowed value', hex(text));
  });
  test('control characters, lone surrogates and lengths keep their errors', () => {
    assert.equal(nameOf('a\u0007b'), 'control_characters value');
    assert.equal(nameOf('\ud800'), 'string_unicode value');
    assert.equal(nameOf('é'.repeat(101)), 'string_too_long value');
    assert.equal(nameOf('😀'.repeat(100)), '😀'.repeat(100));
  });
});

test('names that people would take for the same have one key', () => {
  const same = [
    ['Straße', 'STRASSE', 'STRAẞE', 'strasse'],
    ['Core', 'CORE', 'Ｃｏｒｅ', '𝐂𝐨𝐫𝐞', 'ⒸⓄⓇⒺ'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['Café', 'Cafe\u0301', 'CAFÉ'],
    ['ǖ\u0323', 'u\u0323\u0308\u0304', 'Ụ\u0308\u0304'],
    ['ﬁne', 'FINE'],
    ['Ångström', 'Å\u006egström', '\u212bngström'],
    ['İzmir', 'i\u0307zmir'],
    ['Team A', 'team  a', 'Team\u00a0A', 'Team\u3000A'],
    ['می\u200cخواهم', 'میخواهم'],
    ['❤', '❤\ufe0f', '❤\ufe0e'],
    ['ᾳ', 'ᾼ', 'αι'],
    ['ꭰ', 'Ꭰ'],
    ['가', '\u1100\u1161'],
  ];
  for (const names of same)
    assert.deepEqual(new Set(names.map(nameKey)).size, 1, names.map(hex).join(' | '));
});

test('names that people tell apart have keys of their own', () => {
  const names = [
    'Core',
    'Cores',
    'Co re',
    'Cöre',
    'Соре',
    'C0re',
    'Core!',
    'Isik',
    'Işık',
    '1',
    '①①',
  ];
  assert.equal(new Set(names.map(nameKey)).size, names.length);
  // No language decides: the dotless i is a letter of its own, and I is the capital of i.
  assert.notEqual(nameKey('ılgaz'), nameKey('ILGAZ'));
});

test('the key of a key is the same', () => {
  for (const each of ['Straße', 'ᾼΙ', 'İ', 'ﷺ', '℡ ①', 'ŉ', 'ẚ', 'ǅ'])
    assert.equal(nameKey(nameKey(each)), nameKey(each), hex(each));
});
