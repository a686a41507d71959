import assert from 'node:assert/strict';
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
  /** A token of the same account, or of another one, with these scopes. */
  newToken(scopes: string, login?: string): Promise<string>;
  /** An account that may do nothing yet. */
  newPerson(login: string): Promise<void>;
  /** Answers a review of line 2 of `a.txt` there, below it. `pulls`: the path of the pull request. */
  reply(to: { pulls: string; review: number; by: string; body: string }): Promise<void>;
  close(): Promise<void>;
}

const PASSWORD = 'Password-of-a-test-1';

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
  const newPerson = async (login: string, ...rights: string[]): Promise<void> => {
    const of = ['--username', login, '--email', `${login}@example.com`, '--password', PASSWORD];
    await gitea('admin', 'user', 'create', ...of, '--must-change-password=false', ...rights);
  };
  await newPerson('boss', '--admin');
  let made = 0;
  const newToken = async (scopes: string, login = 'boss'): Promise<string> => {
    made += 1;
    const of = ['--token-name', `t${made}`, '--scopes', scopes, '--raw'];
    const whose = ['--username', login];
    const { stdout } = await gitea('admin', 'user', 'generate-access-token', ...whose, ...of);
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
    newPerson: (login) => newPerson(login),
    reply: (to) => replyInBrowser(url, to),
    close: async () => {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
      await rm(work, { recursive: true, force: true });
    },
  };
}

/** As the form of a page does: the API of Gitea answers no comment on a line. */
async function replyInBrowser(
  url: string,
  { pulls, review, by, body }: Parameters<TestGitea['reply']>[0],
): Promise<void> {
  const cookies = new Map<string, string>();
  const send = async (path: string, form?: Record<string, string>) => {
    // Forgejo wants back what it has given in a cookie.
    const csrf = decodeURIComponent(cookies.get('_csrf') ?? '');
    const answer = await fetch(`${url}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: new URLSearchParams({ _csrf: csrf, ...form }) }),
    });
    await answer.arrayBuffer();
    assert.ok(answer.status < 400, `${path}: ${answer.status}`);
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
  };
  const page = pulls.replace('/repos', '');
  await send('/user/login');
  await send('/user/login', { user_name: by, password: PASSWORD });
  await send(page);
  await send(`${page}/files/reviews/comments`, {
    origin: 'timeline',
    content: body,
    side: 'proposed',
    line: '2',
    path: 'a.txt',
    reply: String(review),
    single_review: 'true',
  });
}
