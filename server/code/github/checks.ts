import type { HostCheck } from '../hosts/code-host.ts';
import { HostError } from '../hosts/host-error.ts';
import { storable } from '../hosts/storable-check.ts';
import type { GitHub } from './app.ts';
import { type GitHubRepository, named } from './pulls.ts';
import { inRepository } from './read-repository.ts';

/** What one commit may have; a workflow with a matrix has some hundreds. */
const MOST_CHECKS = 1_000;
const PAGE = 100;

/** The newest check runs and statuses of a commit. Throws a HostError. */
export async function readChecks(
  github: GitHub,
  repository: GitHubRepository,
  commit: string,
): Promise<HostCheck[]> {
  const api = inRepository(github, repository, { checks: 'read', statuses: 'read' });
  const at = { ...named(repository), ref: commit, per_page: PAGE };
  let read = 0;
  const runs = await api.paginate(
    'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
    at,
    ({ data }, done) => {
      read += data.length;
      if (read >= MOST_CHECKS) done();
      return data;
    },
  );
  const { data: suites } = await api.request(
    'GET /repos/{owner}/{repo}/commits/{ref}/check-suites',
    at,
  );
  const { data } = await api.request('GET /repos/{owner}/{repo}/commits/{ref}/status', at);
  return [
    ...runs.map(ofRun),
    ...suites.check_suites.filter(neverBegan).map(ofSuite),
    ...data.statuses.map(ofStatus),
  ]
    .slice(0, MOST_CHECKS)
    .map(storable);
}

interface Suite {
  app: { name: string } | null;
  conclusion: string | null;
  latest_check_runs_count: number;
  updated_at: string | null;
}

/** A workflow that GitHub could not even start has no runs to say so. */
const neverBegan = ({ conclusion, latest_check_runs_count }: Suite) =>
  latest_check_runs_count === 0 && (conclusion === 'startup_failure' || conclusion === 'stale');

const ofSuite = ({ app, conclusion, updated_at }: Suite): HostCheck => ({
  id: null,
  name: app?.name ?? 'Checks',
  state: 'completed',
  conclusion,
  url: null,
  startedAt: null,
  completedAt: updated_at,
});

interface Run {
  id: number | bigint;
  name: string;
  status: string;
  conclusion: string | null;
  details_url: string | null;
  started_at: string | null;
  completed_at: string | null;
}

function ofRun(run: Run): HostCheck {
  const completed = run.status === 'completed' && run.conclusion !== null;
  return {
    id: Number(run.id),
    name: run.name,
    url: run.details_url,
    startedAt: run.started_at,
    // waiting, requested and pending have not begun.
    state: completed ? 'completed' : run.status === 'in_progress' ? 'in_progress' : 'queued',
    conclusion: completed ? run.conclusion : null,
    completedAt: completed ? run.completed_at : null,
  };
}

interface Status {
  context: string;
  state: string;
  target_url: string | null;
  created_at: string;
  updated_at: string;
}

function ofStatus({ context, state, target_url, created_at, updated_at }: Status): HostCheck {
  const completed = state !== 'pending';
  return {
    id: null,
    name: context,
    url: target_url,
    startedAt: created_at,
    state: completed ? 'completed' : 'in_progress',
    conclusion: completed ? (state === 'success' ? 'success' : 'failure') : null,
    completedAt: completed ? updated_at : null,
  };
}

/**
 * What a check run has written: the log of the job where GitHub Actions ran it, and what another app
 * reports otherwise. Throws a HostError.
 */
export async function readCheckLog(
  github: GitHub,
  repository: GitHubRepository,
  checkId: number,
): Promise<string> {
  const api = inRepository(github, repository, { checks: 'read', actions: 'read' });
  const { data } = await api.request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    ...named(repository),
    check_run_id: checkId,
  });
  const { title, summary, text } = data.output;
  const reported = [title, summary, text].filter(Boolean).join('\n\n');
  if (data.app?.slug !== 'github-actions') return reported;
  try {
    // The check run of a job has the id of the job.
    const path = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
    const log = await api.request(path, { ...named(repository), job_id: checkId });
    return String(log.data);
  } catch (error) {
    // Not written yet, or removed after its time.
    if (error instanceof HostError && (error.status === 404 || error.status === 410))
      return reported;
    throw error;
  }
}
