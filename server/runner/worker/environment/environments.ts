import { createHash } from 'node:crypto';
import {
  commitsAt,
  DEFAULT_BRANCH,
  type EnvironmentFields,
  gitDirOf,
  keptBaseOf,
  readBuildFile,
  refOfBranch,
  runGit,
} from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Pod, PodDriver } from '../../../platform/pods/pod.ts';
import type { Sealing } from '../../../platform/sealing/sealing.ts';
import { readVariables } from '../../../platform/variables/variables-of.ts';
import type { OpenNetwork } from '../../network/network.ts';
import type { CommitOf } from '../commands/fill-pod.ts';
import { runIn } from '../commands/run-command.ts';
import type { Base, Environment, Environments, SetUpOf, SetupEnd } from './environment.ts';
import { packMade, probePod, unpackMade } from './pod-archive.ts';
import type { SetupResults } from './setup-results.ts';

interface Options {
  driver: Pick<PodDriver, 'name' | 'confined'>;
  /** The folder of all repositories. */
  directory: string;
  /** Those of the catalog. */
  images?: readonly { id: string; image: string }[];
  /** Without it, every pod runs its setup. */
  results?: SetupResults | undefined;
  /** What setups reach of the network; without it, none is offered to them. */
  openNetwork?: OpenNetwork | undefined;
  /** Opens the secrets of projects. */
  sealing?: Sealing | undefined;
  /** Told why the result of a setup was not kept. */
  onFault?: (error: unknown) => void;
}

const DEFAULT_MINUTES = 15;

/** The environments of commits, and how pods get them. */
export function openEnvironments(db: Database, options: Options): Environments {
  const { driver, directory, images = [], onFault = () => {} } = options;
  const { sealing, openNetwork } = options;
  const containers = driver.name !== 'process';
  // Without a sandbox, paths are others in each pod, and no pod is apart from the others.
  const results = driver.confined ? options.results : undefined;
  const gitIn =
    (projectId: string, signal?: AbortSignal) =>
    (args: string[], input?: string): Promise<string> =>
      runGit(args, { GIT_DIR: gitDirOf(directory, projectId) }, { signal, ...asInput(input) });

  async function of({ projectId, commit }: CommitOf, signal?: AbortSignal): Promise<Environment> {
    const [file, settings] = await Promise.all([
      readBuildFile(gitDirOf(directory, projectId), commit, signal),
      settingsOf(db, projectId),
    ]);
    const notices: string[] = [];
    if ('fault' in file) notices.push(`${file.fault} No environment is taken from it.`);
    const fields = { ...('fault' in file ? {} : file.environment), ...settings };
    const image = images.find(({ id }) => id === fields.image);
    if (fields.image !== undefined && (image === undefined || !containers))
      notices.push(noImage(fields.image, containers));
    return {
      image: containers ? image?.image : undefined,
      setup: fields.setup,
      timeout: (fields.setupTimeoutMinutes ?? DEFAULT_MINUTES) * 60_000,
      cache: fields.cache ?? [],
      notices,
    };
  }

  /** Of files of a commit, by name: null for what is not there. */
  async function objectsOf(
    projectId: string,
    names: readonly string[],
    signal?: AbortSignal,
  ): Promise<(string | null)[]> {
    const input = Buffer.from(names.map((name) => `${name}\n`).join('')).toString('latin1');
    const found = await gitIn(projectId, signal)(['cat-file', '--batch-check'], input);
    const hashes = found.split('\n').map((line) => /^[0-9a-f]{40}(?= )/.exec(line)?.[0] ?? null);
    return hashes.slice(0, names.length);
  }

  async function nameOf(
    { setup, cache }: Environment,
    { projectId, commit }: CommitOf,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    if (setup === undefined) return undefined;
    const files = cache.map((path) => `${commit}:${path}`);
    const hashes = files.length === 0 ? [] : await objectsOf(projectId, files, signal);
    return hashOf([setup, cache, hashes]);
  }

  /** What the result of a setup depends on. Nothing of the commit has run in the pod. */
  async function keysOf(
    pod: Pod,
    { image, setup, cache }: Environment,
    { projectId, commit, base }: SetUpOf,
    signal: AbortSignal,
  ): Promise<Keys> {
    const objects = cache.length === 0 ? [`${commit}^{tree}`] : cache.map((p) => `${commit}:${p}`);
    const hashes = await objectsOf(projectId, objects, signal);
    const machine = [driver.name, image, await probePod(pod, signal)];
    const all = [machine, setup, cache, hashes];
    return {
      main: hashOf([1, ...all]),
      // Never that of the default branch: whoever may write to this one may not write to that.
      base: base === undefined ? undefined : hashOf([2, base.branch, ...all]),
    };
  }

  /**
   * Only of what the default branch or the base has now: other commits are of agents, or older than
   * what the key says of the files that `cache` does not name.
   */
  async function keep(
    pod: Pod,
    keys: Keys,
    { projectId, commit, base }: SetUpOf,
    signal: AbortSignal,
  ): Promise<void> {
    const git = gitIn(projectId, signal);
    const [main] = await commitsAt(git, [DEFAULT_BRANCH]);
    const key =
      main === commit ? keys.main : (await tipOf(git, base)) === commit ? keys.base : undefined;
    if (results === undefined || key === undefined) return;
    const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', '--name-only', commit];
    const paths = (await git(args, '')).split('\0').filter((path) => path !== '');
    const packed = await packMade(pod, paths, signal);
    try {
      await results.keep({ projectId, key, commit }, packed.archive, packed.finish);
    } catch (error) {
      signal.throwIfAborted();
      onFault(error);
    } finally {
      await packed.kill();
    }
  }

  const foundOf = async (projectId: string, { main, base }: Keys) =>
    (base && (await results?.find(projectId, base))) ?? results?.find(projectId, main);

  async function setUp(
    pod: Pod,
    environment: Environment,
    commit: SetUpOf,
    { signal, renew, onStart, onRefused, onLog = () => {} }: Parameters<Environments['setUp']>[3],
  ): Promise<{ pod: Pod; end?: SetupEnd }> {
    const { setup: command, timeout } = environment;
    if (command === undefined) return { pod };
    await onStart?.(command);
    const begun = performance.now();
    const ended = (end: Pick<SetupEnd, 'conclusion' | 'log' | 'made'>): SetupEnd => {
      const seconds = Math.round((performance.now() - begun) / 100) / 10;
      return { command, seconds, ...end };
    };
    let fresh = pod;
    const keeps = results !== undefined && renew !== undefined;
    const keys = keeps ? await keysOf(pod, environment, commit, signal) : undefined;
    const kept = keys && (await foundOf(commit.projectId, keys));
    if (kept) {
      const made = { commit: kept.commit, at: kept.at.toISOString() };
      if (await unpackMade(pod, kept.archive, signal).finally(() => kept.archive.destroy()))
        return { pod, end: ended({ conclusion: 'restored', log: '', made }) };
      signal.throwIfAborted();
      await kept.discard();
      fresh = (await renew?.()) ?? pod;
    }
    const to = { projectId: commit.projectId, purpose: 'setup' } as const;
    const variables = await readVariables(db, sealing, to);
    if ('fault' in variables) {
      const end = ended({ conclusion: 'failure', log: `${variables.fault}\n` });
      return { pod: fresh, end };
    }
    const order = { ...to, run: command, variables, timeout, env: {} };
    const { reason, ...end } = await runIn(fresh, openNetwork, order, {
      signal,
      onLog,
      onRefused,
    });
    // It has used up what a pod may have: nothing else could run there.
    if (reason !== undefined && renew !== undefined) fresh = await renew();
    const ran = ended(end);
    if (end.conclusion === 'success' && keys) await keep(fresh, keys, commit, signal);
    return { pod: fresh, end: ran };
  }

  return { haveImages: containers && images.length > 0, of, nameOf, setUp };
}

/** The names of a result: as one of the default branch, and as one of the base. */
interface Keys {
  main: string;
  base: string | undefined;
}

const hashOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** The commit that a base is at now; of another host, where it was when its task last began with it. */
async function tipOf(
  git: (args: string[]) => Promise<string>,
  base: Base | undefined,
): Promise<string | undefined> {
  if (base === undefined || base.branch.startsWith('task/')) return undefined;
  const kept = base.taskId === undefined ? [] : [keptBaseOf(base.taskId)];
  const [here, there] = await commitsAt(git, [refOfBranch(base.branch), ...kept]);
  return here ?? there;
}

const asInput = (input: string | undefined) => (input === undefined ? {} : { input });

async function settingsOf(db: Database, projectId: string): Promise<EnvironmentFields> {
  const row = await db.maybeOne<Record<keyof EnvironmentFields, unknown>>(sql`
    select image, setup, setup_timeout_minutes as "setupTimeoutMinutes", cache
      from project_environment where project_id = ${projectId}`);
  const given = Object.entries(row ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(given);
}

const noImage = (id: string, containers: boolean): string =>
  containers
    ? `The server offers no image "${id}" any more: the default one is used. Choose another one.`
    : `The image "${id}" was not used: pods of this server are no containers.`;
