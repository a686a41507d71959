import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

/** `npm run agents:try`: what it refuses, and the way of a task with the agent that needs no model. */

const tried = (...args: string[]) =>
  new Promise<{ code: number; out: string; errors: string }>((resolve) => {
    const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: '' };
    const main = join(import.meta.dirname, 'main.ts');
    const child = execFile(process.execPath, [main, ...args], { env }, (_error, out, errors) =>
      resolve({ code: child.exitCode ?? -1, out, errors }),
    );
  });

test('what is missing is named before anything begins', async () => {
  for (const [args, sentence] of [
    [[], /--agent must be one of opencode, claude, codex, qwen, gemini or sandbox/],
    [['--agent', 'claude'], /There is no key: set ANTHROPIC_API_KEY, or name another variable/],
    [['--agent', 'claude', '--key-env', 'PATH'], /--model is missing/],
  ] as const) {
    const { code, out, errors } = await tried(...args);
    assert.match(errors, sentence);
    assert.deepEqual([code, out], [2, '']);
  }
});

test('the sandbox agent goes from a message to a merge, with a changed plan', async () => {
  const { code, out, errors } = await tried('--agent', 'sandbox', '--json');
  assert.deepEqual([code, errors], [0, '']);
  const { ok, steps, turns, cost_usd } = JSON.parse(out);
  assert.deepEqual(
    steps.map(({ step }: { step: string }) => step),
    ['plan', 'changed plan', 'build', 'pull request', 'merge'],
  );
  assert.deepEqual(
    turns.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`),
    ['plan done', 'plan done', 'build done'],
  );
  assert.deepEqual([ok, cost_usd], [true, 0.009]);
});
