import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings, SETTINGS } from './settings.ts';

test('the table of docs/operations.md has every setting in order, its default and a meaning', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const [, table = ''] = /\n\| Variable \|.*\n\|---.*\n((?:\|.*\n)+)/.exec(docs) ?? [];
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [, name = row, shown, meaning] = /^\| `(\w+)` \| (.+?) \| (.+) \|$/.exec(row) ?? [];
      return { name, shown, meaning };
    });
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(SETTINGS),
  );
  for (const { name, shown } of rows) {
    const setting = SETTINGS[name as keyof typeof SETTINGS];
    // Where there is no fixed default, the table says in words what happens.
    if ('fallback' in setting) assert.equal(shown, `\`${setting.fallback}\``, name);
  }
  const levels = SETTINGS.LOG_LEVEL.reader.mustBe.replace('one of ', '');
  const { meaning } = rows.find(({ name }) => name === 'LOG_LEVEL') ?? {};
  assert.equal(meaning?.replaceAll('`', ''), levels);
});

test('every default is a value that the setting accepts', () => {
  const faults: string[] = [];
  const values = readSettings({}, faults);
  assert.deepEqual(faults, []);
  for (const [name, setting] of Object.entries(SETTINGS))
    if ('fallback' in setting)
      assert.notEqual(values[name as keyof typeof values], undefined, name);
});
