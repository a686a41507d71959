import { gitIn } from '../git/bare.ts';
import { close, look } from '../look.ts';
import { type Method, makeMerge } from '../merges.ts';
import { errorBody, invalid } from '../refusals.ts';
import { latest, statusesOf } from '../reports.ts';
import { repositoryRoute } from '../router.ts';
import type { PullRequest, Repository } from '../state.ts';
import { pullOf } from './pulls.ts';

const PASSED: ReadonlySet<unknown> = new Set(['success', 'neutral', 'skipped']);
const METHODS: ReadonlySet<unknown> = new Set<Method>(['merge', 'squash', 'rebase']);

const refusal = <const Status extends 404 | 405 | 409>(status: Status, message: string) => ({
  status,
  body: errorBody(status, message),
});

/** The 405 is final: the branches conflict, or the pull request is closed. */
const notMergeable = () => refusal(405, 'Pull Request is not mergeable');

export const MERGE_ROUTES = [
  repositoryRoute('put', '/repos/{owner}/{repo}/pulls/{pull_number}/merge', { contents: 'write' })(
    async (call) => {
      const { state, repository, body, fault } = call;
      const pull = pullOf(call);
      if (pull === undefined) return refusal(404, 'Not Found');
      const { sha, merge_method: method = 'merge' } = body;
      if (!METHODS.has(method) || (sha !== undefined && !/^[0-9a-f]{40}$/.test(String(sha)))) {
        const field = METHODS.has(method) ? 'sha' : 'merge_method';
        return { status: 422, body: invalid({ resource: 'PullRequest', code: 'invalid', field }) };
      }
      if (pull.state === 'closed') return notMergeable();
      if (pull.draft) return refusal(405, 'Pull Request is still a draft');
      if (sha !== undefined && sha !== pull.head.sha)
        return refusal(409, 'Head branch was modified. Review and try the merge again.');
      const { base } = pull;
      const missing = missingOf(repository, pull);
      if (missing !== undefined) return refusal(405, missing);
      const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
      const commit = await makeMerge(repository, pull, {
        method: method as Method,
        title: text(body.commit_title),
        message: text(body.commit_message),
        by: state.bot,
      });
      if (commit === undefined) return notMergeable();
      // Git lets only one of two who merge at once move the branch.
      const moves = ['update-ref', `refs/heads/${base.ref}`, commit, base.sha];
      const late = fault?.kind === 'baseModified';
      if (late || !(await moved(repository.gitDir, moves)))
        return refusal(405, 'Base branch was modified. Review and try the merge again.');
      pull.merged = { at: state.now(), by: state.bot, commit };
      close(state, repository, pull, state.bot);
      await look(state, repository, state.bot);
      return {
        status: 200,
        body: { sha: commit, merged: true, message: 'Pull Request successfully merged' },
      };
    },
  ),
];

/** Why the protection of the base refuses a merge, in GitHub's words. */
function missingOf(repository: Repository, { head, base }: PullRequest): string | undefined {
  const { required, runs } = repository;
  const states = new Map([
    ...latest([...runs.values()].filter(({ suite }) => suite.sha === head.sha)).map(
      ({ name, status, conclusion }) =>
        [name, status === 'completed' ? conclusion : 'pending'] as const,
    ),
    ...statusesOf(repository, head.sha).map(({ context, state }) => [context, state] as const),
  ]);
  for (const name of required.get(base.ref) ?? []) {
    const found = states.get(name);
    if (found === undefined) return `Required status check "${name}" is expected.`;
    if (found === 'pending') return `Required status check "${name}" is pending.`;
    if (!PASSED.has(found)) return `Required status check "${name}" is failing.`;
  }
  return undefined;
}

const moved = (gitDir: string, args: string[]): Promise<boolean> =>
  gitIn(gitDir, args).then(
    () => true,
    () => false,
  );
