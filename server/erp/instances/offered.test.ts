import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakePrograms } from '../../platform/catalog/fake-odoo.ts';
import { preparable, runnable } from './offered.ts';

const programs = [
  { version: '19.0', editions: ['community' as const, 'enterprise' as const], start: ['odoo'] },
  { version: '18.0', editions: ['community' as const], start: ['odoo'] },
];

test('nothing is run without a driver', () => {
  assert.deepEqual(runnable({ driver: 'off' }, programs), []);
});

test('commands run the versions and editions that have one', () => {
  const offered = ['19.0 community', '19.0 enterprise', '18.0 community'];
  assert.deepEqual(runnable({ driver: 'command' }, programs), offered);
});

test('dumps are prepared where a program does, and never by the fake Odoo', () => {
  const [first, ...others] = programs;
  const all = [{ ...first, version: '17.0', prepare: ['odoo'] }, ...others] as typeof programs;
  assert.deepEqual(preparable({ driver: 'command' }, all), ['17.0 community', '17.0 enterprise']);
  assert.deepEqual(preparable({ driver: 'off' }, all), []);
  assert.deepEqual(preparable({ driver: 'command' }, fakePrograms), []);
});
