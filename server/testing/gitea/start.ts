import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../harness/until.ts';
import { freePort } from '../processes/programs.ts';

const run = promisify(execFile);

/** Where those are that this machine has, by their names. */
export const REAL_SERVERS: readonly { name: 'Gitea' | 'Forgejo'; folder: string }[] = [
  { name: 'Gitea', folder: process.env.GUILDHALL_TEST_GITEA ?? '' } as const,
  { name: 'Forgejo', folder: process.env.GUILDHALL_TEST_FORGEJO ?? '' } as const,
].filter(({ folder }) => folder !== '');

/** A Gitea or Forgejo for tests, real or fake, and what its administrator may do there. */
export interface TestGitea {
  url: string;
  token: string;
  /** A token of the same account, with these scopes. */
  newToken(scopes: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts the Gitea or Forgejo of a folder (build.ts), with data of its own. */
export async function startGitea(folder: string): Promise<TestGitea> {
  const work = await mkdtemp(join(tmpdir(), 'guildhall-gitea-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(work, 'app.ini');
  await writeFile(
    config,
    `RUN_MODE = prod
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = ${work}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${url}/
STATIC_ROOT_PATH = ${join(folder, 'source')}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(work, 'gitea.db')}
[security]
INSTALL_LOCK = true
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = *
[log]
LEVEL = error
[repository]
ROOT = ${join(work, 'repositories')}
`,
  );
  const gitea = (...args: string[]) => run(join(folder, 'gitea'), ['--config', config, ...args]);
  await gitea('migrate');
  const boss = ['--username', 'boss'];
  const mail = ['--email', 'boss@example.com', '--random-password', '--must-change-password=false'];
  await gitea('admin', 'user', 'create', '--admin', ...boss, ...mail);
  let made = 0;
  const newToken = async (scopes: string): Promise<string> => {
    made += 1;
    const of = ['--token-name', `t${made}`, '--scopes', scopes, '--raw'];
    const { stdout } = await gitea('admin', 'user', 'generate-access-token', ...boss, ...of);
    return stdout.trim().split('\n').at(-1) ?? '';
  };
  const server = spawn(join(folder, 'gitea'), ['--config', config, 'web'], { stdio: 'ignore' });
  await until('Gitea answers', async () =>
    fetch(`${url}/api/v1/version`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    url,
    token: await newToken('all'),
    newToken,
    close: async () => {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
      await rm(work, { recursive: true, force: true });
    },
  };
}
