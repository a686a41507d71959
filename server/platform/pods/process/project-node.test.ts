import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { makePod, makePods, run, shell } from '../../../testing/fixtures/runner/pods.ts';
import { SYSTEM_PATH } from './sandbox.ts';

/** The Node.js of a project is that of the machine, if it has one; an agent's is the server's. */

test('commands find the Node.js of the machine first, and `node` itself is that of the server', async (t) => {
  const pod = await makePod(await makePods(t));
  const own = SYSTEM_PATH.split(':')
    .map((folder) => `${folder}/node`)
    .find((path) => existsSync(path));
  const { stdout } = await shell(pod, 'command -v node');
  assert.equal(stdout.trim(), own ?? process.execPath);
  const started = { command: 'node', args: ['-p', 'process.version'], tree: 'writable' } as const;
  assert.equal((await run(pod, started)).stdout.trim(), process.version);
});
