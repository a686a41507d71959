import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { folder, git } from './git-client.ts';

/** Git repositories elsewhere, behind `git http-backend` on loopback. */
export interface GitSource {
  url: string;
  /** The folder of the repositories. */
  home: string;
  /** Requests so far, as method, path and authorization. */
  asked: { method: string; path: string; authorization: string | undefined }[];
  /** Answers instead of Git, until it returns false. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Lets Git answer. */
  pass(request: IncomingMessage, response: ServerResponse): void;
  /** Makes a repository with these branches and their files; the first is the default one. */
  make(name: string, branches: Record<string, Record<string, string>>): Promise<string>;
}

export async function startGitSource(): Promise<GitSource> {
  const home = await folder();
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    source.asked.push({ method, path, authorization: headers.authorization });
    if (source.instead?.(request, response) !== true) answer(home, request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const source: GitSource = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    home,
    asked: [],
    instead: undefined,
    pass: (request, response) => answer(home, request, response),
    async make(name, branches) {
      const gitDir = join(home, `${name}.git`);
      const [first = 'main'] = Object.keys(branches);
      await git(home, 'init', '--quiet', '--bare', `--initial-branch=${first}`, gitDir);
      for (const [branch, files] of Object.entries(branches)) {
        const tree = join(home, `${name}-${encodeURIComponent(branch)}`);
        await git(home, 'init', '--quiet', `--initial-branch=work`, tree);
        for (const [path, content] of Object.entries(files)) {
          await mkdir(dirname(join(tree, path)), { recursive: true });
          await writeFile(join(tree, path), content);
        }
        await git(tree, 'add', '--all');
        await git(tree, 'commit', '--quiet', '--allow-empty', '-m', `Begin ${branch}`);
        await git(tree, 'push', '--quiet', gitDir, `HEAD:refs/heads/${branch}`);
      }
      return gitDir;
    },
  };
  return source;
}

function answer(home: string, request: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: home,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: pathname,
      REQUEST_METHOD: request.method,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  response.once('close', () => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.once('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const headers = all.toString('latin1', 0, Math.max(0, end)).split('\r\n');
    const status = headers.find((line) => /^status:/i.test(line));
    response.statusCode = Number(status?.split(' ')[1] ?? 200);
    for (const line of headers) {
      const [name = '', value = ''] = line.split(/: ?(.*)/);
      if (name !== '' && !/^status$/i.test(name)) response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
}
