import type { Logger } from 'pino';
import Type from 'typebox';
import type { Database } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import { boolean } from '../../../http/input/fields.ts';
import { publicRoute } from '../../../http/public-route.ts';
import type { Answer } from '../../../http/route.ts';
import { setSessionCookie } from '../../../http/session-cookie.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { Outcomes } from '../outcomes.ts';
import type { SignInRequest } from '../session.ts';
import {
  type Attempt,
  attemptCookie,
  attemptToken,
  hasState,
  newAttempt,
  secretsOf,
  takeAttempt,
} from './attempt.ts';
import { browserSession, isOwnLink, isOwnOrTyped } from './browser-session.ts';
import {
  byOf,
  type Person,
  ProviderError,
  type ProviderFailure,
  reasonOf,
  storable,
} from './provider.ts';
import type { Issuing } from './providers.ts';
import { localPath, withParameter } from './return-to.ts';
import { link, signInAs } from './sign-in-as.ts';

interface Deps {
  db: Database;
  providers: Map<string, Issuing>;
  outcomes: Outcomes;
  /** Says why a provider did not answer as it should. */
  log?: Pick<Logger, 'warn'> | undefined;
  publicUrl: string;
  signUp: Config['signUp'];
}

const params = Type.Object({
  provider: Type.String({ maxLength: 50, description: 'The id of the provider.' }),
});
const text = (description: string) => Type.Optional(Type.String({ maxLength: 4000, description }));

const redirect = (location: string, cookies: string[] = []): Answer => ({
  status: 303,
  headers: { location },
  cookies,
});

/** Where a browser goes that was not signed in: the page that has the words for the code. */
const refusal = (code: string, { session_id, return_to }: Omit<Attempt, 'provider'>): string => {
  if (session_id !== null) return withParameter(return_to, 'error', code);
  const page = withParameter('/sign-in', 'error', code);
  return return_to === '/' ? page : withParameter(page, 'return_to', return_to);
};

const callbackOf = (publicUrl: string, id: string): URL =>
  new URL(`${publicUrl}/auth/providers/${id}/callback`);

/** Sends a browser to a provider, to sign in there or to link an account. */
export const startProvider = ({ db, providers, publicUrl, ...deps }: Deps) =>
  publicRoute({
    method: 'GET',
    path: '/auth/providers/{provider}/start',
    area: 'Sign-in',
    operationId: 'start_provider',
    summary: 'Sign in with a provider',
    description:
      'A link, not a request of a program: sends the browser to the provider, which sends it back ' +
      'to `finish_provider`. With `link`, the account there is linked to the person of the ' +
      'session, which needs a proof.',
    limit: 'signIn',
    params,
    query: Type.Object({
      return_to: text('The path of the page to show afterwards.'),
      link: boolean({ default: false, description: 'Whether to link an account.' }),
    }),
    responses: {
      303: {
        description: 'To the provider, or to a page that says why not.',
        headers: ['Location'],
      },
    },
    errors: [],
    handle: async ({ params: { provider: id }, query, headers, network, requestId }) => {
      const session = query.link ? await browserSession(db, headers, publicUrl) : undefined;
      const return_to = localPath(query.return_to, query.link ? '/account' : '/');
      const attempt = { return_to, session_id: session?.id ?? null };
      const refused = (code: string) => redirect(refusal(code, attempt));
      const provider = providers.get(id);
      if (provider === undefined) return refused('provider_unknown');
      if (!(query.link ? isOwnLink(headers, publicUrl) : isOwnOrTyped(headers)))
        return refused('cross_site_request');
      if (query.link && session === undefined) return refused('session_required');
      if (query.link && !session?.proven) return refused('proof_required');
      const token = await newAttempt(db, { provider: id, ...attempt });
      try {
        const there = await provider.begin(callbackOf(publicUrl, id), secretsOf(token));
        return redirect(there.href, [attemptCookie(publicUrl, token)]);
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        note(deps, provider, error, { ...attempt, network, requestId });
        return refused(error.code);
      }
    },
  });

/** Where the provider sends the browser back to. */
export const finishProvider = (deps: Deps) =>
  publicRoute({
    method: 'GET',
    path: '/auth/providers/{provider}/callback',
    area: 'Sign-in',
    operationId: 'finish_provider',
    summary: 'Come back from a provider',
    description:
      'The provider sends the browser here, once. It begins a session, or links the account, and ' +
      'goes on to the page that was asked for.',
    limit: 'signIn',
    params,
    query: Type.Object({ state: text('As `start_provider` made it.') }),
    responses: { 303: { description: 'To a page of this server.', headers: ['Location'] } },
    errors: [],
    handle: async ({ params: { provider: id }, query, url, ...request }) => {
      const { db, providers, publicUrl } = deps;
      const provider = providers.get(id);
      const token = attemptToken(request.headers, publicUrl);
      const fresh = { session_id: null, return_to: '/' };
      if (provider === undefined) return redirect(refusal('provider_unknown', fresh));
      // The attempt of this browser stays open: another site may have sent it here.
      if (token === undefined || !hasState(token, query.state))
        return redirect(refusal('attempt_expired', fresh));
      const attempt = await takeAttempt(db, token, id);
      if (attempt === undefined) return redirect(refusal('attempt_expired', fresh));
      const done = [attemptCookie(publicUrl, '')];
      try {
        const current = callbackOf(publicUrl, id);
        current.search = new URL(url, publicUrl).search;
        const person = storable(await provider.finish(current, secretsOf(token)));
        const answer =
          attempt.session_id === null
            ? await signedIn(deps, attempt, { provider, person, request })
            : await linked(deps, attempt, { provider, person, request });
        return { ...answer, cookies: [...done, ...(answer.cookies ?? [])] };
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        note(deps, provider, error, { ...attempt, ...request });
        return redirect(refusal(error.code, attempt), done);
      }
    },
  });

const FAILURES: ProviderFailure[] = [
  'provider_unavailable',
  'provider_misconfigured',
  'provider_answer_invalid',
];

/** Counts an attempt to sign in, and logs what the operator or the provider can mend. */
function note(
  { outcomes, log }: Pick<Deps, 'outcomes' | 'log'>,
  provider: Issuing,
  error: ProviderError,
  attempt: { session_id: string | null; network: string; requestId: string },
): void {
  const { code } = error;
  const isFailure = FAILURES.includes(code);
  const { requestId } = attempt;
  if (isFailure)
    log?.warn(
      { provider: provider.id, code, reason: reasonOf(error), requestId },
      'a provider did not answer as it should',
    );
  // Otherwise it was to link an account.
  if (attempt.session_id !== null) return;
  if (isFailure) outcomes.failed(byOf(provider));
  else outcomes.refused(byOf(provider), code, { userId: undefined, ...attempt });
}

interface Back {
  provider: Issuing;
  person: Person;
  request: SignInRequest;
}

async function signedIn(deps: Deps, attempt: Attempt, back: Back): Promise<Answer> {
  const { db, publicUrl, signUp, outcomes } = deps;
  const by = byOf(back.provider);
  const session = await db.transaction((tx) => signInAs(tx, { ...back, signUp }));
  if (typeof session === 'string') {
    outcomes.refused(by, session, { userId: undefined, ...back.request });
    return redirect(refusal(session, attempt));
  }
  outcomes.done(by, session.pending);
  const { return_to } = attempt;
  const page = session.pending ? withParameter('/sign-in', 'return_to', return_to) : return_to;
  return redirect(page, [setSessionCookie(publicUrl, session.token)]);
}

/** Only for the session that began it: otherwise an account could be linked to another person. */
async function linked({ db, publicUrl }: Deps, attempt: Attempt, back: Back): Promise<Answer> {
  const { request, ...account } = back;
  const session = await browserSession(db, request.headers, publicUrl);
  if (session?.id !== attempt.session_id || session === undefined)
    return redirect(refusal('session_required', attempt));
  const code = await db.transaction(async (tx) => {
    // Its person may have been signed out everywhere while this waited for the lock.
    await tx.many(sql`select id from app_user where id = ${session.userId} for no key update`);
    const still = await browserSession({ read: tx.many }, request.headers, publicUrl);
    if (still?.id !== session.id) return 'session_required';
    const caller = { userId: session.userId, sessionId: session.id };
    const isLinked = await link(tx, { ...account, caller, requestId: request.requestId });
    return isLinked ? undefined : 'identity_taken';
  });
  return redirect(code === undefined ? attempt.return_to : refusal(code, attempt));
}
