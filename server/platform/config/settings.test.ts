import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings, SETTINGS } from './settings.ts';

test('the table of docs/operations.md shows every setting, its default and its meaning', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const [, table = ''] = /\n\| Variable \|.*\n\|---.*\n((?:\|.*\n)+)/.exec(docs) ?? [];
  const expected = Object.entries(SETTINGS).map(
    ([name, { shownDefault, meaning }]) => `| \`${name}\` | ${shownDefault} | ${meaning} |\n`,
  );
  assert.equal(
    table,
    expected.join(''),
    'change the sentence in server/platform/config/settings.ts, then here',
  );
});

test('every default is a value that the setting accepts', () => {
  const faults: string[] = [];
  const values = readSettings({}, faults);
  assert.deepEqual(faults, []);
  for (const [name, setting] of Object.entries(SETTINGS))
    if ('fallback' in setting)
      assert.notEqual(values[name as keyof typeof values], undefined, name);
});
