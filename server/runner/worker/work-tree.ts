import type { Pod } from '../../platform/pods/pod.ts';
import { TREE_BOUNDS } from '../../platform/pods/tree/bounds.ts';
import { packLargeTree, unpackLargeTree } from '../../platform/pods/tree/move-large-tree.ts';
import type { Commit, CommitOptions, Place, Repositories } from './repository.ts';
import { inStaging } from './staging.ts';

/**
 * Between a pod's work tree and the repository of its project: in place where the pod is on this
 * machine, otherwise by way of a folder of this machine that is removed again.
 */
export interface WorkTrees {
  /** As `checkOut` of Repositories, for a new pod. No process of the pod may run. */
  checkOut(pod: Pod, of: TaskOf, signal?: AbortSignal): Promise<string[]>;
  /** As `refresh` of Repositories. */
  refresh(pod: Pod, of: TaskOf, signal?: AbortSignal): Promise<string | undefined>;
  /** As `commit` of Repositories. */
  commit(
    pod: Pod,
    of: TaskOf,
    message: string,
    options?: Omit<CommitOptions, 'turnId'>,
  ): Promise<Commit | undefined>;
  /**
   * Calls `use` with a folder of this machine that is the work tree, or a copy of it which is gone
   * afterwards. Its content is the agent's. `signal` ends the making of a copy, with its reason.
   */
  within<T>(pod: Pod, use: (folder: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

type TaskOf = Pick<Place, 'projectId' | 'taskId'> & { turnId?: string };

export function workTrees(repositories: Repositories): WorkTrees {
  const { staging } = repositories;

  const trees: WorkTrees = {
    async checkOut(pod, { projectId, taskId }, signal) {
      const { hostWorkTree, files } = pod;
      const place = { projectId, taskId, beside: pod.hostFolder };
      if (hostWorkTree !== undefined) {
        const notices = await repositories.checkOut({ ...place, workTree: hostWorkTree }, signal);
        await files.adopt({ signal, fresh: true });
        return notices;
      }
      return inStaging(staging, async (workTree) => {
        const notices = await repositories.checkOut({ ...place, workTree }, signal);
        await files.unpack(packLargeTree(workTree, TREE_BOUNDS));
        return notices;
      });
    },

    async refresh(pod, { projectId, taskId }, signal) {
      const of = { projectId, taskId };
      // A work tree elsewhere would have to travel for nothing.
      if (!(await repositories.isBehind(of))) return undefined;
      const refreshed = (workTree: string) => {
        const deliver = () =>
          pod.hostWorkTree === undefined
            ? // A stop would lose files there that no commit has, such as those that git ignores.
              pod.files.unpack(packLargeTree(workTree, TREE_BOUNDS))
            : pod.files.adopt({ signal });
        const place = { ...of, workTree, beside: pod.hostFolder };
        return repositories.refresh(place, { signal, deliver });
      };
      return trees.within(pod, refreshed, signal);
    },

    within(pod, use, signal) {
      if (pod.hostWorkTree !== undefined) return use(pod.hostWorkTree);
      return inStaging(staging, async (folder) => {
        await unpackLargeTree(folder, pod.files.pack(), TREE_BOUNDS, { signal });
        return use(folder);
      });
    },

    commit: (pod, { projectId, taskId, turnId }, message, options) =>
      trees.within(
        pod,
        (workTree) => {
          const place = { projectId, taskId, workTree, beside: pod.hostFolder };
          return repositories.commit(place, message, { ...options, turnId });
        },
        options?.signal,
      ),
  };
  return trees;
}
