import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressMatcher, networkOf } from './client-network.ts';

test('an IPv4 address counts for itself, also where it is written inside an IPv6 address', () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
  assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(networkOf('::FFFF:203.0.113.7'), '203.0.113.7');
});

test('IPv6 addresses of one /64 count together, however they are written', () => {
  const network = '2001:db8:0:1::/64';
  for (const address of [
    '2001:db8:0:1::',
    '2001:db8:0:1::5',
    '2001:DB8:0:1:ffff:ffff:ffff:ffff',
    '2001:0db8:0000:0001:0:0:0:9',
    '2001:db8:0:1:2::',
  ])
    assert.equal(networkOf(address), network, address);
  assert.notEqual(networkOf('2001:db8:0:2::5'), network);
  assert.equal(networkOf('2001:db8::1:0:0:5'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
});

test('what a proxy names that is no address counts as it is', () => {
  for (const text of [
    '',
    'unknown',
    '203.0.113.7:4711',
    'a:b:c:d:e:f:g:h:i:j',
    '::1::',
    '[::1]:80',
  ])
    assert.equal(networkOf(text), text);
});

test('trusted proxies are recognised by address and by network, in both families', () => {
  const trusted = addressMatcher(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', 'fd00::5']);
  for (const address of ['192.0.2.1', '10.9.9.9', '::ffff:10.1.2.3', '2001:db8:7::1', 'fd00::5'])
    assert.equal(trusted(address), true, address);
  for (const address of ['192.0.2.2', '11.0.0.1', '::ffff:11.0.0.1', '2001:db9::1', 'fd00::6'])
    assert.equal(trusted(address), false, address);
  assert.equal(addressMatcher([])('127.0.0.1'), false);
});
