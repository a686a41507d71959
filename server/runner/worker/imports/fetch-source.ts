import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  asEnvironment,
  EMPTY_TREE,
  outgrows,
  runGit,
  SOURCE_SETTINGS,
} from '../../../code/index.ts';
import { isBranchName } from '../../../http/input/branch-names.ts';
import { openGuardedProxy } from '../../../platform/outgoing/guarded-proxy.ts';
import { TREE_BOUNDS } from '../../../platform/pods/tree/bounds.ts';
import {
  empty,
  failureOf,
  onlyFiles,
  tooLarge,
  tooLate,
  tooManyFiles,
  tooManyRefs,
  unusableDefault,
} from './failures.ts';
import { basicOf, followSource, type Source, shown } from './follow-source.ts';
import type { Copied, Phase } from './rows.ts';
import { GitFailed, runBounded, TooMuchPrinted } from './run-git.ts';

/** From where may be imported, and how much. */
export interface ImportBounds {
  /** Addresses and networks in CIDR notation that are not public and may be connected to. */
  allowedNetworks: readonly string[];
  allowHttp: boolean;
  /** Bytes that the source may send in all. */
  maxBytes: number;
  /** Milliseconds in which everything must be received and checked. */
  life?: number;
  /** Milliseconds in which the source may be silent. */
  silence?: number;
  branches?: number;
  tags?: number;
  /** DNS servers instead of those of this machine; only tests set it. */
  dnsServers?: readonly string[];
}

const DEFAULTS = { life: 1_800_000, silence: 60_000, branches: 5_000, tags: 20_000 };
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];
const WANTED = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '^refs/heads/task/*'];
/** Bytes that git may print: the list of references. */
const MOST_PRINTED = 16 * 1024 * 1024;
const OF_TASKS = 'refs/heads/task/';

/**
 * Fetches all branches and tags of a source into a new repository at `copy`, and checks them. The
 * source is reached through a proxy of this process alone (guarded-proxy.ts): git itself resolves no
 * name. Errors: ImportFailed, and the reason of the signal.
 */
export async function fetchSource(
  copy: string,
  given: Source,
  most: ImportBounds,
  { signal, onProgress }: { signal: AbortSignal; onProgress(phase: Phase, received: number): void },
): Promise<Copied> {
  const bounds = { ...DEFAULTS, ...most };
  const late = AbortSignal.timeout(bounds.life);
  const until = AbortSignal.any([signal, late]);
  const source = await followSource(given, { ...bounds, signal: until }).catch((error) => {
    signal.throwIfAborted();
    throw late.aborted ? tooLate(Math.round(bounds.life / 60_000)) : error;
  });
  const target = new URL(source.url);
  const proxy = await openGuardedProxy({
    target,
    allowedNetworks: bounds.allowedNetworks,
    dnsServers: bounds.dnsServers,
    maxBytes: bounds.maxBytes,
    silence: bounds.silence,
  });
  let phase: Phase = 'connecting';
  const tell = (next: Phase) => {
    phase = next;
    onProgress(phase, proxy.received());
  };
  const timer = setInterval(() => onProgress(phase, proxy.received()), 500);
  const env = { GIT_DIR: copy, ...settingsFor(source, target, proxy.url, bounds.silence) };
  const git = (args: readonly string[], more: Record<string, string> = {}) =>
    runBounded(args, { ...env, ...more }, { most: MOST_PRINTED, signal: until });
  try {
    await runGit(['init', '--quiet', '--bare', '--initial-branch=main', copy], {});
    const announced = readAnnounced(await git(['ls-remote', '--symref', source.url]));
    requireFew(announced.refs, bounds);
    tell('receiving');
    const trace = join(copy, 'trace');
    await git([...FETCH, source.url, ...WANTED], { GIT_TRACE2_EVENT: trace });
    tell('checking');
    await requireExamined(trace);
    return { ...(await checked(copy, announced, bounds, until)), received: proxy.received() };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw tooLate(Math.round(bounds.life / 60_000));
    if (error instanceof TooMuchPrinted) throw tooManyRefs(bounds);
    if (!(error instanceof GitFailed)) throw error;
    const withLogin = source.login !== undefined;
    const withoutLogin = given.login !== undefined && !withLogin;
    const moved =
      target.origin === new URL(given.url).origin
        ? undefined
        : { address: shown(target), withoutLogin };
    const context = { proxy: proxy.refusal(), withLogin, moved, maxBytes: bounds.maxBytes };
    throw failureOf(error.stderr, context, error);
  } finally {
    clearInterval(timer);
    await proxy.close();
  }
}

/**
 * Of each git that talks to the source, as variables of its environment: other users of the machine
 * do not see them, and no address or argument has the credential.
 */
function settingsFor(
  { login }: Source,
  target: URL,
  proxy: string,
  silence: number,
): Record<string, string> {
  const scheme = target.protocol.slice(0, -1);
  return {
    GIT_ALLOW_PROTOCOL: scheme,
    GIT_OPTIONAL_LOCKS: '0',
    ...asEnvironment({
      ...SOURCE_SETTINGS,
      [`protocol.${scheme}.allow`]: 'always',
      'http.proxy': proxy,
      'http.proxyAuthMethod': 'basic',
      // The proxy lets nothing pass but the origin itself.
      'http.followRedirects': 'initial',
      'http.lowSpeedTime': String(Math.ceil(silence / 1_000)),
      'fetch.unpackLimit': '1',
      'core.bigFileThreshold': '16m',
      'core.packedGitWindowSize': '32m',
      'core.packedGitLimit': '256m',
      'core.deltaBaseCacheLimit': '64m',
      'index.threads': '1',
      ...(login === undefined ? {} : { 'http.extraHeader': `Authorization: ${basicOf(login)}` }),
    }),
  };
}

/**
 * Git examines each object only while it indexes a pack that a Git server sends. Of a web server that
 * only has files, it takes them one by one, unexamined, so what is in them is not let in.
 */
async function requireExamined(trace: string): Promise<void> {
  const { size } = await stat(trace);
  const text = size > MOST_PRINTED ? '' : await readFile(trace, 'utf8');
  if (!/"argv":\["git","index-pack",[^\]]*"--(strict|fsck-objects)/.test(text)) throw onlyFiles();
  await rm(trace);
}

interface Announced {
  head: string | undefined;
  refs: string[];
}

/** Of what `git ls-remote --symref` prints. */
function readAnnounced(printed: string): Announced {
  const lines = printed.split('\n').map((line) => line.split('\t'));
  const symbolic = lines.find(([value, name]) => name === 'HEAD' && value?.startsWith('ref: '));
  return {
    head: symbolic?.[0]?.slice('ref: '.length),
    refs: lines.flatMap(([, name]) => (name === undefined || name.endsWith('^{}') ? [] : name)),
  };
}

function requireFew(refs: readonly string[], most: { branches: number; tags: number }): void {
  const count = (prefix: string) => refs.filter((ref) => ref.startsWith(prefix)).length;
  if (count('refs/heads/') === 0) throw empty();
  if (count('refs/heads/') > most.branches || count('refs/tags/') > most.tags)
    throw tooManyRefs(most);
}

/** What has come, which is what the source has by now. */
async function checked(
  copy: string,
  { head, refs: announced }: Announced,
  bounds: { branches: number; tags: number; maxBytes: number },
  signal: AbortSignal,
): Promise<Omit<Copied, 'received'>> {
  const git = (args: string[]) =>
    runGit(args, { GIT_DIR: copy }, { within: 600_000, most: MOST_PRINTED, signal });
  const list = async (under: string) =>
    (await git(['for-each-ref', '--format=%(refname)', under])).split('\n').filter(Boolean);
  const all = await list('refs/heads');
  const branches = all.filter((ref) => isBranchName(ref.slice('refs/heads/'.length)));
  for (const ref of all) if (!branches.includes(ref)) await git(['update-ref', '-d', ref]);
  const tags = await list('refs/tags');
  requireFew([...branches, ...tags], bounds);
  const wanted = [head, 'refs/heads/main', 'refs/heads/master', ...branches];
  const ref = head?.startsWith(OF_TASKS)
    ? undefined
    : wanted.find((each) => each !== undefined && branches.includes(each));
  if (ref === undefined || (head !== undefined && head !== ref && announced.includes(head)))
    throw unusableDefault();
  await git(['symbolic-ref', 'HEAD', ref]);
  if (await outgrows(git, `${ref}^{tree}`, EMPTY_TREE, TREE_BOUNDS)) throw tooManyFiles();
  const size = await git(['count-objects', '-v']);
  if (Number(/^size-pack: (\d+)$/m.exec(size)?.[1]) * 1024 > 2 * bounds.maxBytes)
    throw tooLarge(bounds.maxBytes);
  return {
    defaultBranch: ref.slice('refs/heads/'.length),
    branches: branches.length,
    tags: tags.length,
    leftOut: announced.filter((each) => each.startsWith('refs/heads/')).length - branches.length,
    lfs: await usesLfs(git, ref),
  };
}

/** Whether the attributes in the root of a branch send files to Git LFS. */
async function usesLfs(git: (args: string[]) => Promise<string>, ref: string): Promise<boolean> {
  const file = `${ref}:.gitattributes`;
  const size = await git(['cat-file', '-s', file]).catch(() => undefined);
  if (size === undefined || Number(size) > 1024 * 1024) return false;
  const text = await git(['cat-file', 'blob', file]).catch(() => '');
  return /^[^#\n]*\bfilter=lfs\b/m.test(text);
}

/** The folder of the copy of an attempt, beside the repository. */
export const copyOf = (gitDir: string, importId: string, by: string): string =>
  `${gitDir}-${importId}-${by}.import`;
