import type { HostedRepository } from '../../access/hosted-repository.ts';
import type { MergeOrder } from '../repositories/merging.ts';
import type { Remote } from '../repositories/remote.ts';
import type { HostReviews, NumberedPull } from './reviews.ts';

/**
 * What this server asks of another host of code: GitHub, and Gitea or Forgejo (decision 91). What a
 * host calls a thing differs; what is written into our rows does not. Each call ends within a
 * deadline and throws a HostError, whose code begins with the name of the host.
 *
 * Webhooks are no part of it: they only say that something may have changed, and what it is, the host
 * is asked by these calls. Which repositories a person may attach is no part of it either, because
 * who opens them differs: an installation of an App there, a token here.
 */
export interface CodeHost {
  /** For people: `GitHub`. */
  readonly name: string;
  /** By its number, which stays when it is renamed. */
  readRepository(repository: HostedRepository, signal?: AbortSignal): Promise<HostRepository>;
  /** How many branches a page has. */
  readonly pageSize: number;
  /** The branches page by page, the first being 1, for `scan`. */
  branchPages(
    repository: HostedRepository,
    signal: AbortSignal,
  ): (page: number) => Promise<{ items: HostBranch[]; more: boolean }>;
  hasBranch(repository: HostedRepository, branch: string, signal: AbortSignal): Promise<boolean>;
  /** The repository as git fetches from it and pushes to it. Throws RemoteFailed. */
  remote(repository: HostedRepository, contents: 'read' | 'write'): Promise<Remote>;
  /** Opens a pull request, or finds the open one of the branch that an earlier attempt has opened. */
  openPull(repository: HostedRepository, pull: NewPull): Promise<HostPull>;
  readPull(repository: HostedRepository, number: number): Promise<HostPull>;
  /** Sets the branch that it is to be merged into. */
  retargetPull(repository: HostedRepository, number: number, base: string): Promise<HostPull>;
  /**
   * Merges `head` and no other commit, unless that was done already. Returns the merge commit. Throws
   * MergeRefused where only a person can help.
   */
  mergePull(repository: HostedRepository, number: number, order: PullMerge): Promise<string>;
  /** The newest checks and statuses of a commit. */
  readChecks(repository: HostedRepository, commit: string): Promise<HostCheck[]>;
  /** What a check that has an id has written, where the host keeps it. */
  readCheckLog?(repository: HostedRepository, checkId: number): Promise<string>;
  /** What people write about pull requests. */
  readonly reviews: HostReviews;
}

/** The hosts that are set up. */
export interface CodeHosts {
  /** The host of a repository; undefined if this server cannot reach that kind. */
  of(repository: Pick<HostedRepository, 'host'>): CodeHost | undefined;
}

/** A repository as its host describes it now. */
export interface HostRepository {
  id: number;
  /** In the spelling of the host. */
  fullName: string;
  defaultBranch: string;
  archived: boolean;
}

/** A branch, and the commit it points to. */
export interface HostBranch {
  name: string;
  head: string;
}

/** A pull request as its host has it now. */
export interface HostPull {
  number: number;
  /** For people. */
  url: string;
  state: 'open' | 'merged' | 'closed';
  headSha: string;
  base: string;
  baseSha: string;
  /** Null as long as the host computes it. */
  mergeable: boolean | null;
  /** Of a merged one. */
  mergeCommit: string | null;
  /** Also of what people wrote about it. */
  updatedAt: Date;
}

/** What a pull request is opened with. */
export interface NewPull {
  head: string;
  base: string;
  title: string;
  body: string;
}

export type PullMerge = Omit<MergeOrder, 'id' | 'projectId' | 'taskId'>;

/** A pull request on another host, and the task that it is of. */
export interface PullOfTask extends NumberedPull {
  taskId: string;
}

/** A check of a commit: a check run, or a commit status, which has no id. */
export interface HostCheck {
  id: number | null;
  name: string;
  state: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  url: string | null;
  startedAt: string | null;
  completedAt: string | null;
}
