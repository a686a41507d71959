import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../testing/fixtures/any-text.ts';
import { parseXml, XmlError } from './xml.ts';
import {
  decodeAnswer,
  decodeCall,
  encodeAnswer,
  encodeCall,
  encodeFault,
  type Value,
} from './xml-rpc.ts';

/** Text that XML can hold: the encoder replaces the rest. */
const text = anyText().map((each) => each.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ''));

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    text,
    fc.array(tie('value')),
    fc.dictionary(text, tie('value'), { noNullPrototype: true }),
  ),
}));

test('what is encoded is decoded to the same value', () => {
  fc.assert(
    fc.property(text, fc.array(value), (method, params) => {
      const trimmed = method.trim();
      assert.deepEqual(decodeCall(encodeCall(trimmed, params)), { method: trimmed, params });
      for (const each of params)
        assert.deepEqual(decodeAnswer(encodeAnswer(each)), { value: each });
    }),
  );
  assert.deepEqual(decodeAnswer(encodeFault(3, 'a < b')), { fault: { code: 3, text: 'a < b' } });
});

test('a name is a property of the struct itself, whatever it is called', () => {
  const sent = JSON.parse('{"__proto__": {"polluted": 1}}') as Value;
  const answered = decodeAnswer(encodeAnswer(sent));
  assert.ok('value' in answered && Object.hasOwn(answered.value as object, '__proto__'));
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

const answer = (content: string) =>
  `<methodResponse><params><param><value>${content}</value></param></params></methodResponse>`;

test('numbers of every kind, and text without a type, are read', () => {
  for (const [content, expected] of [
    ['<i4>7</i4>', 7],
    ['<i8>70000000000</i8>', 70_000_000_000],
    ['<double>-1.5</double>', -1.5],
    ['plain &amp; simple', 'plain & simple'],
    ['<string><![CDATA[a<b]]></string>', 'a<b'],
    ['<dateTime.iso8601>20261102T09:00:00</dateTime.iso8601>', '20261102T09:00:00'],
    ['', ''],
  ] as const)
    assert.deepEqual(decodeAnswer(answer(content)), { value: expected });
});

test('a document type is refused, and so is any entity that XML itself does not have', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${answer('<string>&b;</string>')}`;
  for (const bad of [
    bomb,
    `<!DOCTYPE x SYSTEM "file:///etc/passwd">${answer('x')}`,
    answer('&nbsp;'),
    answer('&unknown;'),
  ])
    assert.throws(() => decodeAnswer(bad), XmlError);
});

test('depth, number of elements and length are bounded', () => {
  const deep = (times: number) => '<a>'.repeat(times) + '</a>'.repeat(times);
  assert.ok(parseXml(deep(64)));
  for (const bad of [deep(65), `<a>${'<b/>'.repeat(50_000)}</a>`, `<a>${'x'.repeat(2 ** 22)}</a>`])
    assert.throws(() => parseXml(bad), XmlError);
});

test('what is not XML-RPC is refused with an error that quotes nothing of it', () => {
  for (const bad of [
    '',
    'secret-text',
    '<html><body>secret-text</body></html>',
    '<methodResponse>',
    answer('<int>secret-text</int>'),
    answer('<int/>'),
    answer('<constructor/>'),
    answer('<__proto__/>'),
    answer('<array><secret-text/></array>'),
    '<methodResponse><params/></methodResponse>',
    '<methodResponse><fault/></methodResponse>',
  ])
    assert.throws(
      () => decodeAnswer(bad),
      (error) => error instanceof XmlError && !error.message.includes('secret'),
      bad,
    );
});
