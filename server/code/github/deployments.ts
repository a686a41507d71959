import { shownText } from '../hosts/shown-text.ts';
import type { GitHub } from './app.ts';
import { type GitHubRepository, named } from './pulls.ts';
import { inRepository } from './read-repository.ts';

/** A deployment of a commit, or a commit status that says how one went. */
export interface HostDeploy {
  /** Of a deployment. */
  id: number | null;
  /** The name of a commit status. */
  context: string | null;
  stage: 'staging' | 'production' | null;
  state: 'queued' | 'running' | 'success' | 'failed' | 'superseded';
  reason: string | null;
  url: string | null;
  createdAt: string;
  endedAt: string | null;
}

const MOST = 20;

const STATES: Record<string, HostDeploy['state']> = {
  queued: 'queued',
  pending: 'queued',
  waiting: 'queued',
  in_progress: 'running',
  success: 'success',
  failure: 'failed',
  error: 'failed',
  inactive: 'superseded',
};

/** By the names that people give them; null where the name says nothing. */
function stageOf(name: string): HostDeploy['stage'] {
  if (/\bprod(uction)?\b|\blive\b/i.test(name)) return 'production';
  return /\b(staging|stage|test|uat|preview|dev(elopment)?)\b/i.test(name) ? 'staging' : null;
}

/** A commit status that is about a deployment, such as `ci/odoo.sh (production)`. */
const isDeploy = ({ context }: { context: string }) =>
  /deploy/i.test(context) || (/\(.+\)/.test(context) && stageOf(context) !== null);

/** How a commit is deployed, as GitHub has it now. Throws a HostError. */
export async function readDeploys(
  github: GitHub,
  repository: GitHubRepository,
  commit: string,
): Promise<HostDeploy[]> {
  const api = inRepository(github, repository, { deployments: 'read', statuses: 'read' });
  const at = named(repository);
  const { data: deployments } = await api.request('GET /repos/{owner}/{repo}/deployments', {
    ...at,
    sha: commit,
    per_page: MOST,
  });
  const found: HostDeploy[] = [];
  for (const { id, environment, created_at } of deployments) {
    const path = 'GET /repos/{owner}/{repo}/deployments/{deployment_id}/statuses';
    const { data } = await api.request(path, { ...at, deployment_id: Number(id), per_page: 1 });
    const [last] = data;
    const state = STATES[last?.state ?? 'queued'] ?? 'queued';
    found.push({
      id: Number(id),
      context: null,
      stage: stageOf(environment),
      state,
      reason: textOf(last?.description),
      url: textOf(last?.log_url) ?? textOf(last?.environment_url),
      createdAt: created_at,
      endedAt: state === 'queued' || state === 'running' ? null : (last?.updated_at ?? created_at),
    });
  }
  const path = 'GET /repos/{owner}/{repo}/commits/{ref}/status';
  const { data } = await api.request(path, { ...at, ref: commit, per_page: 100 });
  for (const status of data.statuses.filter(isDeploy).slice(0, MOST))
    found.push({
      id: null,
      context: shownText(status.context, 1_000),
      stage: stageOf(status.context),
      state: status.state === 'pending' ? 'running' : (STATES[status.state] ?? 'running'),
      reason: textOf(status.description),
      url: textOf(status.target_url),
      createdAt: status.created_at,
      endedAt: status.state === 'pending' ? null : status.updated_at,
    });
  return found;
}

const textOf = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === '' ? null : shownText(text.trim(), 1_000);
