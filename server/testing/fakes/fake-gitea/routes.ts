import { branchesOf, commitFiles, commitTree, gitIn, initBare } from '../fake-github/git/bare.ts';
import {
  type Answer,
  type Call,
  type Handler,
  inRepository,
  NOT_FOUND,
  pageOf,
  refusal,
} from './calls.ts';
import { PEOPLE_ROUTES } from './people.ts';
import { REVIEW_ROUTES } from './reviews.ts';
import { gitDirOf, mergedWith, type Repository, shownPull, shownRepository } from './state.ts';

/** What the fake answers, learned from Gitea 1.26.0: its own test runs against both. */

const AUTHOR = { name: 'boss', email: 'boss@example.com' };

/** Method, path with `:` for a part, and whether it writes. The first that fits. */
export const ROUTES: readonly [method: string, path: string, handler: Handler][] = [
  ...PEOPLE_ROUTES,
  ...REVIEW_ROUTES,
  ['GET', '/version', () => ({ status: 200, body: { version: '1.26.0' } })],
  ['POST', '/orgs', ({ body }) => ({ status: 201, body: { id: 1, username: body.username } })],
  ['POST', '/orgs/:/repos', createRepository],
  [
    'GET',
    '/repositories/:',
    ({ state, params }) => {
      const found = state.repositories.get(Number(params[0]));
      return found ? { status: 200, body: shownRepository(state, found) } : NOT_FOUND;
    },
  ],
  [
    'GET',
    '/repos/:/:',
    inRepository(({ state }, repository) => ({
      status: 200,
      body: shownRepository(state, repository),
    })),
  ],
  [
    'PATCH',
    '/repos/:/:',
    inRepository(({ state, body }, repository) => {
      state.former.set(`${repository.owner}/${repository.name}`.toLowerCase(), repository);
      repository.name = String(body.name);
      return { status: 200, body: shownRepository(state, repository) };
    }),
  ],
  [
    'DELETE',
    '/repos/:/:',
    inRepository(({ state }, repository) => {
      state.repositories.delete(repository.id);
      return { status: 204 };
    }),
  ],
  ['GET', '/repos/:/:/branches', inRepository(listBranches)],
  [
    'GET',
    '/repos/:/:/branches/:',
    inRepository(async ({ params }, { gitDir }) => {
      const [name = ''] = params;
      const id = (await branchesOf(gitDir)).get(name);
      if (id === undefined) return NOT_FOUND;
      const message = await gitIn(gitDir, ['log', '-1', '--format=%B', id]);
      return { status: 200, body: { name, commit: { id, message } } };
    }),
  ],
  [
    'POST',
    '/repos/:/:/branches',
    inRepository(async ({ body }, { gitDir }) => {
      const from = `refs/heads/${body.old_branch_name}`;
      await gitIn(gitDir, ['update-ref', `refs/heads/${body.new_branch_name}`, from]);
      return { status: 201, body: { name: body.new_branch_name } };
    }),
  ],
  ['POST', '/repos/:/:/pulls', inRepository(openPull)],
  [
    'GET',
    '/repos/:/:/pulls/:',
    inRepository(async ({ state, params }, repository) => {
      const pull = repository.pulls.get(Number(params[0]));
      return pull ? { status: 200, body: await shownPull(state, repository, pull) } : NOT_FOUND;
    }),
  ],
  [
    'GET',
    '/repos/:/:/pulls/:/:',
    inRepository(async ({ state, params }, repository) => {
      const [base, head] = params;
      const all = [...repository.pulls.values()].toReversed();
      const pull = all.find((each) => each.base === base && each.head === head);
      return pull ? { status: 200, body: await shownPull(state, repository, pull) } : NOT_FOUND;
    }),
  ],
  [
    'PATCH',
    '/repos/:/:/pulls/:',
    inRepository(async ({ state, params, body }, repository) => {
      const pull = repository.pulls.get(Number(params[0]));
      if (pull === undefined) return NOT_FOUND;
      const base = body.base === undefined ? pull.base : String(body.base);
      if (!(await branchesOf(repository.gitDir)).has(base))
        return refusal(404, `new base '${base}' not exist`);
      pull.base = base;
      if (body.state === 'closed') pull.state = 'closed';
      pull.updatedAt = new Date();
      const event = { repository, name: 'pull_request' };
      return { status: 201, body: await shownPull(state, repository, pull), event };
    }),
  ],
  ['POST', '/repos/:/:/pulls/:/merge', inRepository(merge)],
  [
    'POST',
    '/repos/:/:/statuses/:',
    inRepository(({ state, params, body }, repository) => {
      const [sha = ''] = params;
      const [context, status] = [String(body.context), String(body.state)];
      const targetUrl = String(body.target_url ?? '');
      const made = { id: state.nextId++, sha, context, status, targetUrl, at: new Date() };
      repository.statuses.push(made);
      return { status: 201, body: { id: made.id }, event: { repository, name: 'status' } };
    }),
  ],
  [
    'GET',
    '/repos/:/:/commits/:/status',
    inRepository(({ params, query }, { statuses }) => {
      const of = statuses.filter(({ sha }) => sha === params[0]);
      const newest = [...new Map(of.map((each) => [each.context, each])).values()];
      const { from, to } = pageOf(query);
      const shown = newest.slice(from, to).map(({ id, context, status, targetUrl, at }) => ({
        id,
        context,
        status,
        target_url: targetUrl,
        created_at: at.toISOString(),
        updated_at: at.toISOString(),
      }));
      const body = { sha: params[0], total_count: newest.length, statuses: shown };
      return { status: 200, body: shown.length > 0 ? body : { ...body, statuses: null } };
    }),
  ],
  [
    'GET',
    '/repos/:/:/hooks',
    inRepository((_call, { hooks }) => ({
      status: 200,
      body: [...hooks.values()].map(({ id, url, events }) => ({
        id,
        events,
        active: true,
        config: { url, content_type: 'json' },
      })),
    })),
  ],
  [
    'POST',
    '/repos/:/:/hooks',
    inRepository(({ state, body }, { hooks }) => {
      const { url, secret } = body.config as { url: string; secret: string };
      const hook = { id: state.nextId++, url, secret, events: body.events as string[] };
      hooks.set(hook.id, hook);
      return { status: 201, body: { id: hook.id } };
    }),
  ],
  [
    'DELETE',
    '/repos/:/:/hooks/:',
    inRepository(({ params }, { hooks }) =>
      hooks.delete(Number(params[0])) ? { status: 204 } : NOT_FOUND,
    ),
  ],
];

async function createRepository({ state, params, body }: Call): Promise<Answer> {
  const id = state.nextId++;
  const defaultBranch = String(body.default_branch ?? 'main');
  const gitDir = gitDirOf(state, id);
  await initBare(gitDir, defaultBranch);
  const files = { 'README.md': `# ${body.name}\n` };
  await commitFiles(gitDir, defaultBranch, { files, message: 'Initial commit', author: AUTHOR });
  const repository: Repository = {
    id,
    owner: params[0] ?? '',
    name: String(body.name),
    defaultBranch,
    gitDir,
    pulls: new Map(),
    statuses: [],
    hooks: new Map(),
    collaborators: new Map(),
    comments: new Map(),
    reviews: new Map(),
  };
  state.repositories.set(id, repository);
  return { status: 201, body: shownRepository(state, repository) };
}

async function listBranches({ query }: Call, { gitDir }: Repository): Promise<Answer> {
  const all = [...(await branchesOf(gitDir))];
  const { from, to } = pageOf(query);
  return {
    status: 200,
    headers: { 'x-total-count': String(all.length) },
    body: all.slice(from, to).map(([name, id]) => ({ name, commit: { id } })),
  };
}

async function openPull({ state, body }: Call, repository: Repository): Promise<Answer> {
  const [base, head] = [String(body.base), String(body.head)];
  const branches = await branchesOf(repository.gitDir);
  const headSha = branches.get(head);
  if (headSha === undefined || !branches.has(base)) return NOT_FOUND;
  const open = [...repository.pulls.values()].some(
    (each) => each.state === 'open' && each.base === base && each.head === head,
  );
  if (open) return refusal(409, 'pull request already exists for these targets');
  const number = repository.pulls.size + 1;
  const mergeBase = await gitIn(repository.gitDir, ['merge-base', `refs/heads/${base}`, headSha]);
  const pull = {
    number,
    title: String(body.title),
    head,
    headSha,
    base,
    state: 'open' as const,
    mergeBase,
    mergeCommit: null,
    updatedAt: new Date(),
    tried: false,
  };
  repository.pulls.set(number, pull);
  const event = { repository, name: 'pull_request' };
  return { status: 201, body: await shownPull(state, repository, pull), event };
}

async function merge({ params, body }: Call, repository: Repository): Promise<Answer> {
  const pull = repository.pulls.get(Number(params[0]));
  if (pull?.mergeCommit) return refusal(405, 'The PR is already merged');
  if (pull === undefined || pull.state === 'closed') return NOT_FOUND;
  if (body.head_commit_id !== pull.headSha) return refusal(409, 'head out of date');
  const tree = await mergedWith(repository, pull);
  if (tree === undefined || !pull.tried) return refusal(405, 'Please try again later');
  const base = (await branchesOf(repository.gitDir)).get(pull.base) as string;
  const message = `${body.MergeTitleField}\n\n${body.MergeMessageField ?? ''}`.trim();
  const parents = body.Do === 'squash' ? [base] : [base, pull.headSha];
  const commit = { tree, parents, message, author: AUTHOR };
  pull.mergeCommit = await commitTree(repository.gitDir, commit);
  await gitIn(repository.gitDir, ['update-ref', `refs/heads/${pull.base}`, pull.mergeCommit]);
  pull.state = 'closed';
  pull.updatedAt = new Date();
  return { status: 200, event: { repository, name: 'pull_request' } };
}
