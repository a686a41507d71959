import {
  type Caller,
  callerOf,
  mustBeApp,
  mustBeInstallation,
  mustBePerson,
} from './credentials.ts';
import { type Fault, secondaryLimit } from './faults.ts';
import { rateOf, spend } from './limits.ts';
import {
  archived,
  DOCUMENTATION,
  notAccessible,
  notFound,
  Refusal,
  unreadable,
} from './refusals.ts';
import { type Call, find, type Needs, type Route } from './router.ts';
import { APP_ROUTES } from './routes/apps.ts';
import { CHECK_ROUTES } from './routes/checks.ts';
import { DEPLOYMENT_ROUTES } from './routes/deployments.ts';
import { ISSUE_ROUTES } from './routes/issues.ts';
import { MERGE_ROUTES } from './routes/merges.ts';
import { PEOPLE_ROUTES } from './routes/people.ts';
import { PULL_ROUTES } from './routes/pulls.ts';
import { REPOSITORY_ROUTES } from './routes/repositories.ts';
import { REVIEW_ROUTES } from './routes/reviews.ts';
import {
  type Addresses,
  fullName,
  type Repository,
  repositoryNamed,
  type State,
  visibleTo,
} from './state.ts';
import type { Answer, Answered } from './typed.ts';

// The first that fits: a commit's own endpoint fits whatever comes after a commit.
const ROUTES: readonly Route[] = [
  ...APP_ROUTES,
  ...CHECK_ROUTES,
  ...DEPLOYMENT_ROUTES,
  ...MERGE_ROUTES,
  ...PEOPLE_ROUTES,
  ...PULL_ROUTES,
  ...ISSUE_ROUTES,
  ...REVIEW_ROUTES,
  ...REPOSITORY_ROUTES,
];

/** A request to the API, its path without the prefix of an Enterprise server. */
interface Incoming {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  body: string;
  fault: Fault | undefined;
}

/** Lets the endpoint answer; what is refused before that is an answer, too. */
export async function answer(
  state: State,
  at: Addresses,
  publicKey: string,
  incoming: Incoming,
): Promise<Answered> {
  let limits = {};
  try {
    if (incoming.fault?.kind === 'secondaryLimit') throw secondaryLimit(incoming.fault);
    const caller = callerOf(state, publicKey, incoming.authorization);
    if (incoming.path === '/rate_limit') return rateLimit(state, caller);
    limits = spend(state, caller);
    const { headers, ...rest } = await answered(state, at, caller, incoming);
    return { ...rest, headers: { ...limits, ...headers } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, body, headers } = error;
    return { status, body, headers: { ...limits, ...headers } };
  }
}

/** It does not count as a request. */
function rateLimit(state: State, caller: Caller): Answer<'/rate_limit', 'get'> {
  const rate = rateOf(state, caller);
  return { status: 200, body: { resources: { core: rate, search: rate }, rate } };
}

async function answered(
  state: State,
  at: Addresses,
  caller: Caller,
  incoming: Incoming,
): Promise<Answered> {
  const { method, query, fault } = incoming;
  const byId = namedById(state, incoming.path);
  const path = byId?.path ?? incoming.path;
  const found = find(ROUTES, method, path);
  if (found === undefined) throw notFound();
  const { route, params } = found;
  const self = at.api + incoming.path;
  const call: Call = { state, at, self, caller, params, query, body: parsed(incoming.body), fault };
  if (route.access === 'app') mustBeApp(caller);
  else if (route.access === 'installation') mustBeInstallation(caller);
  else if (route.access === 'person') mustBePerson(caller);
  if (typeof route.access === 'string') return route.handle(call);
  const { owner = '', repo = '' } = params;
  const repository = repositoryNamed(state, `${owner}/${repo}`);
  const accepted = { 'x-accepted-github-permissions': headerOf(route.access) };
  if (repository === undefined)
    return moved(state, at, caller, method, `${owner}/${repo}`, incoming);
  try {
    permit(state, caller, repository, route.access);
    const answer = await route.handle({ ...call, repository });
    return { ...answer, headers: { ...accepted, ...answer.headers } };
  } catch (error) {
    if (error instanceof Refusal) Object.assign(error.headers, accepted);
    throw error;
  }
}

function parsed(body: string): Record<string, unknown> {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    throw unreadable();
  }
}

/** `/repositories/{id}`, to which GitHub redirects: the same as `/repos/{owner}/{repo}`. */
function namedById(state: State, path: string): { path: string } | undefined {
  const [, id, rest = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const repository = state.repositories.get(Number(id));
  if (repository === undefined) throw notFound();
  return { path: `/repos/${fullName(repository)}${rest}` };
}

/** As GitHub writes it: sets of permissions, of which one suffices, are separated by `;`. */
const headerOf = (needs: Needs): string =>
  [needs]
    .flat()
    .map((each) =>
      Object.entries(each)
        .map(([name, level]) => `${name}=${level}`)
        .join(','),
    )
    .join('; ');

/** What a caller cannot see is not found; for what it can see, it may lack a permission. */
function permit(state: State, caller: Caller, repository: Repository, needs: Needs): void {
  const sets = [needs].flat().map((each) => Object.entries(each));
  const readsPublic =
    !repository.private && sets.some((set) => set.every(([, level]) => level === 'read'));
  if (caller.as === 'installation') {
    const { installation, token } = caller;
    const held = token.permissions as Record<string, string | undefined>;
    const mine = visibleTo(state, installation, token.repositoryIds).includes(repository);
    if (mine || !repository.private) {
      const has = sets.some((set) =>
        set.every(([name, level]) => held[name] === 'write' || held[name] === level),
      );
      if (!(mine && has) && !readsPublic) throw notAccessible();
      if (repository.archived && sets.every((set) => set.some(([, level]) => level === 'write')))
        throw archived();
      return;
    }
  } else if (readsPublic) return;
  throw notFound();
}

/** GitHub redirects from the name of a renamed or transferred repository to its id. */
function moved(
  state: State,
  at: Addresses,
  caller: Caller,
  method: string,
  name: string,
  { path, query }: Incoming,
): Answered {
  const repository = state.repositories.get(state.formerNames.get(name.toLowerCase()) ?? 0);
  if (repository === undefined) throw notFound();
  permit(state, caller, repository, { metadata: 'read' });
  const rest = path.split('/').slice(4).join('/');
  const text = query.toString();
  const url = `${at.api}/repositories/${repository.id}${rest && `/${rest}`}${text && `?${text}`}`;
  // A client must not turn a POST into a GET, which it may after a 301.
  const status = method === 'GET' ? 301 : 307;
  const body = { message: 'Moved Permanently', url, documentation_url: DOCUMENTATION };
  return { status, body, headers: { location: url } };
}
