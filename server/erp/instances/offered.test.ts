import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultCatalog } from '../../platform/catalog/catalog.ts';
import { runnable } from './offered.ts';

const program = { version: '19.0', editions: ['community' as const], start: ['odoo'] };
const images = ['19.0', '18.0', '17.0', '16.0'].map((version) => `${version} community`);

test('nothing is run without a driver', () => {
  assert.deepEqual(runnable({ driver: 'off' }, defaultCatalog, [program]), []);
});

test('commands run the versions that have one', () => {
  const image = { version: '18.0', editions: ['community' as const], start: [], image: 'odoo:18' };
  const offered = runnable({ driver: 'command' }, defaultCatalog, [program, image]);
  assert.deepEqual(offered, ['19.0 community']);
});

test('containers run the public images of all versions, and own images of the others', () => {
  for (const driver of ['docker', 'kubernetes'] as const) {
    assert.deepEqual(runnable({ driver }, defaultCatalog, []), images);
    const own = { version: '18.0', editions: ['enterprise' as const], start: [], image: 'own:18' };
    assert.deepEqual(runnable({ driver }, defaultCatalog, [own]), [
      '18.0 enterprise',
      ...images.filter((each) => !each.startsWith('18.0')),
    ]);
    // A program is no image, so the public one is run.
    assert.deepEqual(runnable({ driver }, defaultCatalog, [program]), images);
  }
});
