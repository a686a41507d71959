import { named, type Person, type Repository, type State } from './state.ts';

/** What the routes of the fake have in common. */

export interface Call {
  state: State;
  /** Whose token it is. */
  by: Person;
  /** Of the path. */
  params: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** What webhooks are told, by the name that they ask for; the one in the header may differ. */
  event?: { repository: Repository; name: string; header?: string };
}

export const refusal = (status: number, message: string): Answer => ({
  status,
  body: { message, url: 'http://127.0.0.1/api/swagger' },
});
export const NOT_FOUND = refusal(404, 'not found');

export type Handler = (call: Call) => Promise<Answer> | Answer;
export type InRepository = (call: Call, repository: Repository) => Promise<Answer> | Answer;

export const inRepository =
  (handle: InRepository): Handler =>
  (call) => {
    const [owner = '', name = '', ...params] = call.params;
    const found = named(call.state, `${owner}/${name}`);
    if (found !== undefined)
      return rightsOf(call.by, found) === 'none' ? NOT_FOUND : handle({ ...call, params }, found);
    const moved = call.state.former.get(`${owner}/${name}`.toLowerCase());
    if (moved === undefined) return NOT_FOUND;
    const location = `/api/v1/repos/${moved.owner}/${moved.name}`;
    return params.length === 0 ? { status: 301, headers: { location } } : NOT_FOUND;
  };

export const pageOf = (query: URLSearchParams) => {
  const limit = Math.min(50, Number(query.get('limit') ?? 30));
  const from = (Number(query.get('page') ?? 1) - 1) * limit;
  return { from, to: from + limit };
};

/** What an account may do in a repository, which is private. */
export const rightsOf = ({ login, admin }: Person, { collaborators }: Repository): string =>
  admin ? 'owner' : (collaborators.get(login) ?? 'none');

/** As exact as Gitea is. */
export const shownTime = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;
