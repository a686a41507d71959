import type { CommitFacts } from '../git/commits.ts';
import { combined, outcomeOf } from '../reports.ts';
import type { Addresses } from '../state.ts';
import {
  type CheckRun,
  type CheckSuite,
  type CommitStatus,
  fullName,
  type Reporter,
  type Repository,
} from '../state.ts';
import type { Schema } from '../typed.ts';
import { nodeId, time, userShape } from './accounts.ts';
import { simpleCommitShape } from './commits.ts';
import { minimalPullShape } from './pulls.ts';
import { repositoryShape } from './repositories.ts';

const OWNER = { id: 9919, login: 'github', type: 'Organization' } as const;
/** When Apps came into being. */
const SINCE = '2018-07-30T09:30:17Z';

const reporterShape = ({ id, slug }: Reporter, at: Addresses) =>
  ({
    id,
    slug,
    node_id: nodeId('App', id),
    owner: userShape(OWNER, at),
    name: slug,
    description: null,
    external_url: 'https://help.github.com/en/actions',
    html_url: `${at.web}/apps/${slug}`,
    created_at: SINCE,
    updated_at: SINCE,
    permissions: { checks: 'write' as const, metadata: 'read' as const },
    events: ['check_run' as const, 'check_suite' as const],
  }) satisfies Schema<'nullable-integration'>;

const pullsOf = (sha: string, repository: Repository, at: Addresses) =>
  [...repository.pulls.values()]
    .filter(({ state, head }) => state === 'open' && head.sha === sha)
    .map((pull) => minimalPullShape(pull, repository, at));

export function checkRunShape(run: CheckRun, repository: Repository, at: Addresses) {
  const { id, suite, name, status, conclusion, title, summary, startedAt, completedAt } = run;
  const url = `${at.api}/repos/${fullName(repository)}/check-runs/${id}`;
  const html = `${at.web}/${fullName(repository)}/actions/runs/${suite.id}/job/${id}`;
  return {
    id,
    node_id: nodeId('CheckRun', id),
    head_sha: suite.sha,
    external_id: '',
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status,
    conclusion,
    started_at: time(startedAt),
    completed_at: completedAt === undefined ? null : time(completedAt),
    output: {
      title,
      summary,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    name,
    check_suite: { id: suite.id },
    app: reporterShape(suite.reporter, at),
    pull_requests: pullsOf(suite.sha, repository, at),
  } satisfies Schema<'check-run'>;
}

export function checkSuiteShape(
  suite: CheckSuite,
  commit: CommitFacts,
  repository: Repository,
  at: Addresses,
) {
  const { id, sha, branch, reporter } = suite;
  const url = `${at.api}/repos/${fullName(repository)}/check-suites/${id}`;
  return {
    id,
    node_id: nodeId('CheckSuite', id),
    head_branch: branch,
    head_sha: sha,
    ...outcomeOf(suite, repository),
    url,
    before: commit.parents[0] ?? null,
    after: sha,
    pull_requests: pullsOf(sha, repository, at),
    app: reporterShape(reporter, at),
    repository: repositoryShape(repository, at),
    created_at: time(suite.createdAt),
    updated_at: time(suite.updatedAt),
    head_commit: simpleCommitShape(commit),
    latest_check_runs_count: [...repository.runs.values()].filter((run) => run.suite === suite)
      .length,
    check_runs_url: `${url}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  } satisfies Schema<'check-suite'>;
}

const statusShape = (
  { id, sha, context, state, description, targetUrl, at: when }: CommitStatus,
  repository: Repository,
  at: Addresses,
) =>
  ({
    id,
    node_id: nodeId('StatusContext', id),
    url: `${at.api}/repos/${fullName(repository)}/statuses/${sha}`,
    avatar_url: null,
    state,
    context,
    description,
    target_url: targetUrl,
    created_at: time(when),
    updated_at: time(when),
  }) satisfies Schema<'simple-commit-status'>;

/** `shown`: those of the page. */
export function combinedShape(
  sha: string,
  all: CommitStatus[],
  shown: CommitStatus[],
  repository: Repository,
  at: Addresses,
): Schema<'combined-commit-status'> {
  const url = `${at.api}/repos/${fullName(repository)}/commits/${sha}`;
  return {
    state: combined(all),
    statuses: shown.map((each) => statusShape(each, repository, at)),
    sha,
    total_count: all.length,
    repository: repositoryShape(repository, at),
    commit_url: url,
    url: `${url}/status`,
  };
}
