import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { threadMs } from '../../testing/harness/thread-time.ts';
import { usdAmount } from './fields.ts';
import { parseJson } from './json.ts';
import type { FieldKeywords } from './readers/reader.ts';
import { usdReader } from './readers/scalar.ts';

const read = usdReader(usdAmount({ minimum: 1, maximum: 10_000 }) as FieldKeywords);

/** Micro-USD of a JSON literal, or the type of its refusal. */
const amountOf = (literal: string): unknown => {
  const parsed = parseJson(Buffer.from(literal));
  assert.ok(parsed.ok, literal);
  const result = read(parsed.value);
  return 'value' in result ? result.value : result.error.type;
};

test('the words of the table', () => {
  const table: Record<string, string> = {
    decimal_type: 'null true [] {}',
    decimal_parsing:
      '"1_0" "١" "1e" "." "-" "1e99999999999999999999" "0x1" "1,0" "" "--1" "\\ufe0f1"',
    finite_number: 'NaN Infinity -Infinity 1e400 "NaN" "-inf" "Infinity" "sNaN1"',
    decimal_max_places:
      '0.001 1.005 "1.0010" "-0.001" "1e-3" 1e-7 "1e-999999999" 0.30000000000000004',
    less_than_equal: '10000.01 1e22 "1e999999999" "10000.01"',
    string_unicode: '"\\ud800" "1\\udfff"',
    greater_than_equal: '0 -0 -5 0.99 "0e-5" "-1e999999999" "0.000"',
  };
  for (const [type, literals] of Object.entries(table))
    for (const literal of literals.split(' ')) assert.equal(amountOf(literal), type, literal);
  for (const literal of [
    '1',
    '1.0',
    '"1"',
    '" +1.00\\n"',
    '"100e-2"',
    '"0.1E1"',
    '"1."',
    '"01.000000"',
  ])
    assert.equal(amountOf(literal), 1_000_000n, literal);
  assert.equal(amountOf('1e4'), 10_000_000_000n);
  assert.deepEqual(read(10001), {
    error: {
      type: 'less_than_equal',
      msg: 'Input should be less than or equal to 10000',
      ctx: { le: 10_000 },
    },
  });
});

test('every cent arrives exactly, as number and as text', () => {
  const cents = fc.integer({ min: 100, max: 1_000_000 });
  const text = fc.tuple(cents, fc.nat(4), fc.integer({ min: -2, max: 3 }));
  fc.assert(
    fc.property(text, ([n, zeros, shift]) => {
      const micro = BigInt(n) * 10_000n;
      const plain = `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`;
      assert.equal(amountOf(String(n / 100)), micro);
      assert.equal(amountOf(`"${plain}${'0'.repeat(zeros)}"`), micro);
      assert.equal(amountOf(`"${n}e-2"`), micro);
      // Moving the point by hand and back by the exponent leaves the same value.
      const digits = String(n).padStart(8, '0');
      const point = digits.length - 2 - shift;
      assert.equal(amountOf(`"${digits.slice(0, point)}.${digits.slice(point)}e${shift}"`), micro);
    }),
  );
});

test('the pattern of the document matches every text that is taken, and no other without an exponent', () => {
  const schema = usdAmount({ minimum: 1, maximum: 10_000 }) as FieldKeywords;
  const pattern = new RegExp(schema.anyOf?.[1]?.pattern as string);
  const text = fc.string({ unit: fc.constantFrom(...'01259.+-eE \t_,x٢\ufeff'), maxLength: 9 });
  const written = fc.stringMatching(pattern);
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(text, written), (one) => {
      const result = read(one);
      const error = 'error' in result ? result.error.type : undefined;
      if (error === undefined) taken++;
      const isOutOfBounds = error === 'greater_than_equal' || error === 'less_than_equal';
      if (error === undefined) assert.match(one, pattern);
      else if (pattern.test(one) && !/e/i.test(one)) assert.ok(isOutOfBounds, `${error}: ${one}`);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(taken > 100, `${taken} were taken`);
  const long = `${'9'.repeat(50_000)}x`;
  const begun = threadMs();
  assert.ok(!pattern.test(long) && !pattern.test(`.${long}`) && !pattern.test(`0.${long}`));
  assert.ok(threadMs() - begun < 1_000, 'it takes linear time');
});

test('422: a number with more digits than JavaScript holds is judged by its digits', () => {
  for (const literal of [
    '1.000000000000000000001',
    '19.9900000000000000000000000000001',
    '9999.99999999999999999999',
    '1e-400',
    '100.00000000000000000001e-1',
  ])
    assert.equal(amountOf(literal), 'decimal_max_places', literal);
  assert.equal(amountOf('99999999999999999999'), 'less_than_equal');
  assert.equal(amountOf('-99999999999999999999'), 'greater_than_equal');
  assert.equal(amountOf('1.000000000000000000000'), 1_000_000n);
  assert.equal(amountOf('0.0000000000000000000199e21'), 19_900_000n);
});
