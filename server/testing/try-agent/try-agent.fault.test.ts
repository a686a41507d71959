import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SHARED_DIR } from '../../db/embedded/os-user.ts';
import { AGENTS, installed } from '../fixtures/runner/installed-agents.ts';
import { withoutSandbox } from '../fixtures/runner/pods.ts';
import { doubtOf } from './doubt.ts';
import { withoutNpm } from './pods-npm.ts';
import { ASKED, MISSING, UNLISTED } from './project.ts';
import { NAMES } from './trial.ts';
import type { tryOut } from './try-out.ts';

/**
 * `npm run agents:try`: what it refuses, and the way of a task, with the agent that needs no model
 * and with each real one that is installed.
 */

const { PATH, GUILDHALL_TEST_AGENTS } = process.env;

const tried = (...args: string[]) =>
  new Promise<{ code: number; out: string; errors: string }>((resolve) => {
    const env = { PATH, GUILDHALL_TEST_AGENTS, ANTHROPIC_API_KEY: '' };
    const main = join(import.meta.dirname, 'main.ts');
    const child = execFile(process.execPath, [main, ...args], { env }, (_error, out, errors) =>
      resolve({ code: child.exitCode ?? -1, out, errors }),
    );
  });

const resultOf = async (...args: string[]): Promise<Awaited<ReturnType<typeof tryOut>>> => {
  const { code, out, errors } = await tried(...args, '--json');
  assert.deepEqual([code, errors], [0, ''], out);
  return JSON.parse(out);
};

/** What is the same whoever the agent is. */
function isWhole({ ok, steps, turns, counted, asked }: Awaited<ReturnType<typeof resultOf>>) {
  assert.equal(ok, true);
  assert.deepEqual(
    steps.map(({ step }) => step),
    [
      'first push',
      'plan',
      'changed plan',
      'build',
      'pull request',
      'checks',
      'fix',
      'checks again',
      'merge',
    ],
  );
  assert.deepEqual(
    steps.filter(({ step }) => step.startsWith('checks')).map(({ seen }) => seen),
    ['failed', 'passed'],
  );
  assert.deepEqual(
    turns.map(({ kind, state }) => `${kind} ${state}`),
    ['plan done', 'plan done', 'build done', 'prompt done'],
  );
  // Two packages, each with its description and its content, for the setups of two checks, too.
  assert.ok(counted.setup >= 4 && counted.checks >= 8, JSON.stringify(counted));
  assert.ok(asked >= counted.setup + counted.checks, String(asked));
}

test('what is missing is named before anything begins', async () => {
  for (const [args, sentence] of [
    [[], /--agent must be one of opencode, claude, codex, qwen, gemini or sandbox/],
    [['--agent', 'claude'], /There is no key: set ANTHROPIC_API_KEY, or name another variable/],
    [['--agent', 'claude', '--key-env', 'PATH'], /--model is missing/],
    [['--agent', 'sandbox', '--minutes', 'soon'], /--minutes must be a whole number from 1/],
    [['--agent', 'sandbox', '--minutes', '0'], /--minutes must be a whole number from 1/],
  ] as const) {
    const { code, out, errors } = await tried(...args);
    assert.match(errors, sentence);
    assert.deepEqual([code, out], [2, '']);
  }
});

test('a merge without a file, and a request that no proxy has counted, are no success', () => {
  const counted = { setup: 5, agent: 12, checks: 10 };
  const merged = { [ASKED]: 'Hello.\n', [MISSING]: '- Hello.\n' };
  const good = { confined: true, counted, merged, asked: 27 };
  assert.equal(doubtOf(good), undefined);
  assert.equal(
    doubtOf({ ...good, merged: { ...merged, [MISSING]: undefined } }),
    `What was merged does not have ${MISSING}.`,
  );
  const past = { ...good, asked: 28 };
  assert.match(doubtOf(past) ?? '', /asked 28 times, and the proxies have counted 27/);
  assert.equal(doubtOf({ ...past, confined: false }), undefined);
  const nothing = { ...good, counted: { setup: 0, agent: 0, checks: 0 }, asked: 0 };
  assert.match(doubtOf(nothing) ?? '', /installed through the proxy for setup and checks\.$/);
});

test('npm that pods do not find is named', () => {
  assert.match(
    withoutNpm('/nowhere:/bin/none') ?? '',
    /^npm must be in one .*: \/nowhere:\/bin\/none\.$/,
  );
});

test('an agent is found through links, and what its program needs is readable in a pod', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'guildhall-trial-')));
  const modules = join(folder, 'my agents/lib/node_modules');
  await mkdir(join(modules, 'qwen'), { recursive: true });
  await writeFile(join(modules, 'qwen/cli.js'), '', { mode: 0o755 });
  const qwen = AGENTS.find(({ program }) => program === 'qwen');
  assert.ok(qwen);
  try {
    // As npm installs it in a folder, and with --global.
    await mkdir(join(modules, '.bin'));
    await symlink('../qwen/cli.js', join(modules, '.bin/qwen'));
    await symlink(join(folder, 'my agents'), join(folder, 'link'));
    const local = installed(qwen, [join(folder, 'link/lib')]);
    assert.equal(local?.command, join(modules, '.bin/qwen'));
    assert.deepEqual(local?.readable, [modules]);
    const bin = join(folder, 'my agents/bin');
    await mkdir(bin);
    await symlink('../lib/node_modules/qwen/cli.js', join(bin, 'qwen'));
    process.env.PATH = join(folder, 'link/bin');
    const all = installed(qwen, []);
    assert.deepEqual([all?.command, all?.readable], [join(bin, 'qwen'), [modules, bin]]);
  } finally {
    process.env.PATH = PATH;
    await rm(folder, { recursive: true });
  }
});

const noNpm = withoutNpm();

test('the sandbox agent goes from a message to a merge, with a changed plan and a check that is fixed', {
  skip: noNpm,
}, async () => {
  const result = await resultOf('--agent', 'sandbox');
  isWhole(result);
  assert.deepEqual([result.cost_usd, result.counted.agent], [0.014, 0]);
  assert.deepEqual(Object.keys(result.merged), [ASKED, MISSING]);
  assert.deepEqual(new Set(result.refused), new Set([`checks: ${UNLISTED}`]));
});

for (const [moment, how] of [
  ['a server begins', 'SIGINT'],
  ['first push', 'SIGINT'],
  ['changed plan', 'SIGINT'],
  ['first push', 'no reader'],
] as const)
  test(`${how} after "${moment}" ends the trial, and leaves nothing of it`, {
    skip: noNpm,
  }, async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'guildhall-trial-')));
    await chmod(folder, 0o755); // as root, PostgreSQL and the users of pods have to pass
    const main = join(import.meta.dirname, 'main.ts');
    const env = { PATH, TMPDIR: folder };
    const child = spawn(process.execPath, [main, '--agent', 'sandbox'], { env });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
      if (!out.includes(moment)) return;
      if (how === 'SIGINT') child.kill(how);
      else child.stdout.destroy();
    });
    const [code] = await once(child, 'close');
    const signal = how === 'SIGINT' ? how : 'SIGHUP';
    assert.equal(code, 128 + constants.signals[signal]);
    assert.match(errors, /^(SIG\w+): the trial ends, .*\n\1 ended .* Nothing of it is left\.\n$/);
    assert.ok(errors.startsWith(signal), errors);
    assert.deepEqual(await readdir(folder), []);
    const outside = await readdir(SHARED_DIR).catch(() => []);
    const origins = outside.filter((name) => name.endsWith('.origin'));
    for (const name of origins) {
      const origin = await readFile(join(SHARED_DIR, name), 'utf8').catch(() => '');
      assert.ok(!origin.startsWith(folder), name);
    }
    await rm(folder, { recursive: true });
  });

const unconfined = await withoutSandbox();
for (const agent of AGENTS) {
  const missing = installed(agent) === undefined && `${agent.program} is not installed`;
  const [name = ''] = Object.entries(NAMES).find(([, id]) => id === agent.id) ?? [];
  test(`${name} installs packages through the proxy, runs tests, and fixes the one that fails`, {
    skip: missing || unconfined || noNpm,
  }, async () => {
    const result = await resultOf('--agent', name, '--scripted');
    isWhole(result);
    const { merged, turns, confined, refused, counted, asked, answers = 0, cost_usd } = result;
    assert.deepEqual(merged, { [ASKED]: 'Hello.\n', [MISSING]: '- It says hello.\n' });
    // It has read what its shell has printed.
    assert.match(turns[2]?.said ?? '', /1 passed, 1 failed\.$/);
    assert.match(turns[3]?.said ?? '', /2 passed, 0 failed\.$/);
    assert.equal(confined, true);
    // In two turns. Nothing has reached the registry by another way.
    assert.ok(counted.agent >= 8, JSON.stringify(counted));
    assert.equal(counted.setup + counted.agent + counted.checks, asked);
    for (const purpose of ['agent', 'checks'])
      assert.ok(refused.includes(`${purpose}: ${UNLISTED}`), String(refused));
    assert.equal(cost_usd, (answers * 2) / 1_000);
  });
}
