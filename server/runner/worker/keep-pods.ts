import type { Logger } from 'pino';
import {
  type CodeHosts,
  type GitHub,
  openMerging,
  refreshDeploys,
  refreshDuePulls,
} from '../../code/index.ts';
import { noBackupRuns } from '../../db/backup-lock.ts';
import type { Database } from '../../db/database/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import { eachOf } from '../../platform/each-of.ts';
import { type Loop, openLoop } from '../../platform/loop.ts';
import { openLoopWhenDue } from '../../platform/loop-when-due.ts';
import type { PodDriver } from '../../platform/pods/pod.ts';
import { carryOutMerges } from './carry-out-merges.ts';
import type { CodeObserver } from './code-metrics.ts';
import { collectGarbage } from './collect-garbage.ts';
import { countPods, seePods } from './count-pods.ts';
import type { Environments } from './environment/environment.ts';
import { imageOfTask } from './environment/image-of-task.ts';
import type { SetupResults } from './environment/setup-results.ts';
import { isToBeKept, keepMerged } from './keep-merged.ts';
import { findLostPods } from './lost-pods.ts';
import { carryOutPodRequests } from './pod-requests.ts';
import { POD_IDLE_MS } from './pods.ts';
import { pushWhatIsKept } from './push-what-is-kept.ts';
import { reapBranches } from './reap-branches.ts';
import { destroyEnded, endPods, orphanReaper } from './reap-pods.ts';
import { reapRepositories, reapUnfinished } from './reap-repositories.ts';
import type { Repositories } from './repository.ts';
import { restPods } from './rest-pods.ts';
import { answerReviews } from './reviews/answer-reviews.ts';
import { sendReviews } from './reviews/send-reviews.ts';
import { storeCheckLogs } from './store-check-logs.ts';
import { workTrees } from './work-tree.ts';

/** Looks after the pods of tasks beside their turns. Any number of processes may do so. */
interface PodKeeper {
  start(): void;
  /** Resolves when nothing of it is at work any more. */
  close(): Promise<void>;
}

interface KeeperOptions {
  driver: PodDriver;
  repositories: Repositories;
  /** If a GitHub App is set up. */
  github?: GitHub | undefined;
  /** Where code is that is not on this server. */
  codeHosts?: CodeHosts | undefined;
  /** Of this server; comments on GitHub lead there. */
  publicUrl?: string;
  /** How long a pod is kept that no turn uses, in milliseconds. */
  podIdle?: number | undefined;
  /** Of the commits of tasks; without them, pods are made of the image of the driver. */
  environments?: Environments | undefined;
  /** What setups have left, if it is kept. */
  setupResults?: SetupResults | undefined;
  /** Of an hour in which a pod runs, in micro-USD; 0 by default. */
  podPrice?: bigint | undefined;
  /** Counts merges. */
  observer?: CodeObserver | undefined;
  log: Logger;
  times?: Partial<KeeperTimes>;
}

/** In milliseconds. */
interface KeeperTimes {
  /** Between two questions for a pod that does not answer. */
  lost: number;
  /** Between two polls which pods run. */
  seen: number;
  /** Between two polls for what people ask of pods. */
  requests: number;
  /** Between two searches for pods that are no longer needed. */
  reap: number;
  /** Between two searches for what git and deleted tasks have left, and for many loose objects. */
  unfinished: number;
  /** How long a pod must be seen without a task before it is destroyed. */
  orphaned: number;
}

const TIMES: KeeperTimes = {
  lost: 10_000,
  seen: 10_000,
  requests: 1_000,
  reap: 60_000,
  orphaned: 60_000,
  unfinished: 3_600_000,
};

const NO_HOSTS: CodeHosts = { of: () => undefined };

export function podKeeper(db: Database, options: KeeperOptions): PodKeeper {
  const times = { ...TIMES, ...options.times };
  const {
    driver,
    repositories,
    github,
    codeHosts = NO_HOSTS,
    log,
    observer,
    setupResults,
  } = options;
  const { podIdle = POD_IDLE_MS, podPrice = 0n, publicUrl = '' } = options;
  const merging = openMerging(repositories.directory);
  const stopping = new AbortController();
  const place = {
    driver,
    trees: workTrees(repositories),
    imageOf: (task: { projectId: string; taskId: string }) => imageOfTask(options, task),
    log,
    podIdle,
    stopping: stopping.signal,
  };
  const destroyOrphans = orphanReaper(db, place, times.orphaned);

  async function reap(): Promise<void> {
    await eachOf([
      () => restPods(db, { driver, podIdle, podPrice }),
      () => endPods(db, place),
      () => destroyEnded(db, place),
      destroyOrphans,
      () => reapRepositories(db, repositories.directory),
      async () => setupResults?.reap(db),
    ]);
  }
  const loops: Loop[] = [];

  function every(ms: number, what: string, work: () => Promise<unknown>, due?: Sql): void {
    const options = { every: ms, what: `pods: ${what}`, log };
    const loop =
      due === undefined ? openLoop(work, options) : openLoopWhenDue(work, { ...options, db, due });
    loops.push(loop);
    loop.start();
  }

  return {
    start() {
      every(times.reap, 'reaping', reap);
      every(times.seen / 2, 'looking at pods', () => seePods(db, driver, times.seen));
      every(times.reap, 'counting the time of pods', () => countPods(db, podPrice));
      every(times.unfinished, 'reaping repositories', () => reapUnfinished(repositories.directory));
      every(times.unfinished, 'reaping branches', () =>
        reapBranches(db, repositories.directory, (ref, err) =>
          log.warn({ err, ref }, 'a branch of a deleted task could not be removed; trying again'),
        ),
      );
      every(times.unfinished, 'packing repositories', () =>
        collectGarbage(
          repositories.directory,
          stopping.signal,
          (gitDir, err) =>
            log.warn({ err, gitDir }, 'a repository could not be packed; trying again'),
          () => noBackupRuns(db),
        ),
      );
      every(
        times.requests,
        'carrying out requests of pods',
        () => carryOutPodRequests(db, place),
        sql`exists (select from pod_request where not_before <= now())`,
      );
      every(
        times.requests,
        'merging',
        () => carryOutMerges(db, { merging, codeHosts, log, observer }),
        sql`exists (select from merge where state = 'queued' and not_before <= now())`,
      );
      every(
        times.requests,
        'keeping what was merged',
        () => keepMerged(db, repositories.directory, log),
        sql`exists (select from pull_request where ${isToBeKept})`,
      );
      every(times.reap, 'pushing', () => pushWhatIsKept(db, repositories, log));
      every(
        times.requests,
        'sending reviews',
        () => sendReviews(db, github?.webUrl),
        reviewsDue(sql`'found'`),
      );
      every(
        times.requests,
        'answering reviews',
        () => answerReviews(db, { codeHosts, publicUrl, log }),
        reviewsDue(sql`'sent'`),
      );
      every(
        times.requests,
        'looking at code hosts',
        async () => {
          await refreshDuePulls(db, codeHosts, log);
          await storeCheckLogs(db, codeHosts, log);
          if (github !== undefined) await refreshDeploys(db, github, log);
        },
        github === undefined
          ? sql`exists (select from pull_request
                         where url is not null and (state = 'open' or looked_at is null))`
          : undefined,
      );
      every(times.lost / 2, 'asking for lost pods', () => findLostPods(db, driver, times.lost));
    },
    async close() {
      stopping.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

// Not a parameter, so that the index of those that are open is used.
const reviewsDue = (state: Sql) =>
  sql`exists (select from github_review where state = ${state} and not_before <= now())`;
