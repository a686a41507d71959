import { join } from 'node:path';
import { commitFiles, type Files, gitIn, initBare } from './git/bare.ts';
import { look } from './look.ts';
import { authorOf } from './pulls.ts';
import {
  accountOf,
  fullName,
  type Installation,
  newId,
  type Permissions,
  type Repository,
  type State,
} from './state.ts';

/** What people do at GitHub, for tests. */
export interface Controls {
  /**
   * The App is installed on an account; default: with all permissions that Guildhall asks for, on all
   * repositories of the account.
   */
  install(login: string, options?: InstallOptions): Installation;
  suspend(installationId: number): void;
  unsuspend(installationId: number): void;
  uninstall(installationId: number): void;
  /** `owner/name` with a first commit on `main`; an account that does not exist is made. */
  addRepository(fullName: string, options?: RepositoryOptions): Promise<Repository>;
  /** Whatever is asked by its former name is redirected. */
  rename(repository: Repository, name: string): void;
  transfer(repository: Repository, login: string): void;
  removeRepository(repository: Repository): void;
  archive(repository: Repository): void;
  /** Which repositories an installation can see from now on; undefined for all. */
  select(installationId: number, repositories: Repository[] | undefined): void;
  /** A person commits. Returns the commit's name. */
  commit(repository: Repository, commit: NewCommit): Promise<string>;
  deleteBranch(repository: Repository, branch: string): Promise<void>;
}

export interface InstallOptions {
  type?: 'User' | 'Organization';
  /** Default: all of the account. */
  repositories?: Repository[];
  permissions?: Permissions;
}

export interface RepositoryOptions {
  private?: boolean;
  defaultBranch?: string;
  /** Of the first commit; null for a repository without one. */
  files?: Files | null;
}

/** `from`: the branch that a new branch begins at, default the default branch. */
export interface NewCommit {
  files: Files;
  branch?: string;
  from?: string;
  message?: string;
}

/** What Guildhall's App asks for. */
export const ALL_PERMISSIONS: Permissions = {
  metadata: 'read',
  actions: 'read',
  checks: 'read',
  contents: 'write',
  deployments: 'read',
  pull_requests: 'write',
  statuses: 'read',
};

export function controlsOf(state: State): Controls {
  const installation = (id: number): Installation => {
    const found = state.installations.get(id);
    if (found === undefined) throw new Error(`There is no installation ${id}`);
    return found;
  };
  return {
    install(login, { type, repositories, permissions = ALL_PERMISSIONS } = {}) {
      const now = state.now();
      const made: Installation = {
        id: newId(),
        account: accountOf(state, login, type),
        selection: repositories === undefined ? 'all' : 'selected',
        repositoryIds: new Set(repositories?.map(({ id }) => id)),
        permissions,
        createdAt: now,
        updatedAt: now,
        suspendedAt: undefined,
      };
      state.installations.set(made.id, made);
      return made;
    },
    suspend(id) {
      installation(id).suspendedAt = state.now();
    },
    unsuspend(id) {
      installation(id).suspendedAt = undefined;
    },
    uninstall: (id) => void state.installations.delete(installation(id).id),
    addRepository: (name, options) => addRepository(state, name, options),
    rename: (repository, name) => move(state, repository, { name }),
    transfer: (repository, login) => move(state, repository, { owner: accountOf(state, login) }),
    removeRepository: ({ id }) => void state.repositories.delete(id),
    archive(repository) {
      repository.archived = true;
    },
    select(id, repositories) {
      const found = installation(id);
      found.selection = repositories === undefined ? 'all' : 'selected';
      found.repositoryIds = new Set(repositories?.map((each) => each.id));
      found.updatedAt = state.now();
    },
    async commit(
      repository,
      { files, branch = repository.defaultBranch, message = 'Change', from },
    ) {
      const start = repository.branches.get(from ?? repository.defaultBranch);
      const commit = await commitFiles(repository.gitDir, branch, {
        files,
        message,
        ...(start === undefined ? {} : { from: start }),
        author: authorOf(state.person),
      });
      await look(state, repository, state.person);
      return commit;
    },
    async deleteBranch(repository, branch) {
      await gitIn(repository.gitDir, ['update-ref', '-d', `refs/heads/${branch}`]);
      await look(state, repository, state.person);
    },
  };
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
  };
  await initBare(repository.gitDir, defaultBranch);
  const author = authorOf(state.person);
  if (files !== null)
    await commitFiles(repository.gitDir, defaultBranch, { files, message: 'Begin', author });
  state.repositories.set(id, repository);
  state.formerNames.delete(wanted.toLowerCase());
  await look(state, repository, state.person);
  return repository;
}
