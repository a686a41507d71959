import { join } from 'node:path';
import { commitFiles, type Files, gitIn, initBare } from './git/bare.ts';
import { close, look } from './look.ts';
import { type Method, makeMerge } from './merges.ts';
import { authorOf, openPull } from './pulls.ts';
import {
  accountOf,
  fullName,
  newId,
  type PullRequest,
  type Repository,
  type State,
  visibleTo,
} from './state.ts';
import { repositoryEvent, selectionEvent } from './webhooks/account-payloads.ts';
import { pullEvent } from './webhooks/code-payloads.ts';

/** What people do with repositories at GitHub, for tests. */
export interface RepositoryControls {
  /** `owner/name` with a first commit on `main`; an account that does not exist is made. */
  addRepository(fullName: string, options?: RepositoryOptions): Promise<Repository>;
  /** Whatever is asked by its former name is redirected. */
  rename(repository: Repository, name: string): void;
  transfer(repository: Repository, login: string): void;
  removeRepository(repository: Repository): void;
  archive(repository: Repository): void;
  /** A person commits. Returns the commit's name. */
  commit(repository: Repository, commit: NewCommit): Promise<string>;
  deleteBranch(repository: Repository, branch: string): Promise<void>;
  /** Nothing is pushed to a protected branch, and what is merged needs these checks or statuses. */
  protect(repository: Repository, branch: string, required: string[]): void;
  /** A person opens a pull request; `base`: default the default branch. */
  openPull(
    repository: Repository,
    pull: { head: string; title: string; base?: string },
  ): Promise<PullRequest>;
  /** A person merges a pull request in the browser. Returns the commit. */
  mergePull(repository: Repository, number: number, method?: Method): Promise<string>;
  closePull(repository: Repository, number: number): void;
}

interface RepositoryOptions {
  private?: boolean;
  defaultBranch?: string;
  /** Of the first commit; null for a repository without one. */
  files?: Files | null;
}

/** `from`: the branch that a new branch begins at, default the default branch. */
interface NewCommit {
  files: Files;
  branch?: string;
  from?: string;
  message?: string;
}

export function repositoryControlsOf(state: State): RepositoryControls {
  const { person } = state;
  const pullOf = ({ pulls }: Repository, number: number): PullRequest => {
    const pull = pulls.get(number);
    if (pull?.state !== 'open') throw new Error(`There is no open pull request ${number}`);
    return pull;
  };
  return {
    addRepository: (name, options) => addRepository(state, name, options),
    rename(repository, name) {
      const from = repository.name;
      move(state, repository, { name });
      repositoryEvent(state, repository, { action: 'renamed', from });
    },
    transfer(repository, login) {
      const from = repository.owner;
      selectionEvents(state, repository, 'removed');
      move(state, repository, { owner: accountOf(state, login) });
      repositoryEvent(state, repository, { action: 'transferred', from });
      selectionEvents(state, repository, 'added');
    },
    removeRepository(repository) {
      repositoryEvent(state, repository, { action: 'deleted' });
      selectionEvents(state, repository, 'removed');
      state.repositories.delete(repository.id);
    },
    archive(repository) {
      repository.archived = true;
      repositoryEvent(state, repository, { action: 'archived' });
    },
    async commit(repository, given) {
      const { files, branch = repository.defaultBranch, message = 'Change', from } = given;
      const start = repository.branches.get(from ?? repository.defaultBranch);
      const commit = await commitFiles(repository.gitDir, branch, {
        files,
        message,
        ...(start === undefined ? {} : { from: start }),
        author: authorOf(person),
      });
      await look(state, repository, person);
      return commit;
    },
    async deleteBranch(repository, branch) {
      await gitIn(repository.gitDir, ['update-ref', '-d', `refs/heads/${branch}`]);
      await look(state, repository, person);
    },
    protect: (repository, branch, required) => void repository.required.set(branch, required),
    async openPull(repository, { head, title, base = repository.defaultBranch }) {
      const rest = { title, body: null, draft: false, author: person };
      const pull = await openPull(state, repository, { ...rest, head, base });
      pullEvent(state, repository, pull, { action: 'opened' }, person);
      return pull;
    },
    async mergePull(repository, number, method = 'merge') {
      const pull = pullOf(repository, number);
      const order = { method, title: undefined, message: undefined, by: person };
      const commit = await makeMerge(repository, pull, order);
      if (commit === undefined) throw new Error(`Pull request ${number} conflicts`);
      await gitIn(repository.gitDir, ['update-ref', `refs/heads/${pull.base.ref}`, commit]);
      pull.merged = { at: state.now(), by: person, commit };
      close(state, repository, pull, person);
      await look(state, repository, person);
      return commit;
    },
    closePull: (repository, number) => close(state, repository, pullOf(repository, number), person),
  };
}

/** To the installations that can see it, now or until now. */
function selectionEvents(state: State, repository: Repository, action: 'added' | 'removed'): void {
  for (const installation of state.installations.values())
    if (visibleTo(state, installation).includes(repository))
      selectionEvent(state, installation, action, [repository]);
}

function move(
  state: State,
  repository: Repository,
  to: Partial<Pick<Repository, 'name' | 'owner'>>,
): void {
  state.formerNames.set(fullName(repository).toLowerCase(), repository.id);
  Object.assign(repository, to, { updatedAt: state.now() });
  state.formerNames.delete(fullName(repository).toLowerCase());
}

async function addRepository(
  state: State,
  wanted: string,
  options: RepositoryOptions = {},
): Promise<Repository> {
  const { defaultBranch = 'main', files = { 'README.md': `# ${wanted}\n` } } = options;
  const [login = '', name = ''] = wanted.split('/');
  const now = state.now();
  const id = newId();
  const repository: Repository = {
    id,
    owner: accountOf(state, login),
    name,
    private: options.private ?? true,
    archived: false,
    defaultBranch,
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
    gitDir: join(state.directory, `${id}.git`),
    branches: new Map(),
    pulls: new Map(),
    nextNumber: 1,
    suites: new Map(),
    runs: new Map(),
    statuses: [],
    deployments: new Map(),
    required: new Map(),
    reviews: new Map(),
    comments: new Map(),
    issues: new Map(),
    roles: new Map(),
  };
  await initBare(repository.gitDir, defaultBranch);
  const author = authorOf(state.person);
  if (files !== null)
    await commitFiles(repository.gitDir, defaultBranch, { files, message: 'Begin', author });
  state.repositories.set(id, repository);
  state.formerNames.delete(wanted.toLowerCase());
  selectionEvents(state, repository, 'added');
  await look(state, repository, state.person);
  return repository;
}
