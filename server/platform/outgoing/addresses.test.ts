import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mayConnect } from './addresses.ts';

const REFUSED = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.9.9',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '192.0.2.1',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.88.99.1',
  '168.63.129.16',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '100::1',
  '5f00::1',
  '3fff::1',
  '4000::1',
  '2130706433',
  '0x7f.1',
  '017700000001',
  'localhost',
  '',
  '127.1',
  '8.8.8.8:80',
];
const PUBLIC = ['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::200e'];

test('only addresses of the public internet may be connected to', () => {
  const may = mayConnect([]);
  assert.deepEqual(REFUSED.filter(may), []);
  assert.deepEqual(PUBLIC.filter(may), PUBLIC);
});

test('networks that are opened are opened, and none beside them', () => {
  const may = mayConnect(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
  assert.deepEqual(
    ['10.1.255.9', '127.0.0.1', 'fd00:ec2::254', '10.2.0.1', '127.0.0.2', 'fc00::1'].map(may),
    [true, true, true, false, false, false],
  );
  // The mapped form is not the address: what it reaches depends on the system.
  assert.equal(may('::ffff:10.1.0.1'), false);
});

test('property: no spelling of a refused IPv4 address inside IPv6 is let through', () => {
  const may = mayConnect([]);
  const byte = fc.integer({ min: 0, max: 255 });
  const prefixes = ['::ffff:', '::', '64:ff9b::', '::ffff:0:'];
  fc.assert(
    fc.property(byte, byte, byte, byte, (a, b, c, d) =>
      prefixes.every((prefix) => !may(`${prefix}${a}.${b}.${c}.${d}`)),
    ),
  );
});
