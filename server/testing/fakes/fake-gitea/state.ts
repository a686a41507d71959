import { join } from 'node:path';
import { branchesOf, gitIn } from '../fake-github/git/bare.ts';

/** What the fake knows. */
export interface State {
  url: string;
  directory: string;
  tokens: Map<string, Token>;
  /** By their names in lower case. */
  people: Map<string, Person>;
  repositories: Map<number, Repository>;
  /** Repositories by the names that they had. */
  former: Map<string, Repository>;
  nextId: number;
  /** Comments of the conversation and on lines have one row of ids, reviews another. */
  nextComment: number;
  nextReview: number;
}

/** An account. An administrator may do everything that its token may. */
export interface Person {
  id: number;
  login: string;
  admin: boolean;
}

interface Token {
  person: Person;
  scopes: string;
}

export interface Repository {
  id: number;
  owner: string;
  name: string;
  defaultBranch: string;
  gitDir: string;
  pulls: Map<number, Pull>;
  statuses: Status[];
  hooks: Map<number, Hook>;
  /** What people other than administrators may do in it, by their names. */
  collaborators: Map<string, string>;
  comments: Map<number, Comment>;
  reviews: Map<number, Review>;
}

export interface Comment {
  id: number;
  /** The number of the pull request. */
  pull: number;
  by: Person;
  body: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface Review {
  id: number;
  pull: number;
  by: Person;
  state: 'APPROVED' | 'REQUEST_CHANGES' | 'COMMENT' | 'PENDING';
  body: string;
  createdAt: Date;
  updatedAt: Date;
  lines: Line[];
}

/** A comment on a line. */
export interface Line {
  id: number;
  by: Person;
  path: string;
  line: number;
  body: string;
  at: Date;
}

export interface Pull {
  number: number;
  title: string;
  head: string;
  headSha: string;
  base: string;
  state: 'open' | 'closed';
  mergeBase: string;
  mergeCommit: string | null;
  updatedAt: Date;
  /** Gitea says first that it cannot be merged, while it tries. */
  tried: boolean;
}

interface Status {
  id: number;
  sha: string;
  context: string;
  status: string;
  targetUrl: string;
  at: Date;
}

interface Hook {
  id: number;
  url: string;
  secret: string;
  events: string[];
}

export const shownPerson = ({ id, login, admin }: Person) => ({
  id,
  login,
  username: login,
  is_admin: admin,
});

export const named = (state: State, name: string): Repository | undefined =>
  [...state.repositories.values()].find(
    (each) => `${each.owner}/${each.name}`.toLowerCase() === name.toLowerCase(),
  );

export const gitDirOf = (state: State, id: number): string => join(state.directory, `${id}.git`);

/** Lets the open pull requests of a repository follow what was pushed. */
export async function follow(repository: Repository): Promise<void> {
  const branches = await branchesOf(repository.gitDir);
  for (const pull of repository.pulls.values()) {
    const sha = branches.get(pull.head);
    if (pull.state !== 'open' || sha === undefined || sha === pull.headSha) continue;
    pull.headSha = sha;
    pull.updatedAt = new Date();
    pull.tried = false;
  }
}

export const shownRepository = (state: State, { id, owner, name, defaultBranch }: Repository) => ({
  id,
  name,
  full_name: `${owner}/${name}`,
  default_branch: defaultBranch,
  archived: false,
  html_url: `${state.url}/${owner}/${name}`,
});

export async function shownPull(state: State, repository: Repository, pull: Pull) {
  const branches = await branchesOf(repository.gitDir);
  const merged = pull.mergeCommit !== null;
  const repo = shownRepository(state, repository);
  const tried = pull.tried;
  pull.tried = true;
  return {
    id: pull.number,
    number: pull.number,
    title: pull.title,
    html_url: `${repo.html_url}/pulls/${pull.number}`,
    state: pull.state,
    merged,
    mergeable: merged || (tried && (await mergedWith(repository, pull)) !== undefined),
    merge_commit_sha: pull.mergeCommit,
    merge_base: pull.mergeBase,
    updated_at: `${pull.updatedAt.toISOString().slice(0, 19)}Z`,
    head: { ref: pull.head, sha: pull.headSha, repo_id: repository.id, repo },
    base: { ref: pull.base, sha: branches.get(pull.base), repo_id: repository.id, repo },
  };
}

/** The tree of both; undefined if they conflict. */
export async function mergedWith(
  { gitDir }: Repository,
  { base, headSha }: Pick<Pull, 'base' | 'headSha'>,
): Promise<string | undefined> {
  return gitIn(gitDir, ['merge-tree', '--write-tree', `refs/heads/${base}`, headSha]).catch(
    () => undefined,
  );
}
