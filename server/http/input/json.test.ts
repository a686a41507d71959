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

test('numbers come back digit by digit', () => {
  for (const text of [
    '99999999999999999999',
    '-9007199254740993',
    '[1.000000000000000000001,{"a":[0.1000000000000000055511151231257827]}]',
    '1e-400',
    '123456789012345678e10',
  ]) {
    const parsed = parseJson(Buffer.from(text));
    assert.ok(parsed.ok);
    assert.equal(JSON.stringify(parsed.value), text);
  }
});

test('what JavaScript holds is a plain number, however it is written', () => {
  for (const [text, value] of [
    ['1.00000000000000000000', 1],
    ['100000000000000000000e-20', 1],
    ['9007199254740992', 2 ** 53],
    ['0.30000000000000004', 0.1 + 0.2],
    ['0.0000000000000000', 0],
    ['1e21', 1e21],
    ['1e100', 1e100],
    ['5e-324', 5e-324],
  ] as const)
    assert.deepEqual(parseJson(Buffer.from(text)), { ok: true, value }, text);
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
