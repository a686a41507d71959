import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { localPath, withParameter } from './return-to.ts';

test('paths of pages are kept, with their query and fragment', () => {
  for (const path of [
    '/',
    '/projects/7',
    '/a?b=c&d=%2F%2Fevil.example',
    '/a#b',
    '/%2fevil.example',
  ])
    assert.equal(localPath(path, '/else'), path);
  assert.equal(withParameter('/a?b=c#d', 'error', 'x y'), '/a?b=c&error=x+y#d');
});

test('whatever could lead elsewhere is not followed', () => {
  const bad = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '',
    ' /a',
    '/\t/evil.example',
    '/\n/evil.example',
    '\u0000/a',
    '/a\u0085b',
    '/..//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/auth/sign-out',
    '/AUTH/x',
    '/api/account',
    '/git/x',
    '/webhooks/a',
    `/${'a'.repeat(1000)}`,
  ];
  for (const text of bad) assert.equal(localPath(text, '/else'), '/else', text);
  assert.equal(localPath(undefined, '/else'), '/else');
});

test('property: it stays at this server, however it is written', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '%2f',
    '%5c',
    '@',
    ':',
    'evil.example',
    '\t',
    '?',
    '#',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const { origin } = new URL(localPath(pieces.join(''), '/'), 'https://guildhall.example');
      assert.equal(origin, 'https://guildhall.example');
    }),
  );
});
