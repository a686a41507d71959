import { mustBePerson } from '../credentials.ts';
import { pageOf } from '../pages.ts';
import { reachableBy, seenBy } from '../people.ts';
import { notFound } from '../refusals.ts';
import { route } from '../router.ts';
import { installationShape, time, userShape } from '../shapes/accounts.ts';
import { repositoryShape } from '../shapes/repositories.ts';

/** What people see of themselves, through a token that the App has of them. */
export const PEOPLE_ROUTES = [
  route(
    'get',
    '/user',
    'person',
  )(({ state, at, caller }) => {
    const { account, name } = mustBePerson(caller);
    const created = time(state.app.createdAt);
    return {
      status: 200,
      body: {
        ...userShape(account, at),
        name,
        company: null,
        blog: null,
        location: null,
        email: null,
        hireable: null,
        bio: null,
        public_repos: 0,
        public_gists: 0,
        followers: 0,
        following: 0,
        created_at: created,
        updated_at: created,
      },
    };
  }),

  route(
    'get',
    '/user/emails',
    'person',
  )(({ caller, query, self }) => {
    const all = mustBePerson(caller).emails;
    const { items, headers } = pageOf(all, query, self);
    const body = items.map((each) => ({
      ...each,
      visibility: each.primary ? ('private' as const) : null,
    }));
    return { status: 200, body: body as never[], headers };
  }),

  route(
    'get',
    '/user/installations',
    'person',
  )(({ state, at, caller, query, self }) => {
    const all = reachableBy(state, mustBePerson(caller));
    const { items, headers } = pageOf(all, query, self);
    const installations = items.map((each) => installationShape(each, state, at));
    // As in the list of the App's own: the description of an account is that of two kinds at once.
    return {
      status: 200,
      body: { total_count: all.length, installations: installations as never[] },
      headers,
    };
  }),

  route(
    'get',
    '/user/installations/{installation_id}/repositories',
    'person',
  )(({ state, at, caller, params, query, self }) => {
    const person = mustBePerson(caller);
    const id = Number(params.installation_id);
    const installation = reachableBy(state, person).find((each) => each.id === id);
    if (installation === undefined) throw notFound();
    const all = seenBy(state, person, installation);
    const { items, headers } = pageOf(all, query, self);
    return {
      status: 200,
      body: {
        total_count: all.length,
        repository_selection: installation.selection,
        repositories: items.map((each) => repositoryShape(each, at)),
      },
      headers,
    };
  }),
];
