import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACTION_WORDS, wordsOf } from '../src/data/action-words.ts';
import { fieldOf, reasonOf, shownValue } from '../src/data/audit-words.ts';

/** What audit trails hold as codes is shown in words. */

const ROOT = join(import.meta.dirname, '../..');

/** The actions that the code of the server and of the command line names where it writes a row. */
async function recorded(): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const file of glob('{server,cli}/**/*.ts', { cwd: ROOT })) {
    if (/\.test\.ts$|^server\/testing\//.test(file)) continue;
    const text = await readFile(join(ROOT, file), 'utf8');
    const named = text.matchAll(
      /(?:\baction:|\bauditRow\(|\baudited\()\s*(?:\w+ \? )?'([a-z_]+(?:\.[a-z_]+)+)'/g,
    );
    for (const [, action = ''] of named) found.add(action);
  }
  return found;
}

test('every action that is recorded has words', async () => {
  const actions = await recorded();
  assert.ok(actions.size > 100, `${actions.size} were found`);
  assert.deepEqual(
    [...actions].filter((action) => !Object.hasOwn(ACTION_WORDS, action)).sort(),
    [],
  );
});

test('one that is not known yet is shown without its dots and underscores', () => {
  assert.equal(wordsOf('time_machine.start'), 'time machine start');
  assert.equal(wordsOf('constructor'), 'constructor');
});

test('reasons, fields and values are words, too', () => {
  assert.equal(reasonOf('wrong_credentials'), 'a wrong address or password');
  assert.equal(reasonOf('card_declined'), 'card declined');
  assert.equal(fieldOf('require_2fa'), 'two factors required');
  assert.equal(fieldOf('new_owner_user_id'), 'new owner user');
  const id = 'ae01af1d-83e6-46cc-aad7-7c9b5800212b';
  const values = [null, true, '', id, '2026-11-23T08:06:31.259Z', { is_active: false }, [1, 2], []];
  assert.deepEqual(values.map(shownValue), [
    'none',
    'yes',
    'none',
    'ae01af1d',
    '2026-11-23 08:06 UTC',
    'active no',
    '1, 2',
    'none',
  ]);
});
