import type { Caller } from './credentials.ts';
import type { Fault } from './faults.ts';
import type { Addresses, Permissions, Repository, State } from './state.ts';
import type { Answer, Answered, Path, Verb } from './typed.ts';

/** A request to an endpoint. `self` is its address without a query, for links to other pages. */
export interface Call {
  state: State;
  at: Addresses;
  self: string;
  caller: Caller;
  params: Record<string, string>;
  query: URLSearchParams;
  body: Record<string, unknown>;
  fault: Fault | undefined;
}

type PermissionSet = { [Name in keyof Permissions]?: 'read' | 'write' };
/** A set of permissions, or several, of which one suffices. */
export type Needs = PermissionSet | readonly PermissionSet[];

/**
 * Who may ask: the App, an installation, a person, or an installation that can see the repository in the path
 * and has the permissions.
 */
type Access = 'app' | 'installation' | 'person' | Needs;

type Handler<P extends Path, V extends Verb, C> = (call: C) => Answer<P, V> | Promise<Answer<P, V>>;

export interface InRepository extends Call {
  repository: Repository;
}

export interface Route {
  verb: Verb;
  path: Path;
  pattern: RegExp;
  access: Access;
  handle(call: Call & { repository?: Repository }): Promise<Answered>;
}

/**
 * An endpoint of the App, of an installation or of a person. The handler comes second, so that its answers are
 * compared with what GitHub describes for this very endpoint.
 */
export const route =
  <V extends Verb, P extends Path>(verb: V, path: P, access: 'app' | 'installation' | 'person') =>
  (handle: Handler<P, V, Call>): Route =>
    endpoint(verb, path, access, handle);

/** An endpoint of a repository, with the permissions that GitHub documents for it. */
export const repositoryRoute =
  <V extends Verb, P extends Path & `/repos/{owner}/{repo}${string}`>(
    verb: V,
    path: P,
    needs: Needs,
  ) =>
  (handle: Handler<P, V, InRepository>): Route =>
    endpoint(verb, path, needs, handle);

function endpoint(verb: Verb, path: Path, access: Access, handle: (call: never) => unknown): Route {
  return {
    verb,
    path,
    pattern: patternOf(path),
    access,
    handle: async (call) => (await handle(call as never)) as Answered,
  };
}

// The names of branches and references contain slashes, which clients need not encode.
const LONG: ReadonlySet<string> = new Set(['branch', 'ref']);

function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    LONG.has(name) ? `(?<${name}>.+)` : `(?<${name}>[^/]+)`,
  );
  return new RegExp(`^${pattern}$`);
}

/** The endpoint that a request is for, and the names in its path. */
export function find(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | undefined {
  for (const route of routes) {
    if (route.verb !== method.toLowerCase()) continue;
    const groups = route.pattern.exec(path)?.groups;
    if (groups === undefined && !route.pattern.test(path)) continue;
    const params = Object.entries(groups ?? {}).map(([name, value]) => [
      name,
      decodeURIComponent(value),
    ]);
    return { route, params: Object.fromEntries(params) };
  }
  return undefined;
}
