import type { GitHub } from './app.ts';
import { type GitHubRepository, named } from './pulls.ts';
import { inRepository } from './read-repository.ts';
import { GITHUB_PAGE } from './scan.ts';

/** Comments of one pull request that are searched for one that is there already. */
const MOST_PAGES = 10;
const CLOCKS_DIFFER_MS = 600_000;

interface NewComment {
  /** Names the comment, so that it is found again. */
  id: string;
  /** Of the pull request. */
  number: number;
  /** It is not older. */
  since: Date;
  text: string;
}

/**
 * Writes a comment into the conversation of a pull request, unless an attempt that did not live to
 * record it has done so. Throws a HostError.
 */
export async function postOnce(
  github: GitHub,
  repository: GitHubRepository,
  { id, number, since, text }: NewComment,
): Promise<void> {
  const api = inRepository(github, repository, { pull_requests: 'write' });
  const path = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
  const of = { ...named(repository), issue_number: number };
  // GitHub's clock may be behind.
  const early = new Date(since.getTime() - CLOCKS_DIFFER_MS).toISOString();
  const mark = `<!-- guildhall-review:${id} -->`;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const list = { ...of, since: early, per_page: GITHUB_PAGE, page };
    const { data } = await api.request(`GET ${path}`, list);
    if (data.some(({ user, body }) => user?.type === 'Bot' && body?.includes(mark))) return;
    if (data.length < GITHUB_PAGE) break;
  }
  await api.request(`POST ${path}`, { ...of, body: `${text}\n\n${mark}` });
}
