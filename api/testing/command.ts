import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { GUILDHALL } from './serve.ts';

export type Outcome = { code: number | null; out: string; err: string };

export interface CommandOptions {
  env?: Record<string, string>;
  /** What it reads from standard input. */
  input?: string;
  cwd?: string;
}

/**
 * Runs a program of the project to its end, with no environment but `env`. It must never print a
 * stack trace.
 */
export async function runProgram(
  file: string,
  args: string[],
  { env = {}, input = '', cwd }: CommandOptions = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', ...env },
    cwd,
  });
  child.stdin.on('error', () => {}); // it may end without reading
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.doesNotMatch(err, /^ {4}at |node:internal/m, 'a stack trace');
  return { code, out, err };
}

/** Runs the command line to its end. */
export const runCommand = (args: string[], options?: CommandOptions): Promise<Outcome> =>
  runProgram(GUILDHALL, args, options);

/** What a command prints with `--json` when it succeeds. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what it must be.
export async function jsonOf(args: string[], options?: CommandOptions): Promise<any> {
  const { code, out, err } = await runCommand([...args, '--json'], options);
  assert.deepEqual({ code, err }, { code: 0, err: '' }, args.join(' '));
  return JSON.parse(out);
}
