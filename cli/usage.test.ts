import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { cloneDatabase } from '../api/testing/database.ts';

/** What people mistype: every answer is a sentence that says what to do, never a stack trace. */

const at = (file: string) => join(import.meta.dirname, '..', file);
const CLI = at('cli/guildhall.ts');
const FAKE = at('api/testing/doubles/fake-stripe/main.ts');
const SOAK = at('bench/soak.ts');

async function run(file: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.doesNotMatch(err, /^ {4}at |node:internal/m, 'a stack trace');
  return { code, out, err };
}

test('--help of the stand-in and of the soak tells every option', async () => {
  for (const [file, options] of [
    [FAKE, ['--port', '--webhook']],
    [SOAK, ['--minutes', '--servers', '--clients', '--json']],
  ] as const) {
    const { code, out, err } = await run(file, ['--help']);
    assert.deepEqual([code, err], [0, '']);
    for (const option of options) assert.match(out, new RegExp(`^ {2}${option}\\b.{5,}`, 'm'));
  }
});

test('a wrong option of the stand-in or of the soak is a sentence and status 2', async () => {
  const wrong: [string, string[], string][] = [
    [FAKE, ['--port', 'abc'], '--port must be a whole number from 0 to 65535, not "abc".'],
    [FAKE, ['--port', '65536'], '--port must be a whole number from 0 to 65535, not "65536".'],
    [
      FAKE,
      ['--webhook', 'there'],
      '--webhook must be an address such as http://127.0.0.1:8080/, not "there".',
    ],
    [FAKE, ['--foo'], "Unknown option '--foo'."],
    [FAKE, ['x'], "Unexpected argument 'x'."],
    [SOAK, ['--foo'], "Unknown option '--foo'."],
    [SOAK, ['--minutes', 'long'], '--minutes must be a number from 0.1 to 10080, not "long".'],
    [SOAK, ['--servers', '0'], '--servers must be a whole number from 1 to 50, not "0".'],
    [SOAK, ['--clients', '1.5'], '--clients must be a whole number from 1 to 1000, not "1.5".'],
  ];
  const outcomes = await Promise.all(wrong.map(([file, args]) => run(file, args)));
  for (const [i, [, args, sentence]] of wrong.entries()) {
    const expected = { code: 2, out: '', err: `${sentence} Add --help for usage.\n` };
    assert.deepEqual(outcomes[i], expected, args.join(' '));
  }
});

test('a port that is in use is a sentence and status 1', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const { code, out, err } = await run(FAKE, ['--port', String(port)]);
  server.close();
  assert.deepEqual([code, out], [1, '']);
  const sentence = `Port ${port} is in use: stop what uses it or choose another port; --port 0 picks a free one.\n`;
  assert.equal(err, sentence);
});

test('guildhall: an argument too many and options that exclude each other are whole sentences, status 2', async () => {
  const extra = await run(CLI, ['audit', 'ledger', 'x']);
  assert.equal(extra.code, 2);
  assert.match(
    extra.err,
    /^Too many arguments for 'ledger'\. Expected 0 arguments but got 1\. Add --help/,
  );
  const both = await run(CLI, ['reconcile', '--once', '--watch']);
  assert.deepEqual([both.code, both.out], [2, '']);
  assert.match(both.err, /^Option '--once' cannot be used with option '--watch'\. Add --help/);
});

test('reconcile --watch --json prints a line of JSON for each round, and --help says so', async () => {
  const help = await run(CLI, ['reconcile', '--help']);
  assert.match(help.out.replaceAll(/\s+/g, ' '), /with --json, print one line of JSON per round/);
  const clone = await cloneDatabase();
  after(clone.drop);
  const child = spawn(process.execPath, [CLI, 'reconcile', '--watch', '--json'], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', DATABASE_URL: clone.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    if (out.includes('\n')) child.kill('SIGTERM');
  }
  const lines = out.trimEnd().split('\n');
  for (const line of lines) assert.equal(JSON.parse(line).checked, 0);
});
