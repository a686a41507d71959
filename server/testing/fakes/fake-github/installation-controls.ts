import {
  accountOf,
  type Installation,
  newId,
  type Permissions,
  type Repository,
  type State,
  visibleTo,
} from './state.ts';
import { installationEvent, selectionEvent } from './webhooks/account-payloads.ts';

/** What people do with the App at GitHub, for tests. */
export interface InstallationControls {
  /**
   * The App is installed on an account; default: with all permissions that Guildhall asks for, on
   * all repositories of the account.
   */
  install(login: string, options?: InstallOptions): Installation;
  suspend(installationId: number): void;
  unsuspend(installationId: number): void;
  uninstall(installationId: number): void;
  /** Further permissions, for tokens from now on. */
  grant(installationId: number, permissions: Permissions): void;
  /** Which repositories it can see from now on; undefined for all. */
  select(installationId: number, repositories: Repository[] | undefined): void;
}

interface InstallOptions {
  type?: 'User' | 'Organization';
  /** Default: all of the account. */
  repositories?: Repository[];
  permissions?: Permissions;
}

/** What Guildhall's App asks for. */
const ALL_PERMISSIONS: Permissions = {
  metadata: 'read',
  actions: 'read',
  checks: 'read',
  contents: 'write',
  deployments: 'read',
  issues: 'read',
  pull_requests: 'write',
  statuses: 'read',
};

export function installationControlsOf(state: State): InstallationControls {
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
      installationEvent(state, made, 'created');
      return made;
    },
    suspend(id) {
      const found = installation(id);
      found.suspendedAt = state.now();
      installationEvent(state, found, 'suspend');
    },
    unsuspend(id) {
      const found = installation(id);
      found.suspendedAt = undefined;
      installationEvent(state, found, 'unsuspend');
    },
    uninstall(id) {
      const found = installation(id);
      installationEvent(state, found, 'deleted');
      state.installations.delete(id);
    },
    grant(id, permissions) {
      const found = installation(id);
      found.permissions = { ...found.permissions, ...permissions };
      found.updatedAt = state.now();
      installationEvent(state, found, 'new_permissions_accepted');
    },
    select(id, repositories) {
      const found = installation(id);
      const before = visibleTo(state, found);
      found.selection = repositories === undefined ? 'all' : 'selected';
      found.repositoryIds = new Set(repositories?.map((each) => each.id));
      found.updatedAt = state.now();
      const now = visibleTo(state, found);
      const without = (some: Repository[], others: Repository[]) =>
        some.filter((each) => !others.includes(each));
      selectionEvent(state, found, 'added', without(now, before));
      selectionEvent(state, found, 'removed', without(before, now));
    },
  };
}
