import type { HostedRepository } from '../../access/hosted-repository.ts';
import type { HostCheck } from '../hosts/code-host.ts';
import { storable } from '../hosts/storable-check.ts';
import { fields, type GiteaServer, items, textOf } from './api.ts';
import type { Gitea } from './open-gitea.ts';
import { GITEA_PAGE, inRepository } from './read-repository.ts';

/** Of one commit: 500 contexts. */
const MOST_PAGES = 10;

/** The newest commit status of each context: Actions of Gitea and Forgejo report so, too. */
export async function readChecks(
  gitea: Gitea,
  repository: HostedRepository,
  commit: string,
): Promise<HostCheck[]> {
  const ask = await inRepository(gitea, repository);
  const server = await gitea.server(repository.connectionId);
  const found: HostCheck[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const query = { page, limit: GITEA_PAGE };
    const { data } = await ask({ path: `/commits/${commit}/status`, query });
    const statuses = items(fields(data).statuses);
    found.push(...statuses.map((each) => storable(ofStatus(each, server))));
    if (statuses.length < GITEA_PAGE) break;
  }
  return found;
}

const CONCLUSIONS: Partial<Record<string, string>> = {
  success: 'success',
  skipped: 'skipped',
  // What Gitea itself counts as one in the state of the commit.
  warning: 'failure',
};

function ofStatus(status: Record<string, unknown>, { url }: GiteaServer): HostCheck {
  const state = textOf(status.status, 'status');
  const completed = state !== 'pending';
  return {
    id: null,
    name: String(status.context ?? ''),
    url: addressOf(status.target_url, url),
    state: completed ? 'completed' : 'in_progress',
    conclusion: completed ? (CONCLUSIONS[state] ?? 'failure') : null,
    startedAt: timeOf(status.created_at),
    completedAt: completed ? timeOf(status.updated_at) : null,
  };
}

/** Those of Actions are relative to the server. */
function addressOf(target: unknown, server: string): string | null {
  if (typeof target !== 'string' || target === '') return null;
  const url = URL.parse(target, server);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : null;
}

const timeOf = (value: unknown): string | null =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;
