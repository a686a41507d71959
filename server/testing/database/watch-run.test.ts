import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfServer } from './watch-run.ts';

/** A stack of frames in these files of the project, the innermost first. */
const stackOf = (...paths: string[]) =>
  paths
    .map((path) => `    at run (${new URL(`../../../${path}`, import.meta.url).href}:12:34)`)
    .join('\n');

const SENDING = ['server/testing/database/statements.ts', 'server/db/database/connection.ts'];

test('a statement is the server’s where an operation, its worker or a command has sent it', () => {
  for (const path of [
    'server/tasks/plans/approve-plan.ts',
    'server/db/hourly.ts',
    'cli/world/load.ts',
  ]) {
    const stack = stackOf(...SENDING, path, 'server/tasks/plans/approve-plan.test.ts');
    assert.equal(isOfServer(stack), true, path);
  }
});

test('one of a test or of its fixtures is not, nor one of another project', () => {
  for (const path of ['server/testing/fixtures/tenants.ts', 'server/tasks/plans/plans.test.ts']) {
    const stack = stackOf(...SENDING, path, 'server/tasks/plans/approve-plan.ts');
    assert.equal(isOfServer(stack), false, path);
  }
  assert.equal(isOfServer('    at run (file:///elsewhere/server/tasks/create-task.ts:1:2)'), false);
});
