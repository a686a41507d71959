import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentions } from './mentions.ts';

test('a name is mentioned where a host would call it, and not where another name begins like it', () => {
  for (const text of [
    '@boss do it',
    'Do it, @Boss.',
    '(@boss)',
    "@boss's",
    '@boss, please',
    'so\n@boss',
  ])
    assert.equal(mentions(text, 'boss'), true, text);
  for (const text of ['boss', '@boss.two', '@boss-two', '@boss_two', '@bosses', 'a@boss', '@@boss'])
    assert.equal(mentions(text, 'boss'), false, text);
  assert.equal(mentions('@boss.two do it', 'boss.two'), true);
  assert.equal(mentions('@guildhall[bot] do it', 'guildhall'), true);
});
