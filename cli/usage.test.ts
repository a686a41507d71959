import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cloneDatabase } from '../server/testing/database/database.ts';
import { GUILDHALL } from '../server/testing/harness/serve.ts';
import { runCommand, runProcess, runProgram } from '../server/testing/processes/command.ts';

/** What people mistype: every answer is a sentence that says what to do, never a stack trace. */

const at = (file: string) => join(import.meta.dirname, '..', file);
const FAKE = at('server/testing/fakes/fake-stripe/main.ts');
const SOAK = at('bench/soak.ts');

test('--help of the fake and of the soak tells every option', async () => {
  for (const [file, options] of [
    [FAKE, ['--port', '--webhook']],
    [SOAK, ['--minutes', '--servers', '--clients', '--json']],
  ] as const) {
    const { code, out, err } = await runProgram(file, ['--help']);
    assert.deepEqual([code, err], [0, '']);
    for (const option of options) assert.match(out, new RegExp(`^ {2}${option}\\b.{5,}`, 'm'));
  }
});

test('a wrong option of the fake or of the soak is a sentence and status 2', async () => {
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
  const outcomes = await Promise.all(wrong.map(([file, args]) => runProgram(file, args)));
  for (const [i, [, args, sentence]] of wrong.entries()) {
    const expected = { code: 2, out: '', err: `${sentence} Add --help for usage.\n` };
    assert.deepEqual(outcomes[i], expected, args.join(' '));
  }
});

test('a port that is in use is a sentence and status 1', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const { code, out, err } = await runProgram(FAKE, ['--port', String(port)]);
  server.close();
  assert.deepEqual([code, out], [1, '']);
  const sentence = `Port ${port} is in use: stop what uses it or choose another port; --port 0 picks a free one.\n`;
  assert.equal(err, sentence);
});

test('guildhall: an argument too many and options that exclude each other are whole sentences, status 2', async () => {
  const extra = await runCommand(['audit', 'ledger', 'x']);
  assert.equal(extra.code, 2);
  assert.match(
    extra.err,
    /^Too many arguments for 'ledger'\. Expected 0 arguments but got 1\. Add --help/,
  );
  const both = await runCommand(['reconcile', '--once', '--watch']);
  assert.deepEqual([both.code, both.out], [2, '']);
  assert.match(both.err, /^Option '--once' cannot be used with option '--watch'\. Add --help/);
});

test('reconcile --watch --json prints a line of JSON for each round, and --help says so', async () => {
  const help = await runCommand(['reconcile', '--help']);
  assert.match(help.out.replaceAll(/\s+/g, ' '), /with --json, print one line of JSON per round/);
  const clone = await cloneDatabase();
  after(clone.drop);
  const child = spawn(process.execPath, [GUILDHALL, 'reconcile', '--watch', '--json'], {
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

const ID = '00000000-0000-4000-8000-000000000000';
const OWNER = { '--installation': '1', '--workspace': ID, '--user': ID };

/** Every option with a value, by its command, and a value that it takes. */
const OPTIONS: Record<string, Record<string, string>> = {
  serve: { '--workers': '1' },
  import: { '--existing-users': 'match' },
  export: { '--output': 'world.json' },
  'keys create': { '--email': 'ada@example.com', '--name': 'laptop', '--expires': '90d' },
  'keys list': { '--email': 'ada@example.com' },
  'mail list': { '--status': 'dead', '--limit': '1' },
  'tasks list': { '--status': 'ready', '--workspace': ID, '--unchanged': '1h', '--limit': '1' },
  'tasks cancel': { '--wait': '1' },
  'users create': { '--email': 'ada@example.com', '--name': 'Ada' },
  'users list': { '--q': 'ada', '--limit': '1', '--after': 'ada@example.com' },
  'credits grant': {
    '--workspace': ID,
    '--user': ID,
    '--amount': '1',
    '--reason': 'a test',
    '--key': 'once',
  },
  refund: { '--top-up': ID, '--amount': '1' },
  report: { '--month': '2026-01' },
  'github connect': OWNER,
  'github disconnect': OWNER,
};

/** What `--help` of a command tells: its description, its options and its subcommands. */
async function helpOf(command: string[]) {
  const { code, out, err } = await runCommand([...command, '--help'], { env: { PORT: 'x' } });
  assert.deepEqual({ code, err }, { code: 0, err: '' }, command.join(' '));
  const listed = (section: string) => {
    const [, lines = ''] = new RegExp(`\\n${section}:\\n((?: .*\\n)+)`).exec(out) ?? [];
    return [...lines.matchAll(/^ {2}(\S+)(?:,? .*?)? {2,}\S/gm)].map(([, name = '']) => name);
  };
  return { out, options: listed('Options'), commands: listed('Commands') };
}

test('--help describes every command and every option, and needs no valid configuration', async () => {
  const leaves: string[] = [];
  const taking: [string, string[]][] = [];
  const visit = async (command: string[]): Promise<void> => {
    const { out, options, commands } = await helpOf(command);
    const [usage = '', description = ''] = out.split(/\n+/);
    assert.match(usage, new RegExp(`^Usage: guildhall ?${command.join(' ')}`));
    assert.match(description, /^\S.{10,}/, `${command.join(' ')} has no description`);
    for (const name of commands) await visit([...command, name]);
    if (commands.length > 0) return;
    leaves.push(command.join(' '));
    assert.ok(options.includes('--json'), `${command.join(' ')} has no --json`);
    const valued = [...out.matchAll(/^ {2}(--[a-z-]+) </gm)].map(([, name = '']) => name);
    if (valued.length > 0) taking.push([command.join(' '), valued.sort()]);
  };
  await visit([]);
  for (const name of ['serve', 'import', 'migrate', 'keys create', 'keys revoke', 'audit ledger'])
    assert.ok(leaves.includes(name), name);
  assert.deepEqual(
    Object.fromEntries(taking),
    Object.fromEntries(
      Object.entries(OPTIONS).map(([command, options]) => [command, Object.keys(options).sort()]),
    ),
  );
});

for (const [command, options] of Object.entries(OPTIONS))
  test(`${command}: an option that is given twice is refused before anything is done, status 2`, async () => {
    for (const [name, value] of Object.entries(options)) {
      const given = [...command.split(' '), name, value, `${name}=${value}`];
      // Nothing is begun with this configuration, should it not be refused.
      const { code, out, err } = await runCommand(given, { env: { PORT: 'x' } });
      assert.deepEqual([code, out], [2, ''], given.join(' '));
      const refused = new RegExp(`^Option '${name} <[a-z]+>' can be given only once\\. Add --help`);
      assert.match(err, refused);
    }
  });

test('an option without its value does not take the next option for it, status 2', async () => {
  const list = ['users', 'list'];
  for (const args of [
    ['--q', '--json'],
    ['--after', '--json', '--q', 'ada'],
  ]) {
    const { code, out, err } = await runCommand([...list, ...args], { env: { PORT: 'x' } });
    assert.deepEqual([code, out], [2, '']);
    const { error } = JSON.parse(err);
    assert.match(error, /^Option '--(q|after) <\w+>' needs a value before '--json'\. Add --help/);
  }
  const { err } = await runCommand([...list, '--q=--json'], { env: { PORT: 'x' } });
  assert.match(err, /PORT/);
});

test('a switch may be repeated: it says the same again', async () => {
  const { code, err } = await runCommand(['keys', 'list', '--json', '--json'], {
    env: { DATA_DIR: '/nowhere' },
  });
  assert.equal(code, 2);
  assert.match(JSON.parse(err).error, /DATA_DIR/);
});

test('no command, an unknown one, an unknown option and a missing one exit with 2', async () => {
  const { code, out, err } = await runProcess([]);
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, /^Usage: guildhall/);
  for (const args of [[], ['nonsense'], ['serve', '--fast'], ['import'], ['keys', 'create']]) {
    const { code, out, err } = await runCommand(args);
    assert.deepEqual([code, out, err.length > 0], [2, '', true], args.join(' '));
  }
});

test('a wrong configuration exits with 2 and lists every fault, as text and as JSON', async () => {
  const env = { PORT: 'x', LOG_LEVEL: 'loud', TOP_UP_MIN: '-1' };
  const { code, out, err } = await runCommand(['serve'], { env });
  assert.deepEqual({ code, out }, { code: 2, out: '' });
  const asJson = await runCommand(['serve', '--json'], { env });
  for (const name of Object.keys(env)) {
    assert.match(err, new RegExp(`^ {2}${name} `, 'm'));
    assert.ok(JSON.parse(asJson.err).error.includes(name));
  }
});

test('an unreachable database is reported in one sentence, without its password', async () => {
  const { code, err } = await runCommand(['keys', 'list'], {
    env: { DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x' },
  });
  assert.equal(code, 1);
  assert.match(
    err,
    /^PostgreSQL cannot be reached \(.*\): check that it is running, and check DATABASE_URL\.\n$/,
  );
  assert.doesNotMatch(err, /hidden/);
});

test('a PostgreSQL without the encryption that its address asks for is named, without its password', async () => {
  const clone = await cloneDatabase();
  const address = new URL(clone.url);
  address.searchParams.set('sslmode', 'verify-full');
  address.password ||= 'hidden';
  const { code, err } = await runCommand(['keys', 'list'], { env: { DATABASE_URL: address.href } });
  await clone.drop();
  assert.equal(code, 1);
  assert.match(err, /^PostgreSQL offers no encryption \(.*\), and DATABASE_URL asks for it: .*\n$/);
  assert.ok(!err.includes(address.password));
});

test('an output that cannot be written is a failure, in a sentence; one that is not read to its end is none', {
  skip: !existsSync('/dev/full') && 'there is no /dev/full',
}, () => {
  const to = (command: string) => {
    const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, GUILDHALL], {
      encoding: 'utf8',
    });
    return [status, stderr];
  };
  assert.deepEqual(to('"$0" "$1" --help > /dev/full'), [
    1,
    'Standard output cannot be written (ENOSPC).\n',
  ]);
  assert.deepEqual(to('{ "$0" "$1" --help; echo $? >&2; } | true'), [0, '0\n']);
});

test('--version prints the version of the package, and no more', async () => {
  const { version } = JSON.parse(await readFile(at('package.json'), 'utf8'));
  const { code, out, err } = await runCommand(['--version']);
  assert.deepEqual({ code, out, err }, { code: 0, out: `${version}\n`, err: '' });
});
