import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../../cli/program.ts';
import { GUILDHALL } from '../harness/serve.ts';

const STACK = /^ {4}at |node:internal/m;

export type Outcome = { code: number | null; out: string; err: string };

interface CommandOptions {
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
  assert.doesNotMatch(err, STACK, 'a stack trace');
  return { code, out, err };
}

/** Runs the command line to its end in a process of its own: for what a process alone shows. */
export const runProcess = (args: string[], options?: CommandOptions): Promise<Outcome> =>
  runProgram(GUILDHALL, args, options);

/**
 * Runs the command line to its end in this process, which spares a test the start of another one,
 * with no environment but `env`. It must never print a stack trace.
 */
export async function runCommand(
  args: string[],
  { env = {}, input = '' }: Omit<CommandOptions, 'cwd'> = {},
): Promise<Outcome> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await run(args, {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', ...env },
    stdin: Readable.from(input),
    stdout,
    stderr,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  assert.doesNotMatch(err, STACK, 'a stack trace');
  return { code, out, err };
}

/** What a command prints with `--json` when it succeeds. */
// biome-ignore lint/suspicious/noExplicitAny: the tests say what it must be.
export async function jsonOf(args: string[], options?: CommandOptions): Promise<any> {
  const { code, out, err } = await runCommand([...args, '--json'], options);
  assert.deepEqual({ code, err }, { code: 0, err: '' }, args.join(' '));
  return JSON.parse(out);
}
