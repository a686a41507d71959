import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Compile } from 'typebox/compile';
import { usdAmount } from './fields.ts';
import type { FieldKeywords } from './readers/reader.ts';
import { usdReader } from './readers/scalar.ts';

const amount = usdAmount({ minimum: 1, maximum: 10_000 });
const schema = JSON.parse(JSON.stringify(amount));
const ajv = new Ajv2020({ validateFormats: false }).compile(schema);
const typebox = Compile(schema);
const read = usdReader(amount as FieldKeywords);

test('every cent from 1.00 to 10,000.00 is valid for two validators, as number and as text, and is read exactly', () => {
  for (let cents = 100; cents <= 1_000_000; cents++) {
    const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
    for (const sent of [Number(text), text]) {
      if (!ajv(sent) || !typebox.Check(sent)) assert.fail(`the document refuses ${sent}`);
      const result = read(sent);
      if (!('value' in result) || result.value !== BigInt(cents) * 10_000n)
        assert.fail(`${sent} is read as ${JSON.stringify(result, String)}`);
    }
  }
});

test('what no validator takes is refused', () => {
  for (const sent of [0.99, 10_000.01, -1, '1.005', '1,00', '', 'x', null, true, [], {}]) {
    assert.deepEqual([ajv(sent), typebox.Check(sent)], [false, false], String(sent));
    assert.ok('error' in read(sent), String(sent));
  }
});
