import { setTimeout as pause } from 'node:timers/promises';
import { asEnvironment, RepositoryError, runGit } from './git.ts';
import { makeRepository } from './make-repository.ts';

/** A repository on another code host, as git reaches it. */
export interface Remote {
  /** Without a user or password. */
  url: string;
  /** For the user `x-access-token`. It lives for an hour at most. */
  token(): Promise<string>;
  defaultBranch: string;
  /** Opens the only way that git may take to it, a proxy; without one, git connects by itself. */
  way?(): Promise<{ url: string; close(): Promise<void> }>;
}

/** The host did not take or give what it was asked for, as a sentence. */
export class RemoteFailed extends RepositoryError {
  constructor(message: string, passes: boolean, options?: ErrorOptions) {
    super(message, { ...options, passes });
  }
}

/** How far back the history goes that is fetched at first. */
const DEPTH = 50;
const WITHIN_MS = 600_000;
/** What git says when another one is changing the same, and how often and after what it is run again. */
const LOCKED =
  /\.lock': File exists|cannot lock ref|shallow file has changed|unable to update local ref/i;
const ATTEMPTS = 10;
const AGAIN_MS = 200;
/** The default branch of a copy. */
const COPIED_DEFAULT = 'refs/heads/main';
/** The default branch as the host had it when it was last fetched. */
export const FETCHED_DEFAULT = 'refs/guildhall/fetched/default';

/**
 * Of each git that talks to the host. Nothing in the repository names a program to run; a host that
 * sends nothing for half a minute has failed; what old histories are full of does no harm.
 */
export const SOURCE_SETTINGS: Record<string, string> = {
  'credential.helper': '',
  'fetch.fsckObjects': 'true',
  'fetch.fsck.zeroPaddedFilemode': 'ignore',
  'fetch.fsck.badTimezone': 'ignore',
  'fetch.fsck.missingSpaceBeforeDate': 'ignore',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '30',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'protocol.allow': 'never',
  'submodule.recurse': 'false',
};

async function settingsFor(
  { url, token }: Remote,
  proxy: string | undefined,
): Promise<Record<string, string>> {
  const scheme = new URL(url).protocol.slice(0, -1);
  const basic = Buffer.from(`x-access-token:${await token()}`).toString('base64');
  return asEnvironment({
    ...SOURCE_SETTINGS,
    [`protocol.${scheme}.allow`]: 'always',
    'http.extraHeader': `Authorization: Basic ${basic}`,
    ...(proxy === undefined ? {} : { 'http.proxy': proxy, 'http.proxyAuthMethod': 'basic' }),
  });
}

/**
 * Fetches the default branch into the one that tasks begin with, the branches that begin with
 * `prefix` into `into`, and `base`. Returns whether the host has that one. Errors: RemoteFailed.
 */
export async function fetchBranches(
  gitDir: string,
  remote: Remote,
  { prefix, into, base }: { prefix: string; into: string; base?: FetchedBase | undefined },
): Promise<boolean> {
  const known = await runGit(['for-each-ref', FETCHED_DEFAULT], { GIT_DIR: gitDir });
  // Later ones go on from there.
  const depth = known === '' ? [`--depth=${DEPTH}`] : [];
  const fetchBranches = (...more: string[]) =>
    ask(gitDir, remote, [
      'fetch',
      '--quiet',
      '--prune',
      '--no-tags',
      '--no-write-fetch-head',
      ...depth,
      remote.url,
      `+refs/heads/${remote.defaultBranch}:${COPIED_DEFAULT}`,
      `+refs/heads/${remote.defaultBranch}:${FETCHED_DEFAULT}`,
      `+refs/heads/${prefix}*:${into}*`,
      ...more,
    ]);
  if (base === undefined) {
    await fetchBranches();
    return true;
  }
  try {
    await fetchBranches(`+refs/heads/${base.name}:${base.into}`);
    return true;
  } catch (error) {
    if (!lacks(error, base.name) || base.name === remote.defaultBranch) throw error;
  }
  await fetchBranches();
  return false;
}

/** A branch of the host, and the reference that it is fetched into. */
interface FetchedBase {
  name: string;
  into: string;
}

const lacks = (error: unknown, branch: string): boolean => {
  const { stderr = '' } = ((error as Error).cause ?? {}) as { stderr?: string };
  return stderr
    .split('\n')
    .some((line) => line.endsWith(`couldn't find remote ref refs/heads/${branch}`));
};

const fetchedRef = (commit: string): string => `refs/guildhall/submodules/${commit}`;

/**
 * Fetches one commit, and nothing of its history, into a repository that is made if it is missing.
 * A reference keeps it until `releaseCommit`. Errors: RemoteFailed.
 */
export async function fetchCommit(gitDir: string, remote: Remote, commit: string): Promise<void> {
  await makeRepository(gitDir);
  const ref = fetchedRef(commit);
  const options = ['--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head'];
  await ask(gitDir, remote, ['fetch', ...options, remote.url, `+${commit}:${ref}`]);
}

/** Lets go of a commit after its use: two weeks later, git may remove what nothing else needs. */
export async function releaseCommit(gitDir: string, commit: string): Promise<void> {
  const env = { GIT_DIR: gitDir };
  // Where someone else changes the references at this moment, the next use lets go of it.
  await runGit(['update-ref', '-d', fetchedRef(commit)], env).catch(() => {});
}

/** Whether the host has taken it: not if its branch is no longer at `expected`. Errors: RemoteFailed. */
export async function pushBranch(
  gitDir: string,
  remote: Remote,
  { commit, branch, expected }: { commit: string; branch: string; expected: string | undefined },
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  try {
    await ask(gitDir, remote, [
      'push',
      '--quiet',
      `--force-with-lease=${ref}:${expected ?? ''}`,
      remote.url,
      `${commit}:${ref}`,
    ]);
    return true;
  } catch (error) {
    const { stderr = '' } = ((error as Error).cause ?? {}) as { stderr?: string };
    if (/\(stale info\)|\(fetch first\)|\(non-fast-forward\)/.test(stderr)) return false;
    throw error;
  }
}

/** By repository: what git is doing in it for this process. */
const atWork = new Map<string, Promise<unknown>>();

/** One after the other in each repository: git locks what several tasks would change at once. */
async function ask(gitDir: string, remote: Remote, args: string[]): Promise<void> {
  const before = atWork.get(gitDir);
  const mine = (async () => {
    await before?.catch(() => {});
    await asked(gitDir, remote, args);
  })();
  atWork.set(gitDir, mine);
  try {
    await mine;
  } finally {
    if (atWork.get(gitDir) === mine) atWork.delete(gitDir);
  }
}

async function asked(gitDir: string, remote: Remote, args: string[]): Promise<void> {
  const way = await remote.way?.();
  try {
    const env = { GIT_DIR: gitDir, ...(await settingsFor(remote, way?.url)) };
    await attempts(args, env, remote);
  } finally {
    await way?.close();
  }
}

/** Again while another process is at work in the repository. */
async function attempts(
  args: string[],
  env: Record<string, string>,
  remote: Remote,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await runGit(args, env, { within: WITHIN_MS });
      return;
    } catch (error) {
      if (error instanceof RepositoryError) throw error;
      const { stderr = '' } = error as { stderr?: string };
      if (attempt === ATTEMPTS || !LOCKED.test(stderr)) throw failureOf({ stderr }, remote, error);
    }
    await pause(AGAIN_MS * attempt * (0.5 + Math.random()));
  }
}

/** What git has printed is for the log: it may name files and addresses. */
function failureOf(
  { stderr }: { stderr: string },
  { url, defaultBranch }: Remote,
  error: unknown,
): RemoteFailed {
  const failed = (message: string, passes = false) =>
    new RemoteFailed(message, passes, { cause: error });
  if (stderr.includes(`couldn't find remote ref refs/heads/${defaultBranch}`))
    return failed(
      `The repository ${url} has no branch ${defaultBranch} yet: push a first commit to it.`,
    );
  if (/\b(401|403|404)\b|could not read Username|not found/i.test(stderr))
    return failed(
      `The code host does not let this server into ${url}: give its app the repository, with the ` +
        'permission to write contents.',
    );
  const [, refused] = /\[remote rejected\] .*\((.*)\)/.exec(stderr) ?? [];
  if (refused !== undefined)
    return failed(
      `The code host refused the branch (${refused.slice(0, 200)}): look at its rules.`,
    );
  if (/fsck|badTree|malformed/i.test(stderr))
    return failed(`The repository ${url} has objects that git finds damaged or hostile.`);
  return failed(`The code host of ${url} does not answer.`, true);
}
