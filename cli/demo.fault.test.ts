import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../server/testing/processes/command.ts';

test('npm run demo: every answer is as expected; a merge is cloned, and an agent has used an ERP system', async () => {
  const { code, out, err } = await runProgram(join(import.meta.dirname, '../demo/demo.ts'), []);
  assert.deepEqual({ code, err }, { code: 0, err: '' }, out);
  assert.match(out, /"balance":"19\.993"/);
  assert.match(out, /^ {3}cat shop\/notes\/greeting\.md\n {3}.*greeting.*\n/m);
  assert.match(
    out,
    /I have read from the instance Throwaway instance: Odoo 19\.0[^,]*, the partner Example Ltd\./,
  );
  assert.match(out, /"total":\{[^}]*"pod_seconds":[1-9]/);
  assert.match(out, /\n\nEvery answer was as expected, and the ledger holds/);
});
