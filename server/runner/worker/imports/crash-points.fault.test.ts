import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { importsOn } from '../../../testing/fixtures/code/imports.ts';
import { killedImports } from '../../../testing/fixtures/code/killed-imports.ts';
import { startHarness } from '../../../testing/harness/harness.ts';

/**
 * An import ends with the same outcome although its worker is killed with SIGKILL: before each
 * statement and each git that counts. Until it has begun to replace the first commit, the repository is as it was.
 */

const harness = await startHarness({ own: true, env: { IMPORT_ALLOW_HTTP: 'true' } });
const { project, run, refs, goOn, check } = await killedImports(harness, await importsOn(harness));

const whole = await project();
const folder = await run(whole);
const steps = readFileSync(join(folder, 'steps'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { name: string });
const placing = steps.findIndex(({ name }) => name.includes("phase = 'placing', copy_id"));

test('a worker that lives has all steps', async () => {
  await check(whole);
  assert.ok(placing > 0, JSON.stringify(steps));
});

/** Those before which the step before has changed what the next worker finds. */
const counts = (name: string, index: number): boolean =>
  name === 'git fetch' || (index >= placing && name !== 'git for-each-ref');

for (const [index, { name }] of steps.entries())
  if (counts(name, index))
    test(`killed before step ${index + 1}, ${name.slice(0, 60)}: it is imported all the same`, async () => {
      const one = await project();
      await run(one, index + 1);
      if (index <= placing)
        assert.match(await refs(one.gitDir), /^refs\/heads\/main [0-9a-f]{40}$/);
      await goOn(one);
      await check(one);
    });
