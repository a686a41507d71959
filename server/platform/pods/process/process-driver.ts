import { chmod, chown, mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { identify, isRunning } from '../../../db/embedded/process-identity.ts';
import { inBytes, type PodLimits } from '../limits.ts';
import { checkedId, isPodId, WORK_TREE } from '../places.ts';
import { type Pod, type PodDriver, PodError, type PodProcess, type PodStatus } from '../pod.ts';
import { removeLargeTree } from '../tree/remove-large-tree.ts';
import { endProcessesOf, markOfPod, processesOf } from './descendants.ts';
import { giveTree } from './give-tree.ts';
import { launch } from './launch.ts';
import { podFiles } from './pod-files.ts';
import type { PodFolders, PodUser } from './pod-user.ts';
import { FIRST_USER, keepPlace, type Sandbox } from './sandbox.ts';
import { type Use, watchUse } from './watch-use.ts';

/**
 * Pods on this machine: each is a folder with a work tree and a home, and each of its processes is
 * confined on its own. So a pod needs nothing that runs while no agent does, and its state is what
 * can be seen: the folder, and the processes that carry the pod's id in their environment.
 */

interface ProcessPods {
  directory: string;
  limits: PodLimits;
  sandbox: Sandbox;
}

/** Bytes. With less, turns would begin only to fail. */
const LEAST_FREE = 64 * 1024 ** 2;

/**
 * Beside its folders: the machine, the number and the start of the process that has started it; empty
 * once that process has ended all that ran. Without this file, every process of the machine has to be
 * looked at.
 */
const STARTED_BY = 'started-by';

/** What this process has started. */
interface Started {
  use: Use;
  running: Set<Promise<PodProcess>>;
  /** Whether more may run in it: it was started by a process that has not ended what it began. */
  inherited: boolean;
}

export function processDriver({ directory, limits, sandbox }: ProcessPods): PodDriver {
  const started = new Map<string, Started>();
  /** Ends a removal, which may take minutes; the reaper of the next server takes it up again. */
  const closing = new AbortController();

  const foldersOf = (id: string): PodFolders => {
    const root = join(directory, checkedId(id));
    return {
      root,
      workTree: join(root, 'work'),
      home: join(root, 'home'),
      temporary: join(root, 'tmp'),
    };
  };

  const status = (id: string, state: PodStatus['state']): PodStatus => {
    const externalId = state === 'absent' ? undefined : join(directory, id);
    return { id, state, externalId, reason: undefined };
  };

  const ofRoot = (id: string) => podFiles(foldersOf(id).root, undefined);
  const me = async () =>
    [hostname(), process.pid, (await identify(process.pid))?.startedAt ?? ''].join('\n');

  /** As STARTED_BY says; undefined without it. */
  const startedBy = async (id: string): Promise<string | undefined> => {
    const text = await ofRoot(id)
      .read(STARTED_BY, { maxBytes: 1_000 })
      .catch(() => undefined);
    return text?.toString();
  };

  const noteStart = async (id: string, by: string) => {
    // What is written there must not be what was true before.
    const write = ofRoot(id).write(STARTED_BY, Buffer.from(by));
    await write.catch(() => ofRoot(id).remove(STARTED_BY));
  };

  const runs = async (id: string): Promise<boolean> => {
    const by = await startedBy(id);
    if (by === '') return false;
    const [host, pid, startedAt = ''] = (by ?? '').split('\n');
    // Of another machine, none is known to live.
    if (host === hostname() && (await isRunning({ pid: Number(pid), startedAt }))) return true;
    return (await processesOf(markOfPod(id))).length > 0;
  };

  const stop = async (id: string) => {
    const mine = started.get(id);
    started.delete(id);
    mine?.use.stop();
    const running = [...(mine?.running ?? [])];
    await Promise.all(running.map((launched) => launched.then(({ kill }) => kill(), ignored)));
    const by = await startedBy(id);
    if (by === '') return;
    if (mine === undefined || mine.inherited) await endProcessesOf(markOfPod(id));
    // Another process may have taken the pod over.
    else if (by !== (await me())) return;
    if (await exists(id)) await noteStart(id, '');
  };

  const exists = (id: string) =>
    stat(foldersOf(id).root).then(
      () => true,
      () => false,
    );

  const requirePlace = () =>
    keepPlace(directory).catch((cause: NodeJS.ErrnoException) => {
      const where = `the folder ${directory} must be one that can be written (${cause.code})`;
      throw new PodError('unavailable', `${where}: agents work in it`, { cause });
    });

  const driver: PodDriver = {
    name: 'process',
    confined: sandbox.bwrap !== undefined,
    async check() {
      // Nothing is written before it is known that the disk has room, unless there is no folder at all.
      const { bavail, bsize } = await statfs(directory).catch(async () => {
        await requirePlace();
        return statfs(directory);
      });
      if (bavail * bsize < LEAST_FREE)
        throw new PodError('unavailable', `the disk of ${directory} is full: free some of it`);
      await requirePlace();
    },

    async create(id) {
      await requirePlace();
      const folders = foldersOf(id);
      const made = await mkdir(folders.root, { recursive: true });
      for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
      if (sandbox.ownUsers) await giveToItsUser(folders, userOf(id));
      if (made === undefined) return driver.find(id);
      await noteStart(id, '');
      return status(id, 'paused');
    },

    async find(id) {
      if (!(await exists(id))) return status(id, 'absent');
      return status(id, (await runs(id)) ? 'running' : 'paused');
    },

    async start(id) {
      if (!(await exists(id))) throw new PodError('absent', `there is no pod ${id}`);
      await requirePlace();
      const folders = foldersOf(id);
      const user = sandbox.ownUsers ? userOf(id) : undefined;
      const before = started.get(id);
      before?.use.stop();
      const use = watchUse({ folders, limits });
      const running = before?.running ?? new Set();
      const inherited = before?.inherited ?? (await startedBy(id)) !== '';
      const mine = { use, running, inherited };
      started.set(id, mine);
      await noteStart(id, await me());
      const files = podFiles(folders.workTree, user);
      return {
        id,
        hostWorkTree: folders.workTree,
        hostFolder: folders.root,
        isolation: isolationOf(sandbox, limits),
        workTree: sandbox.bwrap === undefined ? folders.workTree : WORK_TREE,
        files: {
          ...files,
          adopt: ({ signal, fresh = false } = {}) =>
            fresh && user !== undefined
              ? giveTree(folders.workTree, user, signal)
              : files.adopt({ signal }),
        },
        exec: async (command) => {
          if (started.get(id) !== mine)
            throw new PodError('failed', `pod ${id} was stopped: start it again`);
          const launched = launch({ id, command, folders, limits, sandbox, user, use });
          running.add(launched);
          const ended = launched.then(({ exited }) => exited, ignored);
          void ended.then(() => running.delete(launched));
          return launched;
        },
      } satisfies Pod;
    },

    async attach(id) {
      await stop(id);
      return driver.start(id);
    },

    async pause(id) {
      await stop(id);
      return status(id, (await exists(id)) ? 'paused' : 'absent');
    },

    async destroy(id) {
      await stop(id);
      await removeLargeTree(foldersOf(id).root, { signal: closing.signal });
      return status(id, 'absent');
    },

    async list() {
      const names = await readdir(directory);
      return Promise.all(names.filter(isPodId).map((id) => driver.find(id)));
    },

    async close() {
      closing.abort(new PodError('unavailable', 'the pods are closed'));
      await Promise.all([...started.keys()].map(stop));
    },
  };
  return driver;
}

const ignored = () => undefined;

/**
 * A user that no one else of this machine has, so that a pod cannot signal another, and its
 * processes are counted on their own. Two pods of millions may share one.
 */
function userOf(id: string): PodUser {
  const number = FIRST_USER + Number.parseInt(id.slice(-6), 16);
  return { uid: number, gid: number };
}

async function giveToItsUser(folders: PodFolders, { uid, gid }: PodUser): Promise<void> {
  // The root stays ours: its user may neither rename nor remove what is in it.
  await chmod(folders.root, 0o711);
  for (const folder of [folders.workTree, folders.home, folders.temporary]) {
    await chown(folder, uid, gid);
    await chmod(folder, 0o700);
  }
}

function isolationOf({ bwrap, prlimit, ownUsers }: Sandbox, limits: PodLimits): string {
  const bounds = `up to ${inBytes(limits.memory)} of memory and ${inBytes(limits.disk)} of disk`;
  const processes = prlimit === undefined ? '' : `, ${limits.processes} processes`;
  if (bwrap !== undefined)
    return `bubblewrap: own namespaces, no network, the system read-only; ${bounds}${processes}`;
  return ownUsers
    ? `a user of its own, not confined otherwise: the network can be reached; ${bounds}${processes}`
    : `not confined: processes of the user that runs the server; ${bounds}`;
}
