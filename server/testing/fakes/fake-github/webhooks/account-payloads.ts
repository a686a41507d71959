import { installationShape, nodeId, userShape } from '../shapes/accounts.ts';
import { repositoryShape } from '../shapes/repositories.ts';
import {
  type Account,
  fullName,
  type Installation,
  type Repository,
  type State,
  visibleTo,
} from '../state.ts';
import { emit, emitIn } from './events.ts';

/** Events of installations and repositories. */

/** What every event of a repository has. */
export const common = (
  { at }: State,
  repository: Repository,
  installation: Installation,
  by: Account,
) => ({
  repository: repositoryShape(repository, at),
  installation: { id: installation.id, node_id: nodeId('Installation', installation.id) },
  sender: userShape(by, at),
});

const briefly = (repository: Repository) => ({
  id: repository.id,
  node_id: nodeId('Repository', repository.id),
  name: repository.name,
  full_name: fullName(repository),
  private: repository.private,
});

export function installationEvent(
  state: State,
  installation: Installation,
  action: 'created' | 'deleted' | 'new_permissions_accepted' | 'suspend' | 'unsuspend',
): void {
  const { at, person } = state;
  emit(state, 'installation', {
    action,
    installation: installationShape(installation, state, at),
    repositories: visibleTo(state, installation).map(briefly),
    sender: userShape(person, at),
  });
}

export function selectionEvent(
  state: State,
  installation: Installation,
  action: 'added' | 'removed',
  repositories: Repository[],
): void {
  if (repositories.length === 0) return;
  const { at, person } = state;
  const changed = repositories.map(briefly);
  const rest = {
    installation: installationShape(installation, state, at),
    repository_selection: installation.selection,
    requester: null,
    sender: userShape(person, at),
  };
  const [none, all] = [[], changed];
  emit(
    state,
    'installation_repositories',
    action === 'added'
      ? { ...rest, action, repositories_added: all, repositories_removed: none }
      : { ...rest, action, repositories_added: none, repositories_removed: all },
  );
}

export function repositoryEvent(
  state: State,
  repository: Repository,
  change:
    | { action: 'archived' | 'deleted' }
    | { action: 'renamed'; from: string }
    | { action: 'transferred'; from: Account },
): void {
  emitIn(state, repository, 'repository', (installation) => {
    const rest = common(state, repository, installation, state.person);
    switch (change.action) {
      case 'renamed':
        return {
          ...rest,
          action: change.action,
          changes: { repository: { name: { from: change.from } } },
        };
      case 'transferred':
        return {
          ...rest,
          action: change.action,
          changes: { owner: { from: { user: userShape(change.from, state.at) } } },
        };
      default:
        return { ...rest, action: change.action };
    }
  });
}
