import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJson, UnreadableBody } from './json.ts';

const malformed = (text: string) => {
  const parsed = parseJson(Buffer.from(text));
  return parsed.ok ? assert.fail(`accepted: ${text}`) : parsed;
};

describe('what is accepted', () => {
  test('UTF-16 with and without BOM, UTF-8 with BOM', () => {
    const little = Buffer.from('{"é":1}', 'utf16le');
    const big = Buffer.from(little).swap16();
    const boms = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])] as const;
    for (const bytes of [
      little,
      big,
      Buffer.concat([boms[0], little]),
      Buffer.concat([boms[1], big]),
    ])
      assert.deepEqual(parseJson(bytes), { ok: true, value: { é: 1 } });
    assert.deepEqual(parseJson(Buffer.from('\ufeff1')), { ok: true, value: 1 });
    assert.deepEqual(parseJson(Buffer.from('1\0', 'latin1')), { ok: true, value: 1 });
  });
  test('64 levels, and brackets in strings do not count', () => {
    assert.ok(parseJson(Buffer.from('['.repeat(64) + ']'.repeat(64))).ok);
    assert.ok(parseJson(Buffer.from(JSON.stringify(`\\"${'['.repeat(99)}`))).ok);
  });
});

describe('400: what cannot be read', () => {
  const unreadable = {
    'not UTF-8': Buffer.from([0x22, 0xff, 0x22]),
    'UTF-32': Buffer.from([0, 0, 0, 0x31]),
    'UTF-32 little': Buffer.from([0x31, 0, 0, 0]),
    'UTF-32 BOM': Buffer.from([0xff, 0xfe, 0, 0, 0x31, 0, 0, 0]),
    'half a UTF-16 unit': Buffer.from([0xff, 0xfe, 0x31]),
    '65 levels': Buffer.from('[{"a":'.repeat(33)),
  };
  for (const [name, bytes] of Object.entries(unreadable))
    test(name, () => assert.throws(() => parseJson(bytes), UnreadableBody));
});

describe('422', () => {
  test('malformed JSON says where, and constants count only where a value stands', () => {
    assert.deepEqual(malformed('{}x').loc, ['body', 2]);
    assert.deepEqual(malformed(' ').loc, ['body', 1]);
    for (const text of [
      '{"a":1NaN}',
      '[-NaN]',
      '[NaN1]',
      '[NaNNaN]',
      '[+Infinity]',
      '"NaN',
      '["\\',
      'NaN x',
    ])
      assert.equal(malformed(text).error.type, 'json_invalid');
    assert.deepEqual(parseJson(Buffer.from('{"a":"NaN \\"NaN","b":[-Infinity]}')), {
      ok: true,
      value: { a: 'NaN "NaN', b: [-Infinity] },
    });
  });
});
