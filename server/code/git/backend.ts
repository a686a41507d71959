import { type ChildProcess, spawn } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { type Duplex, Readable, type Writable } from 'node:stream';
import { GIT_ENV } from '../repositories/git.ts';
import { GIT_SETTINGS, LIMITS } from './settings.ts';

export const SERVICES = ['git-upload-pack', 'git-receive-pack'] as const;
export type GitService = (typeof SERVICES)[number];

/** A request to `git http-backend`: nothing in it is as a client has sent it. */
export interface GitRequest {
  gitDir: string;
  service: GitService;
  /** Asks what there is, instead of sending or fetching it. */
  advertise: boolean;
  /** Of the protocol; undefined for the first one. */
  version?: '1' | '2' | undefined;
  gzip: boolean;
  userId: string;
  /** Further variables, for the hook. */
  env?: Record<string, string>;
  /**
   * Asked by the hook when a push is complete, before a reference moves: why it may not go on, as a
   * sentence, or undefined. Git waits for the answer.
   */
  refuse?: () => Promise<string | undefined>;
}

export interface GitAnswer {
  status: number;
  type: string;
  /** Fails when Git was killed before its end. */
  body: Readable;
}

/** A running `git http-backend` with all processes that it starts. */
interface GitProcess {
  input: Writable;
  /** Rejects when Git ends without one. */
  answer: Promise<GitAnswer>;
  /** Resolves when no process of it is left. */
  ended: Promise<void>;
  /** Ends all of them, at first so that Git removes what it had begun. The answer fails with this. */
  kill(reason: Error): void;
}

/** Git did not answer; the message is what it printed. */
class GitFailed extends Error {}

const MOST_HEADERS = 8 * 1024;
const MOST_ERRORS = 2_000;
const KILL_AFTER_MS = 2_000;
const END_OF_HEADERS = '\r\n\r\n';

// Limits are the shell's, because Node has none for its children. Not every system has each.
const START = `
ulimit -c 0
ulimit -v ${LIMITS.process.memory} 2>/dev/null
ulimit -t ${LIMITS.process.seconds} 2>/dev/null
exec git http-backend`;

/** Starts it in a process group of its own. Its input must be ended. */
export function startBackend(request: GitRequest): GitProcess {
  const child = spawn('/bin/sh', ['-c', START], {
    cwd: '/',
    detached: true,
    // The hook inherits the fourth.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: { ...GIT_ENV, ...GIT_SETTINGS, ...request.env, ...cgi(request) },
  });
  const state = { over: false, killed: false };
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.once('close', () => {
    state.over = true;
    resolve();
  });
  // Without a process, there is no answer either; 'close' follows.
  child.once('error', () => undefined);
  // Git may end without having read everything.
  child.stdin.on('error', () => undefined);
  // Whoever reads the answer hears of it, if anyone does.
  child.stdout.on('error', () => undefined);
  answerHook(child.stdio[3] as Duplex, request.refuse);
  const kill = (reason: Error) => {
    if (state.over || state.killed) return;
    state.killed = true;
    signal(child, 'SIGTERM');
    const timer = setTimeout(() => state.over || signal(child, 'SIGKILL'), KILL_AFTER_MS);
    ended.then(() => clearTimeout(timer));
    // It may wait for a reader, and there is none any more.
    child.stdout.destroy(reason);
  };
  const errors = textOf(child.stderr);
  const answer = answerOf(child.stdout, errors);
  answer.catch(() => {});
  return { input: child.stdin, answer, ended, kill };
}

/** Without an answer, the hook refuses the push. */
function answerHook(hook: Duplex, refuse: GitRequest['refuse']): void {
  hook
    .on('error', () => undefined)
    .once('data', async () => {
      const refusal = await refuse?.().catch(() => NOT_ASKED);
      hook.end(`${refusal ?? 'go'}\n`);
    });
}

const NOT_ASKED = 'Whether you may still push could not be found out: push again';

/** To the whole group. It may be gone, though not yet noticed; some systems then say EPERM. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

const cgi = ({ gitDir, service, advertise, version, gzip, userId }: GitRequest) => ({
  GIT_PROJECT_ROOT: dirname(gitDir),
  PATH_INFO: `/${basename(gitDir)}/${advertise ? 'info/refs' : service}`,
  GIT_HTTP_EXPORT_ALL: '1',
  REMOTE_USER: userId,
  REMOTE_ADDR: 'localhost',
  REQUEST_METHOD: advertise ? 'GET' : 'POST',
  QUERY_STRING: advertise ? `service=${service}` : '',
  ...(advertise ? {} : { CONTENT_TYPE: `application/x-${service}-request` }),
  ...(gzip ? { HTTP_CONTENT_ENCODING: 'gzip' } : {}),
  ...(version === undefined ? {} : { HTTP_GIT_PROTOCOL: `version=${version}` }),
  GIT_HTTP_MAX_REQUEST_BUFFER: String(LIMITS.fetch),
});

/** The end of what was printed. */
function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-MOST_ERRORS);
  });
  return () => text.trim();
}

async function answerOf(stdout: Readable, errors: () => string): Promise<GitAnswer> {
  const chunks: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]();
  let begun = Buffer.alloc(0);
  let end = -1;
  while (end < 0) {
    const { value, done } = await chunks.next();
    if (done || begun.length > MOST_HEADERS) throw new GitFailed(errors());
    begun = Buffer.concat([begun, value]);
    end = begun.indexOf(END_OF_HEADERS);
  }
  const headers = begun.toString('latin1', 0, end);
  const status = Number(/^status: (\d{3})\b/im.exec(headers)?.[1] ?? 200);
  const type = /^content-type: ([\w./+-]+)\r?$/im.exec(headers)?.[1];
  if (status !== 200 || type === undefined)
    throw new GitFailed(`Git answered ${status}: ${errors()}`);

  async function* body(): AsyncGenerator<Buffer> {
    yield begun.subarray(end + END_OF_HEADERS.length);
    for (;;) {
      const { value, done } = await chunks.next();
      if (done) return;
      yield value;
    }
  }
  return { status, type, body: Readable.from(body(), { objectMode: false }) };
}
