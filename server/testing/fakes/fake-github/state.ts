import { randomBytes, randomInt } from 'node:crypto';
import { type Account, newPeople, type People } from './people-state.ts';
import type { Schema } from './typed.ts';
import type { GithubEvent } from './webhooks/payloads.ts';

/** Where clients find this fake: the API's address and that of pages and of Git. */
export interface Addresses {
  api: string;
  web: string;
  /** Of the logs. */
  storage: string;
}

export interface Budget {
  used: number;
  /** Milliseconds. */
  resetAt: number;
  /** GitHub answers either when it is spent. */
  status: 403 | 429;
}

/** All that the fake remembers. Times are in milliseconds. */

export type { Account };

export type Permissions = Schema<'app-permissions'>;

export interface Installation {
  id: number;
  account: Account;
  selection: 'all' | 'selected';
  /** Those that were selected; without meaning for `all`. */
  repositoryIds: Set<number>;
  permissions: Permissions;
  createdAt: number;
  updatedAt: number;
  suspendedAt: number | undefined;
}

/** An installation access token. */
export interface Token {
  value: string;
  installationId: number;
  /** Undefined for all that the installation can see. */
  repositoryIds: Set<number> | undefined;
  permissions: Permissions;
  expiresAt: number;
}

export interface Repository {
  id: number;
  owner: Account;
  name: string;
  private: boolean;
  archived: boolean;
  defaultBranch: string;
  createdAt: number;
  updatedAt: number;
  pushedAt: number;
  gitDir: string;
  /** The commit of each branch, as of the last look at the Git repository. */
  branches: Map<string, string>;
  pulls: Map<number, PullRequest>;
  /** Issues and pull requests share their numbers. */
  nextNumber: number;
  suites: Map<number, CheckSuite>;
  /** The newest last. */
  runs: Map<number, CheckRun>;
  /** The newest last. */
  statuses: CommitStatus[];
  deployments: Map<number, Deployment>;
  /** The protected branches, and the checks or statuses that a merge into each requires. */
  required: Map<string, string[]>;
  reviews: Map<number, Review>;
  /** Of conversations, in the order in which they were written. */
  comments: Map<number, PullComment>;
  issues: Map<number, Issue>;
  /** By login in lower case. */
  roles: Map<string, RoleThere>;
}

export interface Issue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  author: Account;
  createdAt: number;
  /** The newest last. */
  labelled: { id: number; label: string; by: Account; at: number }[];
}

export type RoleThere = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

export interface Review {
  id: number;
  /** Of its pull request. */
  number: number;
  author: Account;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  sha: string;
  at: number;
  comments: ReviewComment[];
}

export interface ReviewComment {
  id: number;
  path: string;
  line: number;
  body: string;
  hunk: string;
}

/** In the conversation of an issue or a pull request. */
export interface PullComment {
  id: number;
  number: number;
  author: Account;
  body: string;
  /** Whether an App has written it, also for a person. */
  throughApp: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface PullRequest {
  id: number;
  number: number;
  title: string;
  body: string | null;
  author: Account;
  draft: boolean;
  state: 'open' | 'closed';
  head: { ref: string; sha: string };
  base: { ref: string; sha: string };
  createdAt: number;
  updatedAt: number;
  closedAt: number | undefined;
  merged: { at: number; by: Account; commit: string } | undefined;
  mergeability: Mergeability;
}

/**
 * Whether the two commits can be merged. GitHub computes it after it was asked for: `unanswered` is
 * how many more reads of the pull request find null.
 */
export interface Mergeability {
  head: string;
  base: string;
  unanswered: number;
  mergeable: boolean | null;
  /** The commit of GitHub's merge on trial, which `merge_commit_sha` shows before the real one. */
  trial: string | undefined;
}

/** An App that reports on commits, such as GitHub Actions. */
export interface Reporter {
  id: number;
  slug: string;
}

/** What one App has reported on one commit. */
export interface CheckSuite {
  id: number;
  reporter: Reporter;
  sha: string;
  branch: string | null;
  /** Without runs: of a workflow that did not start, or that GitHub gave up. */
  conclusion: Schema<'check-suite'>['conclusion'];
  createdAt: number;
  updatedAt: number;
}

export interface CheckRun {
  id: number;
  suite: CheckSuite;
  name: string;
  status: Schema<'check-run'>['status'];
  conclusion: Schema<'check-run'>['conclusion'];
  title: string | null;
  summary: string | null;
  detailsUrl: string | null;
  /** Of GitHub Actions only. */
  log: string | undefined;
  startedAt: number;
  completedAt: number | undefined;
}

export interface CommitStatus {
  id: number;
  sha: string;
  context: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  description: string | null;
  targetUrl: string | null;
  at: number;
}

export interface Deployment {
  id: number;
  sha: string;
  ref: string;
  environment: string;
  description: string | null;
  createdAt: number;
  updatedAt: number;
  /** The newest last. */
  statuses: DeploymentStatus[];
}

export interface DeploymentStatus {
  id: number;
  state: Schema<'deployment-status'>['state'];
  description: string;
  environmentUrl: string;
  logUrl: string;
  at: number;
}

export interface State {
  now(): number;
  /** The bare repositories are in this folder. */
  directory: string;
  app: { id: number; slug: string; name: string; owner: Account; createdAt: number };
  /** The actor of what the App does, and of what its repositories' people do. */
  bot: Account;
  person: Account;
  accounts: Map<string, Account>;
  people: People;
  installations: Map<number, Installation>;
  tokens: Map<string, Token>;
  repositories: Map<number, Repository>;
  /** Where renamed and transferred repositories are now, by `owner/name` in lower case. */
  formerNames: Map<string, number>;
  /** How many reads of a new pull request, or of one that has moved, find `mergeable` null. */
  mergeableAfter: number;
  /** Of each installation, and of the App itself. */
  budgets: Map<number, Budget>;
  at: Addresses;
  /** In the order in which they happened. */
  events: GithubEvent[];
  /** Their ids. */
  delivered: Set<string>;
  onEvent(event: GithubEvent): void;
}

// Random, so that the objects of two fakes never meet in one database.
let lastId = randomInt(100_000_000, 900_000_000);
export const newId = (): number => ++lastId;

export const newToken = (): string => `ghs_${randomBytes(27).toString('base64url').slice(0, 36)}`;

export function newState(directory: string, slug: string, at: Addresses): State {
  const now = Date.now;
  const owner: Account = { id: newId(), login: `${slug}-owner`, type: 'Organization' };
  return {
    now,
    directory,
    app: { id: newId(), slug, name: slug, owner, createdAt: now() },
    bot: { id: newId(), login: `${slug}[bot]`, type: 'User' },
    person: { id: newId(), login: 'octocat', type: 'User' },
    accounts: new Map(),
    people: newPeople(),
    installations: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    formerNames: new Map(),
    mergeableAfter: 1,
    budgets: new Map(),
    at,
    events: [],
    delivered: new Set(),
    onEvent: () => undefined,
  };
}

/** The account of this login, which is made if it does not exist. */
export function accountOf(
  state: State,
  login: string,
  type: Account['type'] = 'Organization',
): Account {
  const key = login.toLowerCase();
  const account = state.accounts.get(key) ?? { id: newId(), login, type };
  state.accounts.set(key, account);
  return account;
}

export const fullName = ({ owner, name }: Repository): string => `${owner.login}/${name}`;

/** By its name now, without regard to case. */
export function repositoryNamed(state: State, name: string): Repository | undefined {
  const key = name.toLowerCase();
  return [...state.repositories.values()].find((each) => fullName(each).toLowerCase() === key);
}

/** Those that an installation, or a token that was narrowed, can see: the oldest first. */
export function visibleTo(
  state: State,
  { account, selection, repositoryIds }: Installation,
  narrowed?: ReadonlySet<number>,
): Repository[] {
  return [...state.repositories.values()].filter(
    ({ id, owner }) =>
      owner.id === account.id &&
      (selection === 'all' || repositoryIds.has(id)) &&
      (narrowed === undefined || narrowed.has(id)),
  );
}
