import { hash, randomBytes } from 'node:crypto';
import type { Person } from './people-state.ts';
import { Refusal } from './refusals.ts';
import { accountOf, type Installation, type Repository, type State, visibleTo } from './state.ts';

const CODE_MS = 600_000;
const SCOPE_OF_APP = '';

/** What people do in their browsers, for tests. */
export interface PeopleControls {
  /** Someone signs in at GitHub; their account is made if there is none. */
  signIn(
    login: string,
    about?: Partial<Omit<Person, 'account' | 'organizations'>> & {
      organizations?: string[];
    },
  ): Person;
  /** They refuse what they are asked next. */
  deny(): void;
  /** The settings of the App for people. */
  setUp(urls: { callbackUrls?: string[]; setupUrl?: string }): void;
}

export const peopleControlsOf = (state: State): PeopleControls => ({
  signIn(login, { name = null, emails, organizations = [], reads } = {}) {
    const account = accountOf(state, login, 'User');
    const { people } = state;
    const person = {
      account,
      name,
      emails: emails ?? [{ email: `${login}@example.com`, primary: true, verified: true }],
      organizations: new Set(organizations.map((each) => each.toLowerCase())),
      reads: reads ?? new Set<number>(),
    };
    people.all.set(login.toLowerCase(), person);
    people.current = person;
    return person;
  },
  deny() {
    state.people.denies = true;
  },
  setUp: (urls) => void Object.assign(state.people, urls),
});

/** Those of an installation that a person can see: all of an account that they own. */
export function seenBy(
  state: State,
  { account, organizations, reads }: Person,
  installation: Installation,
): Repository[] {
  const { id, login } = installation.account;
  const owns = id === account.id || organizations.has(login.toLowerCase());
  return visibleTo(state, installation).filter((each) => owns || reads.has(each.id));
}

/** Those of accounts that they own, and those with a repository that they can read. */
export const reachableBy = (state: State, person: Person): Installation[] =>
  [...state.installations.values()].filter(
    (each) =>
      each.account.id === person.account.id ||
      person.organizations.has(each.account.login.toLowerCase()) ||
      seenBy(state, person, each).length > 0,
  );

/** What GitHub answers to the address with which signing in begins: where the browser goes. */
export function authorize({ people, now }: State, query: URLSearchParams): URL {
  const asked = query.get('redirect_uri') ?? people.callbackUrls?.[0] ?? '';
  const isKnown = people.callbackUrls === undefined || people.callbackUrls.includes(asked);
  const back = new URL(isKnown ? asked : (people.callbackUrls?.[0] ?? ''));
  const state = query.get('state');
  const refuse = (error: string, description: string) => {
    back.searchParams.set('error', error);
    back.searchParams.set('error_description', description);
    if (state !== null) back.searchParams.set('state', state);
    return back;
  };
  if (query.get('client_id') !== people.clientId) throw new Refusal(404, 'Not Found');
  if (!isKnown)
    return refuse(
      'redirect_uri_mismatch',
      'The redirect_uri MUST match the registered callback URL for this application.',
    );
  if (people.current === undefined) throw new Refusal(401, 'Sign in to GitHub first');
  if (people.denies) {
    people.denies = false;
    return refuse('access_denied', 'The user has denied your application access.');
  }
  const code = randomBytes(10).toString('hex');
  people.codes.set(code, {
    person: people.current,
    redirectUri: asked,
    challenge: query.get('code_challenge') ?? undefined,
    expiresAt: now() + CODE_MS,
  });
  back.searchParams.set('code', code);
  if (state !== null) back.searchParams.set('state', state);
  return back;
}

/** A token for a code, or GitHub's reason why there is none. Its status is 200 either way. */
export function exchange({ people, now }: State, form: URLSearchParams): Record<string, string> {
  const refused = (error: string, error_description: string) => ({
    error,
    error_description,
    error_uri: `https://docs.github.com/apps/managing-oauth-apps/troubleshooting#${error}`,
  });
  if (
    form.get('client_id') !== people.clientId ||
    form.get('client_secret') !== people.clientSecret
  )
    return refused(
      'incorrect_client_credentials',
      'The client_id and/or client_secret passed are incorrect.',
    );
  const code = people.codes.get(form.get('code') ?? '');
  people.codes.delete(form.get('code') ?? '');
  const verifier = form.get('code_verifier');
  const proven =
    code?.challenge === undefined || hash('sha256', verifier ?? '', 'base64url') === code.challenge;
  if (code === undefined || code.expiresAt <= now() || !proven)
    return refused('bad_verification_code', 'The code passed is incorrect or expired.');
  if (form.has('redirect_uri') && form.get('redirect_uri') !== code.redirectUri)
    return refused(
      'redirect_uri_mismatch',
      'The redirect_uri MUST match the registered callback URL for this application.',
    );
  const token = `ghu_${randomBytes(27).toString('base64url').slice(0, 36)}`;
  people.tokens.set(token, code.person);
  return { access_token: token, scope: SCOPE_OF_APP, token_type: 'bearer' };
}
