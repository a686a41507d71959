import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { removeOutside } from '../../db/embedded/outside.ts';
import type { Standing } from '../contract/tenant.ts';
import { startFakeGithub } from '../fakes/fake-github/server.ts';
import { startFakeOdoo } from '../fakes/fake-odoo/server.ts';
import { environmentOf } from '../fixtures/code/github.ts';
import { orUsage } from '../processes/arguments.ts';
import { describeWorld, makeWorld } from './world.ts';

// `npm run fuzz`: schemathesis, which knows Guildhall by its openapi.json alone, against a real
// server and a world.

const VERSION = '4.32.5';
const ROOT = join(import.meta.dirname, '../../..');
const HELP = `Usage: npm run fuzz -- [options]

Starts a server with its own data, lets schemathesis fuzz it against its openapi.json,
  and fails on any finding.

Options:
  --quick                   20 requests per operation and phase
  --max-examples <number>   requests per operation and phase (default 200)
  --seed <number>           another seed makes other requests (default 1)
  --as <caller>             owner, viewer or stranger; may be repeated (default all three)
  --operation <id>          only this operation; may be repeated (default all)
  --report <directory>      where to write reports (default .fuzz)
  --help                    this text
`;

const { values: options } = orUsage(HELP, () =>
  parseArgs({
    options: {
      'max-examples': { type: 'string', default: '200' },
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      as: { type: 'string', multiple: true, default: ['owner', 'viewer', 'stranger'] },
      operation: { type: 'string', multiple: true, default: [] },
      report: { type: 'string', default: join(ROOT, '.fuzz') },
    },
  }),
);
const most = options.quick ? 20 : Number(options['max-examples']);

const CALLERS: readonly Standing[] = ['owner', 'viewer', 'stranger'];

/** Tenants that each operation may use up, for the owner; the others are refused nearly always. */
const SPARES = 4;

const program = findProgram();
if (program === undefined) {
  process.stderr.write(`schemathesis is not installed. It needs Python 3.11 or newer:
  python3 -m venv .venv-fuzz && .venv-fuzz/bin/pip install schemathesis==${VERSION}
Then again: npm run fuzz
`);
  process.exit(2);
}
const found = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
if (!found.endsWith(` ${VERSION}`))
  say(`${found} is not ${VERSION}, the version that Guildhall was fuzzed with.`);

const directory = await mkdtemp(join(tmpdir(), 'guildhall-fuzz-'));
await chmod(directory, 0o755); // as root, PostgreSQL's own user has to pass
const dataDir = join(directory, 'data');
const github = await startFakeGithub();
const odoo = await startFakeOdoo({ watched: false });
const env = {
  ...environmentOf(github),
  PATH: process.env.PATH,
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'error',
  ERP_ALLOWED_NETWORKS: '127.0.0.1',
  ERP_ALLOW_HTTP: 'true',
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000',
  RATE_LIMIT_INVITATIONS_PER_MINUTE: '1000000',
  RATE_LIMIT_UPLOADS_PER_MINUTE: '1000000',
  RATE_LIMIT_PROBES_PER_MINUTE: '1000000',
  RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '1000000',
};

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

let server: ChildProcess | undefined;
try {
  await mkdir(options.report, { recursive: true });
  const started = await serve();
  server = started.child;
  for (const caller of options.as) await fuzz(started.url, caller);
  if (server.exitCode !== null)
    throw new Error(`the server ended unexpectedly with status ${server.exitCode}`);
  // Whatever was requested, the money must add up.
  say(guildhall(['audit', 'ledger']));
} catch (error) {
  process.stderr.write(`Fuzzing failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  if (server?.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
  await github.close();
  await odoo.close();
  await removeOutside(dataDir);
  await rm(directory, { recursive: true });
}

function findProgram(): string | undefined {
  const places = [join(ROOT, '.venv-fuzz/bin'), ...(process.env.PATH ?? '').split(delimiter)];
  return places
    .flatMap((place) => [join(place, 'schemathesis'), join(place, 'st')])
    .find((file) => existsSync(file));
}

async function serve(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'cli/guildhall.ts'), 'serve', '--json', '--no-work'],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  for await (const line of createInterface({ input: child.stdout })) {
    text += line;
    if (line === '}') break;
  }
  return { url: JSON.parse(text).url, child };
}

/**
 * Runs everything as one caller, on separate data, so that one caller's changes do not affect the
 * next. Callers that are refused nearly everything send a quarter of the requests, without warnings
 * about it.
 */
async function fuzz(url: string, caller: string): Promise<void> {
  const standing = CALLERS.find((each) => each === caller);
  if (standing === undefined)
    throw new Error(`--as must be one of ${CALLERS.join(', ')}, not "${caller}"`);
  const refused = standing !== 'owner';
  const home = join(directory, caller);
  await mkdir(home);
  for (const file of ['schemathesis.toml', 'hooks.py']) {
    await copyFile(join(import.meta.dirname, file), join(home, file));
  }
  const world = await makeWorld(env, github, { standing, spares: refused ? 1 : SPARES });
  await describeWorld(home, url, world, {
    stranger: standing === 'stranger',
    odooUrl: odoo.url,
  });
  // A stateful run may end early, when the same steps are answered otherwise than before: hence two
  // more.
  const seed = Number(options.seed);
  await run('examples,coverage,fuzzing,stateful', seed);
  for (const more of refused ? [] : [1, 2]) await run('stateful', seed + more);

  async function run(phases: string, seed: number): Promise<void> {
    const examples = String(refused ? Math.ceil(most / 4) : most);
    say(`\nAs the ${caller}: ${phases}; ${examples} examples an operation, seed ${seed}`);
    const args = ['run', `${url}/openapi.json`, '--url', url, '--checks', 'all', '--mode', 'all'];
    args.push(
      '--phases',
      phases,
      '--max-examples',
      examples,
      '--seed',
      String(seed),
      '--workers',
      '1',
    );
    args.push(
      '--report',
      'junit',
      '--report-junit-path',
      join(options.report, `${caller}-${seed}.xml`),
    );
    if (refused) args.push('--warnings', 'off');
    for (const id of options.operation) args.push('--include-operation-id', id);
    const child = spawn(program as string, args, {
      cwd: home,
      env: { ...process.env, FUZZER_KEY: world.caller.key },
      stdio: ['ignore', 'inherit', 'inherit'],
      signal: stop.signal,
    });
    const [status] = await once(child, 'exit');
    process.exitCode = Math.max(Number(process.exitCode ?? 0), status ?? 1);
  }
}

function guildhall(args: string[]): string {
  return execFileSync(process.execPath, [join(ROOT, 'cli/guildhall.ts'), ...args], {
    env,
    encoding: 'utf8',
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
