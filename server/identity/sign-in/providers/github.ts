import { hash } from 'node:crypto';
import type { GithubOauth } from '../../../platform/config/config.ts';
import { type Person, type Provider, ProviderError, type ProviderFailure } from './provider.ts';

/** GitHub, on behalf of a person who has allowed it. Tokens are used once and never stored. */
export interface GithubPeople extends Provider {
  /** The person's token for the code in this address. Throws a ProviderError. */
  tokenFor(current: URL, secrets: { verifier?: string | undefined }): Promise<string>;
  /** The installations of this server's App that the person can reach. Throws a ProviderError. */
  installationsOf(token: string): Promise<number[]>;
  /** How many repositories of an installation the person can see. Throws a ProviderError. */
  repositoriesOf(token: string, installationId: number): Promise<number>;
}

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;
const PAGE = 100;
const MOST_PAGES = 20;

export function githubPeople({
  clientId,
  clientSecret,
  apiUrl,
  webUrl,
}: GithubOauth): GithubPeople {
  const api = (path: string, token: string) =>
    ask(`${apiUrl}${path}`, {
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'guildhall',
        'x-github-api-version': '2022-11-28',
      },
    });

  const tokenFor: GithubPeople['tokenFor'] = async (current, { verifier }) => {
    const { searchParams } = current;
    const refusal = searchParams.get('error');
    if (refusal !== null) throw new ProviderError(failureOf(refusal), refusal);
    const { body } = await ask(`${webUrl}/login/oauth/access_token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        code: searchParams.get('code') ?? '',
        redirect_uri: withoutSearch(current),
        ...(verifier !== undefined && { code_verifier: verifier }),
      }),
    });
    const { access_token, token_type, error } = body as Record<string, unknown>;
    // GitHub answers 200 with the reason why there is no token.
    if (typeof error === 'string') throw new ProviderError(failureOf(error), error);
    if (typeof access_token !== 'string' || !/^bearer$/i.test(String(token_type)))
      throw new ProviderError('provider_answer_invalid', 'no token');
    return access_token;
  };

  return {
    id: 'github',
    name: 'GitHub',
    tokenFor,
    begin: async (callback, { state, verifier }) => {
      const url = new URL(`${webUrl}/login/oauth/authorize`);
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: callback.href,
        scope: 'read:user user:email',
        state,
        code_challenge: hash('sha256', verifier, 'base64url'),
        code_challenge_method: 'S256',
      }).toString();
      return url;
    },
    finish: async (current, secrets): Promise<Person> => {
      if (current.searchParams.get('state') !== secrets.state)
        throw new ProviderError('provider_answer_invalid', 'another state');
      const token = await tokenFor(current, secrets);
      const [user, emails] = await Promise.all([api('/user', token), api('/user/emails', token)]);
      const { id, login, name } = user.body as { id?: unknown; login?: string; name?: unknown };
      if (!user.ok || !Number.isSafeInteger(id))
        throw new ProviderError('provider_answer_invalid', `/user: ${user.status}`);
      const primary = (emails.ok ? (emails.body as Email[]) : []).find((one) => one.primary);
      return {
        subject: String(id),
        email: primary?.email,
        emailVerified: primary?.verified === true,
        name: typeof name === 'string' && name.trim() !== '' ? name.trim() : login,
      };
    },
    installationsOf: async (token) => {
      const ids: number[] = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const { ok, status, body } = await api(
          `/user/installations?per_page=${PAGE}&page=${page}`,
          token,
        );
        if (!ok) throw new ProviderError('provider_answer_invalid', `installations: ${status}`);
        const { installations = [] } = body as { installations?: { id: number }[] };
        ids.push(...installations.map(({ id }) => id));
        if (installations.length < PAGE) break;
      }
      return ids;
    },
    repositoriesOf: async (token, installationId) => {
      const path = `/user/installations/${installationId}/repositories?per_page=1`;
      const { ok, status, body } = await api(path, token);
      if (!ok) throw new ProviderError('provider_answer_invalid', `repositories: ${status}`);
      return (body as { total_count: number }).total_count;
    },
  };
}

interface Email {
  email: string;
  primary: boolean;
  verified: boolean;
}

interface Heard {
  ok: boolean;
  status: number;
  body: unknown;
}

/** Asks, and reads an answer of bounded size. A redirect is not followed: it could take a token. */
async function ask(url: string, init: RequestInit): Promise<Heard> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { ...init, redirect: 'manual', signal });
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of answer.body ?? []) {
      size += piece.length;
      if (size > MOST_BYTES) throw new Error('the answer is too long');
      pieces.push(piece);
    }
    const { ok, status } = answer;
    if (status >= 500 || status === 429)
      throw new ProviderError('provider_unavailable', `GitHub answered ${status}`);
    return { ok, status, body: JSON.parse(Buffer.concat(pieces).toString()) };
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError('provider_unavailable', error);
  }
}

function withoutSearch(url: URL): string {
  const bare = new URL(url);
  bare.search = '';
  return bare.href;
}

/** GitHub's reasons, of its page and of its tokens, as ours. */
const FAILURES: Record<string, ProviderFailure> = {
  access_denied: 'provider_denied',
  application_suspended: 'provider_misconfigured',
  incorrect_client_credentials: 'provider_misconfigured',
  redirect_uri_mismatch: 'provider_misconfigured',
  unverified_user_email: 'email_not_verified',
};
const failureOf = (reason: string): ProviderFailure =>
  FAILURES[reason] ?? 'provider_answer_invalid';
