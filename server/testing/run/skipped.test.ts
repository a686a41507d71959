import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from '../fixtures/tasks/file-stores.ts';
import { until } from '../harness/until.ts';
import { isAlive } from '../processes/processes.ts';

/** What a run of the skipped tests takes, leaves alone and leaves behind. */

const COMMAND = join(import.meta.dirname, 'skipped.ts');
const RUN_GROUPS = join(import.meta.dirname, 'skipped/run-groups.ts');

/** A run that has its temporary folders in `temporary`, called from the folder `from`. */
async function start(program: string, args: string[], from: string) {
  const temporary = await temporaryFolder();
  await chmod(temporary, 0o755);
  // Where `node --test` runs this file, its processes report to that one instead.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...env, TMPDIR: temporary, INIT_CWD: from },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return {
    child,
    temporary,
    end: async () => {
      const [out, err, [status]] = await ended;
      return { out, err, status };
    },
  };
}

/** A program that runs one group, of a test file and what prepares it. */
async function programOf(folder: string, prepare: string, body: string): Promise<string> {
  const file = join(folder, 'a.test.mjs');
  await writeFile(
    file,
    `import { spawn } from 'node:child_process';
     import { mkdtempSync, writeFileSync } from 'node:fs';
     import { tmpdir } from 'node:os';
     import { test } from 'node:test';
     import { setTimeout as pause } from 'node:timers/promises';
     const note = (name, what) => writeFileSync('${folder}/' + name, String(what));
     ${body}`,
  );
  const program = join(folder, 'run.ts');
  await writeFile(
    program,
    `import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
     import { runGroups } from '${RUN_GROUPS}';
     const [, , folder] = process.argv;
     const prepare = async (place, note) => { ${prepare} };
     const groups = [{ name: 'one', files: ['${file}'], prepare }];
     process.exitCode = await runGroups(groups, { only: ['one'], folder }, 2_000);`,
  );
  return program;
}

test('a name that no group has is refused with all names, and nothing is made', async () => {
  const { temporary, end } = await start(COMMAND, ['--only', 'nonsense'], '/');
  const { out, err, status } = await end();
  assert.equal(status, 1);
  assert.equal(out, '');
  assert.match(err, /^--only must be one of redis, haproxy, .*bucket, helm.*, not "nonsense"\n$/);
  const { out: help } = await (await start(COMMAND, ['--help'], '/')).end();
  for (const name of /one of (.*), not/.exec(err)?.[1]?.split(', ') ?? [])
    assert.ok(help.includes(name), name);
  assert.deepEqual(await readdir(temporary), []);
});

test('a folder that cannot be used is refused with a sentence, and stays as it is', async () => {
  const from = await temporaryFolder();
  await chmod(from, 0o755);
  await writeFile(join(from, 'file'), 'mine');
  await mkdir(join(from, 'a:b'));
  await mkdir(join(from, 'closed'), { mode: 0o700 });
  const refusals = [
    ['file', /--folder must be a folder: .*file is none/],
    ['a:b', /--folder must not contain ":"/],
    // Only root runs programs as others.
    ...(process.getuid?.() === 0
      ? [['closed', /--folder must be where every user may enter, .*closed is closed/] as const]
      : []),
  ] as const;
  for (const [folder, expected] of refusals) {
    const run = await start(COMMAND, ['--only', 'redis', '--folder', folder], from);
    const { out, err, status } = await run.end();
    assert.equal(status, 1);
    assert.equal(out, '');
    assert.match(err, expected);
    assert.deepEqual(await readdir(run.temporary), []);
  }
  assert.equal(await readFile(join(from, 'file'), 'utf8'), 'mine');
  assert.equal((await stat(join(from, 'closed'))).mode & 0o777, 0o700);
  assert.deepEqual(await readdir(join(from, 'closed')), []);
});

test('a relative folder with spaces is made where the command was called, and alone stays', async () => {
  const from = await temporaryFolder();
  await chmod(from, 0o711);
  const program = await programOf(
    from,
    `const bin = place.folder + '/root/usr/bin';
     mkdirSync(bin, { recursive: true });
     writeFileSync(bin + '/fetched', '#!/bin/sh\\necho fetched', { mode: 0o755 });
     if (!(await place.has('fetched'))) throw new Error('it is not found');
     note('a note');
     return { GIVEN: 'given' };`,
    `test('finds it', async () => {
       const { execFileSync } = await import('node:child_process');
       note('said', execFileSync('fetched') + process.env.GIVEN);
       mkdtempSync(tmpdir() + '/guildhall-left-');
     });
     test('is not there', { skip: 'no reason' }, () => {});`,
  );
  const run = await start(program, ['a folder/with spaces'], from);
  const { out, err, status } = await run.end();
  assert.equal(status, 0, out + err);
  assert.match(
    out,
    /\none: 1 passed, 0 failed, 1 skipped \(\d+ s\)\n {2}a note\n {2}skipped: no r/,
  );
  assert.match(out, /\n {2}left behind: guildhall-left-/);
  assert.equal(await readFile(join(from, 'said'), 'utf8'), 'fetched\ngiven');
  assert.deepEqual(await readdir(join(from, 'a folder/with spaces')), ['root']);
  assert.equal((await stat(from)).mode & 0o777, 0o711);
  assert.deepEqual(await readdir(run.temporary), []);
});

test('what could not be had, a test that fails and a process that is left are no success', async () => {
  const from = await temporaryFolder();
  for (const [prepare, body, said] of [
    [`throw new Error('no such program')`, '', /\none: not run: no such program \(/],
    ['return {}', `test('is skipped', { skip: 'no' }, () => {});`, /\none: 0 passed, 0 failed, 1/],
    ['return {}', `test('fails', () => { throw new Error(); });`, /\none: 0 passed, 1 failed, 0/],
    [
      'return {}',
      `test('leaves one', () => {
         const { PATH } = process.env;
         const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore', env: { PATH } });
         child.unref();
         note('left', child.pid);
       });`,
      /\none: 1 passed, 0 failed, 0 .*\n {2}left behind, and ended: sleep 1000/,
    ],
  ] as const) {
    const run = await start(await programOf(from, prepare, body), [], from);
    const { out, status } = await run.end();
    assert.match(out, said);
    assert.equal(status, 1, out);
    assert.deepEqual(await readdir(run.temporary), []);
  }
  assert.equal(await isAlive(Number(await readFile(join(from, 'left'), 'utf8'))), false);
});

/** Interrupts a run once these files name the processes that it has started. */
async function interrupted(signal: NodeJS.Signals, prepare: string, body: string, names: string[]) {
  const from = await temporaryFolder();
  const [stubborn, ended] = [join(from, 'stubborn.sh'), join(from, 'ended')];
  await writeFile(
    stubborn,
    `trap '' INT; echo $$ > '${join(from, 'command')}'; while :; do sleep 0.1; done`,
  );
  const ending = `place.atEnd(async () => writeFileSync('${ended}', 'yes'));
    const stubborn = '${stubborn}';`;
  const run = await start(await programOf(from, ending + prepare, body), [], from);
  const begun = async (name: string): Promise<number> => {
    const said = () => readFile(join(from, name), 'utf8').catch(() => '');
    await until(name, async () => (await said()) !== '');
    return Number(await said());
  };
  const running = await Promise.all(names.map(begun));
  assert.equal((await readdir(run.temporary)).length, 1);
  run.child.kill(signal);
  const { out, status } = await run.end();
  assert.equal(status, 130, out);
  assert.match(out, /\ninterrupted: what was started has ended\n$/);
  for (const pid of running) assert.equal(await isAlive(pid), false);
  assert.equal(await readFile(ended, 'utf8'), 'yes');
  assert.deepEqual(await readdir(run.temporary), []);
}

test('Ctrl-C while something is fetched leaves no process and no folder, even of what ignores it', async () => {
  await interrupted('SIGINT', "await place.run('sh', [stubborn]);", '', ['command']);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test(`${signal} while tests run leaves no process and no folder`, async () => {
    const body = `test('goes on', async () => {
      const { PATH } = process.env;
      const begin = (detached) =>
        spawn('sleep', ['1000'], { detached, stdio: 'ignore', env: { PATH } }).pid;
      note('child', begin(false));
      note('other', begin(true));
      mkdtempSync(tmpdir() + '/guildhall-left-');
      note('test', process.pid);
      await pause(100_000);
    });`;
    await interrupted(signal, 'return {};', body, ['child', 'other', 'test']);
  });
