import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListed, readAuthority, readPattern, readPublicPattern } from './host-pattern.ts';

test('patterns have one spelling: lower case, IDNA, without a dot at the end', () => {
  const spelled: [string, string][] = [
    ['Registry.Example', 'registry.example'],
    ['registry.example.', 'registry.example'],
    ['*.Example.com', '*.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['registry.example:8443', 'registry.example:8443'],
    ['10.0.0.1:80', '10.0.0.1:80'],
    ['[::1]:80', '[::1]:80'],
    ['0x7f.1', '127.0.0.1'],
  ];
  assert.deepEqual(
    spelled.map(([text]) => readPattern(text)),
    spelled.map(([, canonical]) => canonical),
  );
});

test('what names no host is no pattern', () => {
  for (const text of [
    '',
    '*',
    '*.',
    '*.com',
    '*.10.0.0.1',
    'a.*.com',
    '**.a.com',
    'http://a.com',
    'a.com/',
    'a.com:0',
    'a.com:65536',
    'a.com:x',
    'u@a.com',
    'a b.com',
    'a..com',
    '.a.com',
    '-a.com',
    'a%2ecom',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(130)}com`,
    'a.com\n',
  ])
    assert.equal(readPattern(text), undefined, text);
});

test('a list that is not the operator’s has names and the ports 443 and 80 alone', () => {
  const all = ['a.com', '*.a.com:443', 'a.com:80', 'a.com:22', '10.0.0.1', '2130706433', '[::1]'];
  assert.deepEqual(all.map(readPublicPattern), [
    'a.com',
    '*.a.com:443',
    'a.com:80',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a host is listed by its name, its port and the names above it', () => {
  const patterns = new Set(['a.com', '*.b.com', 'c.com:8080', '*.d.com:80', '10.0.0.1']);
  const listed = (text: string) =>
    isListed(patterns, { port: 443, host: '', ...readAuthority(text) });
  for (const text of ['a.com', 'A.COM.', 'a.com:80', 'x.b.com', 'y.x.b.com', 'c.com:8080'])
    assert.equal(listed(text), true, text);
  for (const text of ['x.d.com:80', '10.0.0.1', '0x0a.1']) assert.equal(listed(text), true, text);
  for (const text of ['b.com', 'xb.com', 'a.com.evil.com', 'x.a.com', 'a.com:22', 'c.com'])
    assert.equal(listed(text), false, text);
  for (const text of ['x.d.com', '10.0.0.2', '1.10.0.0.1']) assert.equal(listed(text), false, text);
});
