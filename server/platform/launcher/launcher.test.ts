import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../testing/harness/until.ts';
import { untilGone } from '../../testing/processes/processes.ts';
import { type Program, ProgramError, runProgram } from './launcher.ts';

const PATH = '/usr/bin:/bin';

const shell = (script: string, options: Partial<Program> = {}): Program => ({
  file: 'sh',
  args: ['-c', script],
  cwd: '/',
  env: { PATH },
  input: Buffer.alloc(0),
  timeout: 60_000,
  maxBuffer: 1_048_576,
  ...options,
});

const failureOf = async (running: Promise<Buffer>): Promise<ProgramError> => {
  const error: unknown = await running.then(
    () => assert.fail('it did not fail'),
    (failure) => failure,
  );
  assert.ok(error instanceof ProgramError, String(error));
  return error;
};

test('a program reads its input, in its folder, with its environment and no other', async () => {
  const bytes = Buffer.from([0, 255, 10, 128]);
  const printed = await runProgram(
    shell('pwd; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | sort; cat', {
      env: { PATH, OWN: 'a b' },
      input: bytes,
      cwd: '/usr',
    }),
  );
  assert.deepEqual(printed, Buffer.concat([Buffer.from(`/usr\nOWN=a b\nPATH=${PATH}\n`), bytes]));
});

test('programs run at the same time, and each gets its own output', async () => {
  const numbers = Array.from({ length: 20 }, (_, i) => i);
  const printed = await Promise.all(numbers.map((i) => runProgram(shell(`printf ${i}`))));
  assert.deepEqual(printed.map(String), numbers.map(String));
});

test('one that does not read its input succeeds all the same', async () => {
  const input = Buffer.alloc(1_000_000);
  assert.equal(String(await runProgram(shell('printf done', { input }))), 'done');
});

test('a failure has the exit code and what was printed', async () => {
  const error = await failureOf(runProgram(shell('echo some; echo wrong >&2; exit 3')));
  const { code, killed, stdout, stderr } = error;
  assert.deepEqual(
    { code, killed, stdout, stderr },
    { code: 3, killed: false, stdout: 'some\n', stderr: 'wrong\n' },
  );
});

test('a program that does not exist is ENOENT', async () => {
  const error = await failureOf(runProgram(shell('', { file: 'there-is-no-such-program' })));
  assert.equal(error.code, 'ENOENT');
});

test('one that takes too long, prints too much, or is not wanted any more is killed', async () => {
  const late = await failureOf(runProgram(shell('exec sleep 60', { timeout: 50 })));
  assert.deepEqual([late.killed, late.signal], [true, 'SIGTERM']);
  const long = await failureOf(runProgram(shell('exec yes', { maxBuffer: 1_000 })));
  assert.equal(long.code, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER');
  const abort = new AbortController();
  const running = failureOf(runProgram(shell('exec sleep 60'), abort.signal));
  abort.abort();
  const unwanted = await running;
  assert.deepEqual([unwanted.name, unwanted.code], ['AbortError', 'ABORT_ERR']);
  const already = await failureOf(runProgram(shell('exec sleep 60'), AbortSignal.abort()));
  assert.equal(already.name, 'AbortError');
});

test('when the small process is killed, its programs fail, and the next one has another', async () => {
  const parent = Number(await runProgram(shell('echo $PPID')));
  const running = runProgram(shell('exec sleep 1'));
  const failed = assert.rejects(running, /the process that starts programs has ended \(SIGKILL\)/);
  process.kill(parent, 'SIGKILL');
  await failed;
  assert.notEqual(Number(await runProgram(shell('echo $PPID'))), parent);
});

test('a process that has run programs ends by itself, and its small process with it', async () => {
  const script = `
    import { runProgram } from ${JSON.stringify(join(import.meta.dirname, 'launcher.ts'))};
    const program = ${JSON.stringify({ ...shell('echo $PPID'), input: undefined })};
    process.stdout.write(await runProgram({ ...program, input: Buffer.alloc(0) }));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  await untilGone(Number(stdout));
});

test('when the process that runs a program is killed, the program ends', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-launcher-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'pid');
  const sleeps = shell(`echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 61`);
  const script = `
    import { runProgram } from ${JSON.stringify(join(import.meta.dirname, 'launcher.ts'))};
    const program = ${JSON.stringify({ ...sleeps, input: undefined })};
    await runProgram({ ...program, input: Buffer.alloc(0) });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  const pid = () => readFile(file, 'utf8').catch(() => '');
  await until('the program runs', async () => (await pid()) !== '');
  child.kill('SIGKILL');
  await untilGone(Number(await pid()));
});
