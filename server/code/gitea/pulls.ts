import { setTimeout as pause } from 'node:timers/promises';
import type { HostedRepository } from '../../access/hosted-repository.ts';
import type { HostPull, NewPull, PullMerge } from '../hosts/code-host.ts';
import { HostError, unlessGone } from '../hosts/host-error.ts';
import { MergeRefused } from '../repositories/merging.ts';
import { commitOf, fields, idOf, named, part, textOf } from './api.ts';
import type { Gitea } from './open-gitea.ts';
import { inRepository } from './read-repository.ts';

/** Pull requests, as Gitea and Forgejo have them. */

type Ask = Awaited<ReturnType<typeof inRepository>>;

const AGAIN_MS = 1_000;
/** How often a merge is asked for while Gitea still tries it out, or its base moves. */
const ATTEMPTS = 5;
/** So long after a change, one that cannot be merged may not have been tried out yet. */
const SETTLES_MS = 10_000;

export async function openPull(
  gitea: Gitea,
  repository: HostedRepository,
  pull: NewPull,
): Promise<HostPull> {
  const ask = await inRepository(gitea, repository);
  const there = await openPullOf(gitea, repository, ask, pull);
  if (there !== undefined) return there;
  try {
    const { data } = await ask({ method: 'POST', path: '/pulls', body: pull });
    return await shownBy(gitea, repository, data);
  } catch (error) {
    // Opened meanwhile, by someone else or by an attempt whose answer did not arrive.
    if (!(error instanceof HostError) || (error.status !== 409 && !error.passes)) throw error;
    const opened = await openPullOf(gitea, repository, ask, pull);
    if (opened === undefined) throw error;
    return opened;
  }
}

async function openPullOf(
  gitea: Gitea,
  repository: HostedRepository,
  ask: Ask,
  { base, head }: NewPull,
) {
  const found = await unlessGone(() => ask({ path: `/pulls/${part(base)}/${part(head)}` }));
  if (found === undefined) return undefined;
  const pull = await shownBy(gitea, repository, found.data);
  return pull.state === 'open' ? pull : undefined;
}

export async function readPull(
  gitea: Gitea,
  repository: HostedRepository,
  number: number,
): Promise<HostPull> {
  const ask = await inRepository(gitea, repository);
  return shownBy(gitea, repository, (await ask({ path: `/pulls/${number}` })).data);
}

export async function retargetPull(
  gitea: Gitea,
  repository: HostedRepository,
  number: number,
  base: string,
): Promise<HostPull> {
  const ask = await inRepository(gitea, repository);
  const changed = await ask({ method: 'PATCH', path: `/pulls/${number}`, body: { base } });
  return shownBy(gitea, repository, changed.data);
}

async function shownBy(
  gitea: Gitea,
  repository: HostedRepository,
  data: unknown,
): Promise<HostPull> {
  const pull = fields(data);
  const [head, base] = [fields(pull.head), fields(pull.base)];
  if (Number(base.repo_id) !== repository.repositoryId)
    throw new HostError('gitea_repository_gone');
  const number = idOf(pull.number, 'number');
  const merged = pull.merged === true;
  const updatedAt = new Date(textOf(pull.updated_at, 'time'));
  if (Number.isNaN(updatedAt.getTime())) throw new HostError('gitea_unavailable');
  const { url } = await gitea.server(repository.connectionId);
  const fullName = fields(base.repo).full_name;
  const path = named(typeof fullName === 'string' ? fullName : repository.fullName);
  return {
    number,
    // Its own may be anything.
    url: `${url}/${path}/pulls/${number}`,
    state: merged ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    headSha: commitOf(head.sha, 'head'),
    base: textOf(base.ref, 'base'),
    // Of a merged one, the base has the merge itself.
    baseSha: commitOf(merged ? pull.merge_base : base.sha, 'base'),
    mergeable: mergeableOf(pull.mergeable === true, updatedAt),
    mergeCommit: merged ? commitOf(pull.merge_commit_sha, 'merge commit') : null,
    updatedAt,
  };
}

/** Gitea says no as well while it tries. */
const mergeableOf = (said: boolean, updatedAt: Date): boolean | null =>
  said || (Date.now() - updatedAt.getTime() < SETTLES_MS ? null : false);

/** As `mergePull` of GitHub. */
export async function mergePull(
  gitea: Gitea,
  repository: HostedRepository,
  number: number,
  { head, base, method, message }: PullMerge,
): Promise<string> {
  const ask = await inRepository(gitea, repository);
  const [title = '', ...body] = message.split('\n');
  for (let attempt = 1; ; attempt++) {
    const pull = await readPull(gitea, repository, number);
    if (pull.mergeCommit !== null) return pull.mergeCommit;
    if (pull.state === 'closed') throw new MergeRefused('pull_request_closed', CLOSED);
    if (pull.headSha !== head) throw headChanged(head, pull.headSha);
    // Merging into another branch may take another right.
    if (pull.base !== base) throw baseChanged(base, pull.base);
    try {
      await ask({
        method: 'POST',
        path: `/pulls/${number}/merge`,
        body: {
          Do: method,
          head_commit_id: head,
          MergeTitleField: title,
          MergeMessageField: body.join('\n').trim(),
        },
      });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const { status, said = '' } = error;
      if (status === 409 && /out of date/i.test(said)) throw headChanged(head);
      if (status !== 405 && status !== 409) throw error;
      // Gitea says the same of a conflict, and while it tries out whether there is one.
      if (!/try again later/i.test(said) && status === 405 && !/already merged/i.test(said))
        throw notMergeable(said);
      if (attempt >= ATTEMPTS) throw notMergeable(said);
      await pause(AGAIN_MS);
    }
  }
}

const CLOSED = 'The pull request was closed on its host: reopen it there, then merge again.';

const headChanged = (expected: string, head = 'another commit') =>
  new MergeRefused(
    'head_changed',
    `The branch of the task is at ${head} on its host now, not at ${expected}: look at the ` +
      'changes, then merge again.',
  );

const baseChanged = (expected: string, base: string) =>
  new MergeRefused(
    'base_changed',
    `The pull request is to be merged into ${base} on its host now, not into ${expected}: choose ` +
      'what it is merged into, then merge again.',
  );

const notMergeable = (said: string) =>
  new MergeRefused(
    'not_mergeable',
    `The Gitea or Forgejo server does not merge it (${said.slice(0, 300)}): it may conflict with its ` +
      'base, or lack an approval or a status that the protection of the branch asks for.',
  );
