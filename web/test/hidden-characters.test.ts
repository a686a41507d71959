import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFull } from '../src/pages/task/code/hidden-characters.ts';

test('what reorders a line or cannot be seen is shown by its number; letters, tabs and joiners are not', () => {
  assert.equal(
    inFull('if (level != "user\u202e \u2066// Check if admin\u2069'),
    'if (level != "user[U+202E] [U+2066]// Check if admin[U+2069]',
  );
  assert.equal(inFull('a\u200bdmin\u0000'), 'a[U+200B]dmin[U+0000]');
  assert.equal(inFull('line\nbreak.txt'), 'line[U+000A]break.txt');
  const kept = '\tقسم المبيعات می\u200cخواهم 👩\u200d💻\r';
  assert.equal(inFull(kept), kept);
});
