import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasGit, isNewEnough } from './git-version.ts';

test('Git 2.38 and newer can host repositories', async () => {
  for (const old of ['git version 2.37.9', 'git version 1.99', 'hello', ''])
    assert.equal(isNewEnough(old), false, old);
  for (const fit of ['git version 2.38.0', 'git version 2.39.5 (Apple Git-154)', 'git version 3.0'])
    assert.equal(isNewEnough(fit), true, fit);
  assert.equal(await hasGit(), true, 'these tests need one');
});
