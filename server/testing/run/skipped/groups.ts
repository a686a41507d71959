import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rename, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { PREVIOUS_COMMIT, PREVIOUS_VARIABLE } from '../../database/previous-release.ts';
import { buildGitea } from '../../gitea/build.ts';
import { freePort } from '../../processes/programs.ts';
import { providePgBouncer } from './pgbouncer.ts';
import { type Place, ROOT } from './place.ts';
import { startPostgres } from './postgres.ts';
import type { Group } from './run-groups.ts';

const AGENTS = [
  'opencode-ai',
  '@anthropic-ai/claude-code',
  '@agentclientprotocol/claude-agent-acp',
  '@qwen-code/qwen-code',
  '@google/gemini-cli',
  '@agentclientprotocol/codex-acp',
];

const VERSITYGW = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.18.6';
const NO_KUBECTL = 'kubectl must be installed: https://kubernetes.io/docs/tasks/tools';
const NO_GO = 'Go must be installed: https://go.dev';
const NO_BUBBLEWRAP = 'bubblewrap must be installed: apt-get install bubblewrap';

/** The tests that `npm test` skips where something is missing, by what that is. */
export const GROUPS: readonly Group[] = [
  {
    name: 'redis',
    files: ['server/http/shared-limits.test.ts'],
    async prepare(place) {
      if (!(await place.has('valkey-server')) && !(await place.has('redis-server')))
        await place.unpack('valkey-server', 'redis-server');
      return {};
    },
  },
  {
    name: 'haproxy',
    files: ['server/testing/system/balanced.fault.test.ts'],
    async prepare(place) {
      if (!(await place.has('haproxy', '-v'))) await place.unpack('haproxy');
      return {};
    },
  },
  {
    name: 'exim',
    files: ['server/platform/mail/real-mail-server.test.ts'],
    async prepare(place) {
      if (!(await place.has('bwrap'))) throw new Error(NO_BUBBLEWRAP);
      await place.unpack('exim4-daemon-light');
      return {};
    },
  },
  {
    name: 'pgbouncer',
    files: ['server/testing/system/pooler.fault.test.ts'],
    async prepare(place) {
      await providePgBouncer(place);
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
    prepare: async (place) => ({ GUILDHALL_TEST_DATABASE_URL: (await startPostgres(place)).url }),
  },
  {
    name: 'previous',
    files: ['server/main/upgrade.fault.test.ts'],
    async prepare(place) {
      const into = process.env[PREVIOUS_VARIABLE] ?? (await previousRelease(place));
      const { url, bin } = await startPostgres(place);
      // Its programs dump and restore; those of another version might not.
      const PATH = [bin, place.env.PATH].join(delimiter);
      return { [PREVIOUS_VARIABLE]: into, GUILDHALL_TEST_DATABASE_URL: url, PATH };
    },
  },
  {
    name: 'debian',
    files: ['deploy/debian.fault.test.ts'],
    async prepare(place) {
      if (process.getuid?.() !== 0)
        throw new Error('only root can follow docs/operations/debian.md');
      for (const program of ['unshare', 'nsenter', 'runuser', 'psql', 'systemctl', 'git', 'bwrap'])
        if (!(await place.has(program)))
          throw new Error(
            `${program} is missing: docs/operations/debian.md says what is installed`,
          );
      return { GUILDHALL_TEST_DEBIAN: (await startPostgres(place, 'scram-sha-256')).url };
    },
  },
  {
    name: 'bucket',
    files: ['server/platform/files/file-store.test.ts', 'server/main/backup/bucket.fault.test.ts'],
    async prepare(place) {
      if (await place.has('versitygw')) return {};
      if (!(await place.has('go', 'version'))) throw new Error(NO_GO);
      const env = { ...place.env, GOBIN: join(place.folder, 'root/usr/bin') };
      await place.run('go', ['install', VERSITYGW], { env });
      return {};
    },
  },
  {
    name: 'helm',
    files: ['deploy/helm.test.ts'],
    async prepare(place) {
      if (!(await place.has('kubectl', 'version', '--client'))) throw new Error(NO_KUBECTL);
      if (await place.has('helm', 'version')) return {};
      if (!(await place.has('go', 'version'))) throw new Error(NO_GO);
      const env = { ...place.env, GOBIN: join(place.folder, 'root/usr/bin') };
      await place.run('go', ['install', HELM], { env });
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
    async prepare(place, note) {
      if (!(await place.has('bwrap'))) throw new Error(NO_BUBBLEWRAP);
      const { GUILDHALL_TEST_PODS_IMAGE: image } = process.env;
      const engine = await place.has('docker', 'info');
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
      'deploy/engine/backup.fault.test.ts',
      'server/platform/pods/contract.test.ts',
      'server/runner/worker/remote-pods.test.ts',
      'server/runner/network/in-pod.test.ts',
      'server/main/real-packages.test.ts',
    ],
    async prepare(place) {
      const { DOCKER_HOST, DOCKER_CONFIG, env } = await engineOf(place, 'dockerd', 'mmdebstrap');
      await place.run('deploy/engine/up.sh', [], { env: { ...env, ENGINE_AGENTS: 'no' } });
      return {
        DOCKER_HOST,
        DOCKER_CONFIG,
        GUILDHALL_TEST_DOCKER: '1',
        GUILDHALL_TEST_PODS_IMAGE: 'guildhall-agent-base',
        GUILDHALL_TEST_COMPOSE: '1',
        GUILDHALL_TEST_PACKAGES: '1',
      };
    },
  },
  {
    name: 'arm64',
    files: ['deploy/engine/arm64.fault.test.ts'],
    async prepare(place) {
      if (process.arch !== 'x64') throw new Error('needs amd64, on which arm64 is emulated');
      const programs = ['dockerd', 'mmdebstrap', 'qemu-aarch64-static'];
      const { DOCKER_HOST, DOCKER_CONFIG, env } = await engineOf(place, ...programs);
      const REGISTRY = `127.0.0.1:${await freePort()}`;
      await place.run('deploy/engine/arm64.sh', [], { env: { ...env, REGISTRY } });
      return { DOCKER_HOST, DOCKER_CONFIG, GUILDHALL_TEST_ARM64: REGISTRY };
    },
  },
  {
    name: 'agents',
    files: [
      'server/runner/worker/real-agents.test.ts',
      'server/main/mcp/real-client.test.ts',
      'server/testing/try-agent/try-agent.fault.test.ts',
    ],
    async prepare(place, note) {
      const into = join(place.folder, 'agents');
      await mkdir(into, { recursive: true });
      const got: string[] = [];
      const install = ['install', '--no-audit', '--no-fund', '--prefix', into];
      for (const name of AGENTS)
        await place.run('npm', [...install, name]).then(
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
    async prepare(place) {
      if (!(await place.has('bwrap'))) throw new Error(NO_BUBBLEWRAP);
      if (!(await place.has('npm'))) throw new Error('npm must be installed');
      for (const module of ['pip', 'ensurepip'])
        if (!(await place.has('python3', '-m', module, '--version')))
          throw new Error(
            'Python must be installed with pip and venv: apt-get install python3-pip python3-venv',
          );
      return { GUILDHALL_TEST_PACKAGES: '1' };
    },
  },
  ...(['gitea', 'forgejo'] as const).map((name) => ({
    name,
    files: [
      'server/code/gitea/gitea.test.ts',
      'server/code/gitea/reviews.test.ts',
      'server/main/real-gitea.test.ts',
    ],
    async prepare(place: Place) {
      if (!(await place.has('go', 'version'))) throw new Error(NO_GO);
      const variable = `GUILDHALL_TEST_${name.toUpperCase()}`;
      const into = process.env[variable] ?? join(place.folder, name);
      await mkdir(into, { recursive: true });
      return { [variable]: await buildGitea(name, into, place.run) };
    },
  })),
  ...[
    { name: 'odoo', version: '19.0', variable: 'GUILDHALL_TEST_ODOO' },
    { name: 'odoo-16', version: '16.0', variable: 'GUILDHALL_TEST_ODOO_16' },
  ].map(({ name, version, variable }) => ({
    name,
    files: [
      'deploy/odoo-instance/real-odoo.test.ts',
      'server/main/real-odoo.test.ts',
      'server/main/real-dump.test.ts',
    ],
    async prepare(place: Place) {
      if (!(await place.has('bwrap'))) throw new Error(NO_BUBBLEWRAP);
      const odoo = process.env[variable] ?? join(place.folder, name);
      await place.run('deploy/odoo-instance/install-odoo.sh', ['--version', version, odoo]);
      const { url: postgres } = await startPostgres(place, 'scram-sha-256');
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
      return { GUILDHALL_TEST_ODOO: odoo, GUILDHALL_TEST_ODOO_VERSION: version, ...own };
    },
  })),
];

/** The tree of the previous release, of the history of this one, with its packages. */
async function previousRelease({ folder, own, run }: Place): Promise<string> {
  const into = join(folder, `previous-${PREVIOUS_COMMIT.slice(0, 12)}`);
  if (await stat(into).catch(() => undefined)) return into;
  // Under its name once it is whole.
  const part = await mkdtemp(join(folder, 'part-'));
  await chmod(part, 0o755);
  const archive = join(own, 'previous.tar');
  await run('git', ['archive', `--output=${archive}`, PREVIOUS_COMMIT]).catch((error) => {
    throw new Error(`the history has no ${PREVIOUS_COMMIT}: ${String(error.stderr).trim()}`);
  });
  await run('tar', ['-x', '-f', archive, '-C', part]);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: part });
  await rename(part, into);
  return into;
}

/** Where an engine of deploy/engine is, which ends with the run unless it was there before. */
async function engineOf(place: Place, ...programs: string[]) {
  if (process.getuid?.() !== 0) throw new Error('only root can start an engine');
  for (const program of programs)
    if (!(await place.has(program)))
      throw new Error(
        `${program} is missing: apt-get install docker.io mmdebstrap qemu-user-static`,
      );
  const ENGINE = join(place.folder, 'engine');
  const DOCKER_HOST = `unix://${ENGINE}/docker.sock`;
  const env = { ...place.kept, ENGINE };
  if (!(await place.has('docker', '--host', DOCKER_HOST, 'version')))
    place.atEnd(() => promisify(execFile)(join(ROOT, 'deploy/engine/down.sh'), { env }));
  return { DOCKER_HOST, DOCKER_CONFIG: `${ENGINE}/config`, env };
}
