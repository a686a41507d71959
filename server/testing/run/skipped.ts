import { execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { PREVIOUS_COMMIT, PREVIOUS_VARIABLE } from '../database/previous-release.ts';
import { buildGitea } from '../gitea/build.ts';
import { freePort, versionOf } from '../processes/programs.ts';

/**
 * Runs the tests that `npm test` skips where a program is missing, with what the registries have.
 * Programs are unpacked into a folder, not installed: nothing of the machine changes.
 */

const HELP = `npm run test:skipped -- [--only NAME] [--folder PATH] [--help]

Fetches what some tests need and a machine often lacks, and runs exactly those tests.
Debian's programs are unpacked by apt-get and dpkg, agents come by npm, PostgreSQL 15 runs
on a free port. All of it is in a temporary folder that is removed at the end.

  --only NAME    one of: redis, haproxy, pgbouncer, postgresql, pods, images, agents, packages, gitea,
                 odoo, previous, debian, bucket
  --folder PATH  a folder to use, which then stays; a second run finds what is there
`;

const { values } = parseArgs({
  options: { help: { type: 'boolean' }, only: { type: 'string' }, folder: { type: 'string' } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const run = promisify(execFile);
const most = { maxBuffer: 64 * 1024 ** 2 };
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'guildhall-skipped-')));
await mkdir(join(folder, 'debs'), { recursive: true });
await chmod(folder, 0o755);
const root = join(folder, 'root');
const ended: (() => Promise<unknown>)[] = [];

/** Environment in which programs of the folder are found, with their libraries. */
const env: Record<string, string | undefined> = {
  ...process.env,
  PATH: [join(root, 'usr/sbin'), join(root, 'usr/bin'), process.env.PATH].join(delimiter),
  LD_LIBRARY_PATH: [
    join(root, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
    ...(process.env.LD_LIBRARY_PATH ?? '').split(delimiter).filter(Boolean),
  ].join(delimiter),
};

/** Unpacks the first of these packages that Debian has, and what it needs beyond what is installed. */
async function unpack(...names: string[]): Promise<void> {
  let missing: unknown;
  for (const name of names)
    try {
      const apt = ['-s', 'install', '--no-install-recommends', name];
      const { stdout } = await run('apt-get', apt, most);
      const wanted = [...stdout.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+)/gm)];
      const files = wanted.map(([, each, version]) => `${each}=${version}`);
      const into = await mkdtemp(join(folder, 'debs/'));
      // As root, apt-get fetches as another user, who may not write there; it then does so itself.
      if (files.length > 0) await run('apt-get', ['download', ...files], { ...most, cwd: into });
      for (const file of await readdir(into)) await run('dpkg', ['-x', join(into, file), root]);
      return;
    } catch (error) {
      missing = error;
    }
  throw new Error(`apt-get has no ${names.join(' or ')}: ${String(missing).split('\n').at(-1)}`);
}

const has = async (program: string, option = '--version'): Promise<boolean> =>
  (await run(program, [option], { env: env as NodeJS.ProcessEnv }).catch(() => undefined)) !==
  undefined;

interface Group {
  name: string;
  files: string[];
  /** Puts up what its tests need, and returns variables for them; throws what could not be had. */
  prepare(): Promise<Record<string, string | undefined>>;
}

const AGENTS = [
  'opencode-ai',
  '@agentclientprotocol/claude-agent-acp',
  '@qwen-code/qwen-code',
  '@google/gemini-cli',
  '@agentclientprotocol/codex-acp',
];

const GROUPS: Group[] = [
  {
    name: 'redis',
    files: ['server/http/shared-limits.test.ts'],
    async prepare() {
      if (!(await has('valkey-server')) && !(await has('redis-server')))
        await unpack('valkey-server', 'redis-server');
      return {};
    },
  },
  {
    name: 'haproxy',
    files: ['server/testing/system/balanced.fault.test.ts'],
    async prepare() {
      if (!(await has('haproxy', '-v'))) await unpack('haproxy');
      return {};
    },
  },
  {
    name: 'pgbouncer',
    files: ['server/testing/system/pooler.fault.test.ts'],
    async prepare() {
      if (!(await has('pgbouncer'))) await unpack('pgbouncer');
      return {};
    },
  },
  {
    name: 'postgresql',
    files: [
      'server/db/schema.test.ts',
      'server/db/names.test.ts',
      'server/db/migrate.test.ts',
      'server/db/previous-statements.test.ts',
      'server/http/input/branch-names.test.ts',
      'server/identity/sign-in/spellings.test.ts',
      'server/organizations/invitations/spellings.test.ts',
    ],
    prepare: async () => ({ GUILDHALL_TEST_DATABASE_URL: await startPostgres() }),
  },
  {
    name: 'previous',
    files: ['server/main/upgrade.fault.test.ts'],
    async prepare() {
      const into = process.env[PREVIOUS_VARIABLE] ?? (await previousRelease());
      return { [PREVIOUS_VARIABLE]: into, GUILDHALL_TEST_DATABASE_URL: await startPostgres() };
    },
  },
  {
    name: 'debian',
    files: ['deploy/debian.fault.test.ts'],
    prepare: async () => ({ GUILDHALL_TEST_DEBIAN: await startPostgres('scram-sha-256') }),
  },
  {
    name: 'bucket',
    files: ['server/platform/files/file-store.test.ts', 'server/main/backup/bucket.fault.test.ts'],
    async prepare() {
      if (await has('versitygw')) return {};
      if (!(await has('go', 'version'))) throw new Error('Go must be installed: https://go.dev');
      const bin = join(root, 'usr/bin');
      await run('go', ['install', 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'], {
        ...most,
        env: { ...process.env, GOBIN: bin },
      });
      return {};
    },
  },
  {
    name: 'pods',
    files: [
      'server/platform/pods/contract.test.ts',
      'server/platform/pods/process/escape.test.ts',
      'server/platform/pods/docker/docker.test.ts',
      'server/platform/pods/kubernetes/kubernetes.test.ts',
    ],
    async prepare() {
      if (!(await has('bwrap')))
        throw new Error('bubblewrap must be installed: apt-get install bubblewrap');
      const { GUILDHALL_TEST_PODS_IMAGE: image } = process.env;
      const engine = await run('docker', ['info']).then(
        () => true,
        () => false,
      );
      if (!engine) note('no Docker answers: its tests use a fake of its API');
      else if (image === undefined)
        note(
          'for Docker itself, name an image of deploy/agent.Dockerfile: GUILDHALL_TEST_PODS_IMAGE',
        );
      return engine && image !== undefined ? { GUILDHALL_TEST_DOCKER: '1' } : {};
    },
  },
  {
    name: 'images',
    files: [
      'deploy/engine/compose.fault.test.ts',
      'server/platform/pods/contract.test.ts',
      'server/runner/worker/remote-pods.test.ts',
      'server/runner/network/in-pod.test.ts',
      'server/main/real-packages.test.ts',
    ],
    async prepare() {
      for (const program of ['dockerd', 'mmdebstrap'])
        if (!(await has(program)))
          throw new Error('needs root and: apt-get install docker.io mmdebstrap');
      const engine = { ENGINE: join(folder, 'engine'), ENGINE_AGENTS: 'no' };
      const options = { ...most, env: { ...process.env, ...engine } };
      ended.push(() => run('deploy/engine/down.sh', options));
      await run('deploy/engine/up.sh', options);
      return {
        DOCKER_HOST: `unix://${engine.ENGINE}/docker.sock`,
        DOCKER_CONFIG: `${engine.ENGINE}/config`,
        GUILDHALL_TEST_DOCKER: '1',
        GUILDHALL_TEST_PODS_IMAGE: 'guildhall-agent-base',
        GUILDHALL_TEST_COMPOSE: '1',
        GUILDHALL_TEST_PACKAGES: '1',
      };
    },
  },
  {
    name: 'agents',
    files: ['server/runner/worker/real-agents.test.ts'],
    async prepare() {
      const into = join(folder, 'agents');
      await mkdir(into, { recursive: true });
      const got: string[] = [];
      for (const name of AGENTS)
        await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', into, name], most).then(
          () => got.push(name),
          (error) => note(`npm has no ${name}: ${String(error.stderr).trim().split('\n')[0]}`),
        );
      if (got.length === 0) throw new Error('npm has none of the agents');
      return { GUILDHALL_TEST_AGENTS: into };
    },
  },
  {
    name: 'packages',
    files: ['server/main/real-packages.test.ts'],
    async prepare() {
      for (const program of ['bwrap', 'npm', 'pip'])
        if (!(await has(program)))
          throw new Error('needs npm, Python with pip and venv, and bubblewrap');
      return { GUILDHALL_TEST_PACKAGES: '1' };
    },
  },
  {
    name: 'gitea',
    files: ['server/code/gitea/gitea.test.ts', 'server/main/real-gitea.test.ts'],
    async prepare() {
      if (!(await has('go', 'version'))) throw new Error('Go must be installed: https://go.dev');
      const into = process.env.GUILDHALL_TEST_GITEA ?? join(folder, 'gitea');
      await mkdir(into, { recursive: true });
      return { GUILDHALL_TEST_GITEA: await buildGitea(into) };
    },
  },
  {
    name: 'odoo',
    files: ['deploy/odoo-instance/real-odoo.test.ts', 'server/main/real-odoo.test.ts'],
    async prepare() {
      if (!(await has('bwrap')))
        throw new Error('bubblewrap must be installed: apt-get install bubblewrap');
      const odoo = process.env.GUILDHALL_TEST_ODOO ?? join(folder, 'odoo');
      await run('deploy/odoo-instance/install-odoo.sh', [odoo], most);
      const postgres = await startPostgres('scram-sha-256');
      const socket = new URL(postgres).searchParams.get('host') ?? '';
      const client = new pg.Client({ connectionString: postgres });
      await client.connect();
      await client.query("create role odoo login createdb createrole password 'odoo'");
      await client.end();
      const own = {
        PGHOST: socket,
        PGPORT: new URL(postgres).port,
        PGUSER: 'odoo',
        PGPASSWORD: 'odoo',
      };
      return { GUILDHALL_TEST_ODOO: odoo, ...own };
    },
  },
];

/**
 * A PostgreSQL 15 of its own, owned by an ordinary user; returns the address of its superuser. With
 * passwords it also has a socket, which the address names as `host`.
 */
async function startPostgres(auth: 'trust' | 'scram-sha-256' = 'trust'): Promise<string> {
  const installed = '/usr/lib/postgresql/15/bin';
  const unpacked = join(root, installed);
  const there = async (bin: string) =>
    (await versionOf(join(bin, 'postgres'), ['--version'])) !== undefined;
  if (!(await there(installed)) && !(await there(unpacked))) await unpack('postgresql-15');
  const bin = (await there(installed)) ? installed : unpacked;
  const data = await mkdtemp(join(folder, 'postgresql-'));
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? { uid: 65_534, gid: 65_534 } : {};
  if (asRoot) await chown(data, 65_534, 65_534);
  const port = await freePort();
  const options = [
    '-D',
    data,
    '-U',
    'postgres',
    `--auth=${auth}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  ];
  const passwords = auth === 'trust' ? [] : [`--pwfile=${join(folder, 'password')}`];
  await writeFile(join(folder, 'password'), 'postgres\n');
  const all = [...options, ...passwords, '--no-sync'];
  await run(join(bin, 'initdb'), all, { ...user, env, cwd: '/' } as object);
  const sockets = auth === 'trust' ? '' : await mkdtemp(join(folder, 'socket-'));
  if (sockets !== '') await chmod(sockets, 0o777);
  const settings = ['fsync=off', 'max_connections=300', `unix_socket_directories=${sockets}`];
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1'];
  const server = spawn(
    join(bin, 'postgres'),
    [...args, ...settings.flatMap((each) => ['-c', each])],
    {
      ...user,
      env: env as NodeJS.ProcessEnv,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const exited = new Promise((resolve) => server.once('exit', resolve));
  ended.push(async () => {
    server.kill('SIGINT');
    await exited;
  });
  for await (const line of server.stderr.iterator({ destroyOnReturn: false }))
    if (String(line).includes('ready to accept connections')) break;
  server.stderr.resume();
  if (sockets !== '')
    return `postgres://postgres:postgres@127.0.0.1:${port}/postgres?host=${sockets}`;
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** The tree of the previous release, of the history of this one, with its packages. */
async function previousRelease(): Promise<string> {
  const into = join(folder, `previous-${PREVIOUS_COMMIT.slice(0, 12)}`);
  if (await stat(join(into, 'node_modules')).catch(() => undefined)) return into;
  await mkdir(into, { recursive: true });
  const archive = join(folder, 'previous.tar');
  await run('git', ['archive', `--output=${archive}`, PREVIOUS_COMMIT]).catch((error) => {
    throw new Error(`the history has no ${PREVIOUS_COMMIT}: ${String(error.stderr).trim()}`);
  });
  await run('tar', ['-x', '-f', archive, '-C', into]);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { ...most, cwd: into });
  return into;
}

const notes: string[] = [];
const note = (text: string) => notes.push(text);

/** Runs the files; returns how many tests passed, failed and were skipped. */
async function test(files: string[], given: Record<string, string | undefined>) {
  const setup = '--test-global-setup=server/testing/database/global-setup.ts';
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', setup, ...files], {
    env: { ...env, ...given } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    process.stdout.write(chunk);
  }
  const count = (what: string) => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(out)?.[1] ?? 0);
  for (const [, reason] of out.matchAll(/^\s*﹣ .* # (.*)$/gm)) note(`skipped: ${reason}`);
  return {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped'),
  };
}

const lines: string[] = [];
let failed = 0;
try {
  for (const { name, files, prepare } of GROUPS) {
    if (values.only !== undefined && values.only !== name) continue;
    notes.length = 0;
    try {
      const counts = await test(files, await prepare());
      failed += counts.failed;
      lines.push(
        `${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
      );
    } catch (error) {
      lines.push(`${name}: not run: ${(error as Error).message}`);
    }
    for (const text of new Set(notes)) lines.push(`  ${text}`);
  }
} finally {
  for (const end of ended) await end();
  if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
}
console.log(`\n${lines.join('\n')}`);
process.exitCode = failed === 0 ? 0 : 1;
