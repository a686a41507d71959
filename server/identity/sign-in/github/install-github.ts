import Type from 'typebox';
import type { GitHub } from '../../../code/index.ts';
import type { Database } from '../../../db/database/database.ts';
import { uuid } from '../../../http/input/fields.ts';
import { publicRoute } from '../../../http/public-route.ts';
import type { Answer } from '../../../http/route.ts';
import {
  type Attempt,
  attemptCookie,
  attemptToken,
  hasState,
  newAttempt,
  noteInstallation,
  secretsOf,
  takeAttempt,
} from '../providers/attempt.ts';
import { browserSession, isOwnLink } from '../providers/browser-session.ts';
import type { GithubPeople } from '../providers/github.ts';
import { ProviderError } from '../providers/provider.ts';
import { localPath, withParameter } from '../providers/return-to.ts';
import { administers, asking, connectInstallation, mayConnect } from './connect-installation.ts';

/** GitHub, where both an App and its people are set up. */
interface Deps {
  db: Database;
  publicUrl: string;
  github: { github: GitHub; people: GithubPeople } | undefined;
}

/** Its attempts are no sign-ins, which have the ids of providers. */
const PROVIDER = 'github app';

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }));
const redirect = (location: string, cookies: string[] = []): Answer => ({
  status: 303,
  headers: { location },
  cookies,
});
const callbackOf = (publicUrl: string): URL => new URL(`${publicUrl}/auth/github/callback`);
const responses = { 303: { description: 'To GitHub, or to a page.', headers: ['Location'] } };

/** Sends a browser to GitHub, to install the App in an account. */
export const installGithub = ({ db, publicUrl, github: hub }: Deps) =>
  publicRoute({
    method: 'GET',
    path: '/auth/github/install',
    area: 'Sign-in',
    operationId: 'install_github',
    summary: 'Connect an account on GitHub',
    description:
      'A link of a page, not a request of a program: sends the browser to GitHub, to install the ' +
      'App for a workspace, by its owner or an admin, or for personal projects.',
    limit: 'signIn',
    query: Type.Object({
      organization_id: Type.Optional(
        uuid({ description: 'The workspace; the person without it.' }),
      ),
      return_to: text(4000, 'The path of the page to show afterwards.'),
    }),
    responses,
    errors: [],
    handle: async ({ query, headers }) => {
      const { organization_id: workspace = null } = query;
      const page = workspace === null ? '/account' : `/workspaces/${workspace}`;
      const return_to = localPath(query.return_to, page);
      const refused = (code: string) => redirect(withParameter(return_to, 'error', code));
      if (hub === undefined) return refused('github_not_configured');
      if (!isOwnLink(headers, publicUrl)) return refused('cross_site_request');
      const session = await browserSession(db, headers, publicUrl);
      if (session === undefined) return refused('session_required');
      if (
        workspace !== null &&
        !(await db.transaction((tx) => administers(tx, session.userId, workspace)))
      )
        return refused('forbidden');
      try {
        const { data } = await asking(() => hub.github.app.request('GET /app'));
        const attempt = { session_id: session.id, organization_id: workspace, return_to };
        const token = await newAttempt(db, { provider: PROVIDER, ...attempt });
        const there = new URL(`${hub.github.webUrl}/apps/${data?.slug}/installations/new`);
        there.searchParams.set('state', secretsOf(token).state);
        return redirect(there.href, [attemptCookie(publicUrl, token)]);
      } catch (error) {
        if (error instanceof ProviderError) return refused(error.code);
        throw error;
      }
    },
  });

/**
 * Where GitHub sends the browser after the App was installed, and again after the person has said
 * who they are. The number of an installation in an address can be forged, so the person's own
 * token has to reach it.
 */
export const finishGithub = ({ db, publicUrl, github: hub }: Deps) =>
  publicRoute({
    method: 'GET',
    path: '/auth/github/callback',
    area: 'Sign-in',
    operationId: 'finish_github',
    summary: 'Come back from GitHub',
    description:
      'GitHub sends the browser here after the App was installed. Once GitHub has confirmed that ' +
      'the person may see all of the installation, it is connected.',
    limit: 'signIn',
    query: Type.Object({
      state: text(200, 'As `install_github` made it.'),
      installation_id: text(15, 'What was installed.'),
      setup_action: text(50, 'What was done.'),
      code: text(200, 'For the token of the person.'),
      error: text(200, 'Why there is no code.'),
    }),
    responses,
    errors: [],
    handle: async ({ query, url, headers, requestId }) => {
      const token = attemptToken(headers, publicUrl);
      const expired = redirect('/account?error=attempt_expired');
      if (hub === undefined || token === undefined || !hasState(token, query.state)) return expired;
      if (query.code === undefined && query.error === undefined) {
        if (query.setup_action === 'request')
          return redirect('/account?error=installation_requested');
        const id = idOf(query.installation_id);
        if (id === undefined || !(await noteInstallation(db, { token, provider: PROVIDER }, id)))
          return expired;
        return redirect((await hub.people.begin(callbackOf(publicUrl), secretsOf(token))).href);
      }
      const attempt = await takeAttempt(db, token, PROVIDER);
      if (attempt === undefined) return expired;
      const current = callbackOf(publicUrl);
      current.search = new URL(url, publicUrl).search;
      const session = await browserSession(db, headers, publicUrl);
      const code =
        session === undefined || session.id !== attempt.session_id
          ? 'session_required'
          : await connected(attempt, { current, verifier: secretsOf(token).verifier, session });
      const page =
        code === undefined
          ? withParameter(attempt.return_to, 'github', 'connected')
          : withParameter(attempt.return_to, 'error', code);
      return redirect(page, [attemptCookie(publicUrl, '')]);

      async function connected(
        { installation_id, organization_id = null }: Attempt,
        came: { current: URL; verifier: string; session: NonNullable<typeof session> },
      ): Promise<string | undefined> {
        const installationId = idOf(installation_id ?? undefined);
        if (hub === undefined || installationId === undefined) return 'attempt_expired';
        try {
          const person = await hub.people.tokenFor(came.current, came);
          if (!(await mayConnect(hub, person, installationId))) return 'installation_not_yours';
          const what = { installationId, organizationId: organization_id, requestId };
          return await connectInstallation(db, hub.github, { ...what, session: came.session });
        } catch (error) {
          if (error instanceof ProviderError) return error.code;
          throw error;
        }
      }
    },
  });

const idOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
