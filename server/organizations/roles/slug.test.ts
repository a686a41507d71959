import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { roleSlug } from './slug.ts';

test('a slug is made of the letters and digits of the name', () => {
  for (const [name, slug] of [
    ['Release manager', 'release-manager'],
    ['  QA / Test -- team ', 'qa-test-team'],
    ['Prüfer Straße', 'prufer-strasse'],
    ['ＦＵＬＬ width', 'full-width'],
    ['2nd line', 'role-2nd-line'],
    ['審査員', 'role'],
    ['🚀', 'role'],
    ['Ревизор 7', 'role-7'],
  ])
    assert.equal(roleSlug(name as string, []), slug);
});

test('a taken slug gets a number, and so does that of a built-in role', () => {
  assert.equal(roleSlug('Auditor', ['auditor', 'auditor-2']), 'auditor-3');
  assert.equal(roleSlug('Admin!', []), 'admin-2');
  assert.equal(roleSlug('Öwner', ['owner-2']), 'owner-3');
  const long = 'x'.repeat(100);
  assert.equal(roleSlug(long, []).length, 50);
  assert.equal(roleSlug(long, [roleSlug(long, [])]), `${'x'.repeat(48)}-2`);
});

test('property: the slug of any name has the form that the database checks, and is not taken', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (name, count) => {
      const taken: string[] = [];
      for (let i = 0; i <= count; i++) {
        const slug = roleSlug(name, taken);
        assert.match(slug, /^[a-z][a-z0-9_-]{0,49}$/);
        assert.ok(!taken.includes(slug));
        taken.push(slug);
      }
    }),
  );
});
