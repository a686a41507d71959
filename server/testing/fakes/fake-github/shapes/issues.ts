import { type Addresses, fullName, type Issue, type Repository } from '../state.ts';
import type { Schema } from '../typed.ts';
import { nodeId, time, userShape } from './accounts.ts';

export function issueShape(
  { id, number, title, body, author, createdAt, labelled }: Issue,
  repository: Repository,
  at: Addresses,
): Schema<'issue'> {
  const of = `${at.api}/repos/${fullName(repository)}`;
  const url = `${of}/issues/${number}`;
  return {
    id,
    node_id: nodeId('Issue', id),
    url,
    repository_url: of,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${at.web}/${fullName(repository)}/issues/${number}`,
    number,
    state: 'open',
    title,
    body,
    user: userShape(author, at),
    labels: [...new Set(labelled.map(({ label }) => label))],
    assignee: null,
    milestone: null,
    locked: false,
    comments: 0,
    closed_at: null,
    created_at: time(createdAt),
    updated_at: time(createdAt),
    author_association: 'NONE',
  };
}

export const labelledShape = (
  { id, label, by, at: when }: Issue['labelled'][number],
  repository: Repository,
  at: Addresses,
): Schema<'labeled-issue-event'> => ({
  id,
  node_id: nodeId('LabeledEvent', id),
  url: `${at.api}/repos/${fullName(repository)}/issues/events/${id}`,
  actor: userShape(by, at),
  event: 'labeled',
  commit_id: null,
  commit_url: null,
  created_at: time(when),
  performed_via_github_app: null,
  label: { name: label, color: 'ededed' },
});
