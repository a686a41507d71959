import type { Account, Issue, Repository, State } from '../state.ts';
import { common } from './account-payloads.ts';
import { emitIn } from './events.ts';

/** Events of issues: without most of what GitHub repeats of the issue. */
export function labelEvent(
  state: State,
  repository: Repository,
  { number, title }: Issue,
  name: string,
  by: Account,
): void {
  emitIn(state, repository, 'issues', (installation) => ({
    ...common(state, repository, installation, by),
    action: 'labeled',
    issue: { number, title },
    label: { name },
  }));
}
