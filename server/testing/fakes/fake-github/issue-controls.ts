import { accountOf, type Issue, newId, type Repository, type State } from './state.ts';
import { labelEvent } from './webhooks/issue-payloads.ts';

/** What people do with issues at GitHub, for tests. */
export interface IssueControls {
  /** Someone writes an issue. */
  issue(repository: Repository, issue: { by: string; title: string; body?: string }): Issue;
  /** Someone gives an issue a label; a bot's login ends in `[bot]`. */
  label(repository: Repository, number: number, label: { by: string; name: string }): void;
}

export const issueControlsOf = (state: State): IssueControls => ({
  issue(repository, { by, title, body = null }) {
    const issue: Issue = {
      id: newId(),
      number: repository.nextNumber++,
      title,
      body,
      author: accountOf(state, by, 'User'),
      createdAt: state.now(),
      labelled: [],
    };
    repository.issues.set(issue.number, issue);
    return issue;
  },
  label(repository, number, { by, name }) {
    const issue = repository.issues.get(number);
    if (issue === undefined) throw new Error(`There is no issue ${number}`);
    const account = accountOf(state, by, 'User');
    issue.labelled.push({ id: newId(), label: name, by: account, at: state.now() });
    labelEvent(state, repository, issue, name, account);
  },
});
