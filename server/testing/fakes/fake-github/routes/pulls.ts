import { isAncestor } from '../git/bare.ts';
import { changedFiles } from '../git/commits.ts';
import { close } from '../look.ts';
import { pageOf } from '../pages.ts';
import { measure, openPull, openPullBetween, readMergeable } from '../pulls.ts';
import { errorBody, invalid, notFound } from '../refusals.ts';
import { type InRepository, repositoryRoute } from '../router.ts';
import { fileShape } from '../shapes/commits.ts';
import { pullShape, simplePullShape } from '../shapes/pulls.ts';
import type { PullRequest } from '../state.ts';
import { pullEvent } from '../webhooks/code-payloads.ts';

const PULLS = '/repos/{owner}/{repo}/pulls';
const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';

/** Pull requests, except their merges. */
export const PULL_ROUTES = [
  repositoryRoute('get', PULLS, { pull_requests: 'read' })((call) => {
    const { repository, at, query, self } = call;
    const { items, headers } = pageOf(chosen(call), query, self);
    return {
      status: 200,
      body: items.map((pull) => simplePullShape(pull, repository, at)),
      headers,
    };
  }),

  repositoryRoute('post', PULLS, { pull_requests: 'write' })(async (call) => {
    const { state, repository, body } = call;
    // Nothing is awaited between this look and the opening: of two at once, the second sees the first.
    const fault = (await faultOf(call)) ?? alreadyOpen(call);
    if (fault !== undefined) return { status: 422, body: invalid(fault) };
    const pull = await openPull(state, repository, {
      title: String(body.title),
      body: typeof body.body === 'string' ? body.body : null,
      head: headOf(call),
      base: String(body.base),
      draft: body.draft === true,
      author: state.bot,
    });
    pullEvent(state, repository, pull, { action: 'opened' }, state.bot);
    const shown = await shownAlone(call, pull);
    return { status: 201, body: shown, headers: { location: shown.url } };
  }),

  repositoryRoute('get', PULL, { pull_requests: 'read' })(async (call) => {
    const pull = pullOf(call);
    if (pull === undefined) return { status: 404, body: errorBody(404, 'Not Found') };
    return { status: 200, body: await shownAlone(call, pull) };
  }),

  repositoryRoute('patch', PULL, { pull_requests: 'write' })(async (call) => {
    const pull = pullOf(call);
    if (pull === undefined) throw notFound();
    const fault = unchangeable(pull, call);
    if (fault !== undefined) return { status: 422, body: invalid(fault) };
    change(pull, call);
    return { status: 200, body: await shownAlone(call, pull) };
  }),

  repositoryRoute('get', `${PULL}/files`, { pull_requests: 'read' })(async (call) => {
    const { repository, at, query, self } = call;
    const pull = pullOf(call);
    if (pull === undefined) throw notFound();
    const { head, base } = pull;
    const files = await changedFiles(repository.gitDir, base.sha, head.sha);
    const { items, headers } = pageOf(files, query, self);
    const body = items.map((each) => fileShape(each, head.sha, repository, at));
    return { status: 200, body, headers };
  }),
];

async function shownAlone({ state, repository, at }: InRepository, pull: PullRequest) {
  const mergeable = await readMergeable(state, repository, pull);
  return pullShape(pull, await measure(repository, pull, mergeable), repository, at);
}

/** Only what the body names. */
function change(pull: PullRequest, { state, repository, body }: InRepository): void {
  const { title, body: text, base } = pull;
  if (typeof body.title === 'string') pull.title = body.title;
  if (body.body !== undefined) pull.body = body.body === null ? null : String(body.body);
  const into = repository.branches.get(String(body.base));
  if (into !== undefined) pull.base = { ref: String(body.base), sha: into };
  pull.updatedAt = state.now();
  const changes = {
    ...(title === pull.title ? {} : { title: { from: title } }),
    ...(text === pull.body ? {} : { body: { from: text ?? '' } }),
    ...(base.ref === pull.base.ref
      ? {}
      : { base: { ref: { from: base.ref }, sha: { from: base.sha } } }),
  };
  if (Object.keys(changes).length > 0)
    pullEvent(state, repository, pull, { action: 'edited', changes }, state.bot);
  if (body.state === 'closed' && pull.state === 'open') close(state, repository, pull, state.bot);
  if (body.state !== 'open' || pull.state === 'open') return;
  Object.assign(pull, { state: 'open', closedAt: undefined });
  pullEvent(state, repository, pull, { action: 'reopened' }, state.bot);
}

type Fault = Parameters<typeof invalid>[0];

export const pullOf = ({ repository, params }: InRepository): PullRequest | undefined =>
  repository.pulls.get(Number(params.pull_number));

/** The branch to merge, which may be given with the owner before it. */
function headOf({ repository, body }: InRepository): string {
  const [first = '', ...rest] = String(body.head ?? '').split(':');
  if (rest.length === 0) return first;
  // Without forks, only the owner's own branches can be meant.
  return first.toLowerCase() === repository.owner.login.toLowerCase() ? rest.join(':') : '';
}

/** By state, `head` (`owner:branch`; ignored without an owner, as by GitHub) and `base`. */
function chosen({ repository, query }: InRepository): PullRequest[] {
  const state = query.get('state') ?? 'open';
  const [owner = '', ...branch] = (query.get('head') ?? '').split(':');
  const base = query.get('base');
  const all = [...repository.pulls.values()].filter(
    (pull) =>
      (state === 'all' || pull.state === state) &&
      (base === null || pull.base.ref === base) &&
      (branch.length === 0 ||
        (pull.head.ref === branch.join(':') &&
          owner.toLowerCase() === repository.owner.login.toLowerCase())),
  );
  const field = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const direction = query.get('direction') ?? (query.has('sort') ? 'asc' : 'desc');
  all.sort((a, b) => a[field] - b[field] || a.number - b.number);
  return direction === 'asc' ? all : all.reverse();
}

/** Why a pull request cannot be opened, in GitHub's words. */
async function faultOf(call: InRepository): Promise<Fault | undefined> {
  const { repository, body } = call;
  const resource = 'PullRequest';
  const [head, base] = [headOf(call), String(body.base ?? '')];
  if (typeof body.title !== 'string' || body.title.trim() === '')
    return { resource: 'Issue', code: 'missing_field', field: 'title' };
  const [from, into] = [repository.branches.get(head), repository.branches.get(base)];
  if (into === undefined) return { resource, code: 'invalid', field: 'base' };
  if (from === undefined) return { resource, code: 'invalid', field: 'head' };
  if (!(await isAncestor(repository.gitDir, from, into))) return undefined;
  return { resource, code: 'custom', message: `No commits between ${base} and ${head}` };
}

function alreadyOpen(call: InRepository): Fault | undefined {
  const { repository, body } = call;
  const head = headOf(call);
  if (openPullBetween(repository, head, String(body.base)) === undefined) return undefined;
  const message = `A pull request already exists for ${repository.owner.login}:${head}.`;
  return { resource: 'PullRequest', code: 'custom', message };
}

/** Why a pull request cannot be changed as asked. */
function unchangeable(pull: PullRequest, { repository, body }: InRepository): Fault | undefined {
  const resource = 'PullRequest';
  if (body.base !== undefined && !repository.branches.has(String(body.base)))
    return {
      resource,
      code: 'invalid',
      field: 'base',
      message: `Proposed base branch '${body.base}' was not found`,
    };
  if (body.state !== 'open' || pull.state === 'open') return undefined;
  const state = (message: string) => ({ resource, code: 'invalid', field: 'state', message });
  if (pull.merged !== undefined) return state('state cannot be changed. It was merged.');
  if (!repository.branches.has(pull.head.ref))
    return state(`state cannot be changed. The ${pull.head.ref} branch has been deleted.`);
  const other = openPullBetween(repository, pull.head.ref, pull.base.ref);
  if (other !== undefined)
    return state(
      `state cannot be changed. There is already an open pull request from ${pull.head.ref} ` +
        `to ${pull.base.ref}.`,
    );
  return undefined;
}
