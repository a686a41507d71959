import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFiles, statementFiles, writeFiles } from '../database/statement-files.ts';
import { startGithub } from '../fixtures/code/github.ts';
import { startHarness } from '../harness/harness.ts';

const harness = await startHarness({ github: await startGithub() });

test('server/db/statements holds what each operation sends to PostgreSQL', async () => {
  const files = await statementFiles(harness);
  if (process.env.GUILDHALL_WRITE_STATEMENTS !== undefined) await writeFiles(files);
  const written = await readFiles();
  assert.deepEqual([...written.keys()].sort(), [...files.keys()].sort(), 'run `npm run sql`');
  for (const [name, text] of files)
    assert.equal(written.get(name), text, `${name} is stale: run \`npm run sql\``);
});
