import { Octokit } from '@octokit/core';
import { paginateRest } from '@octokit/plugin-paginate-rest';
import type { GitHubApp } from '../../platform/config/github.ts';
import { traceAsk } from '../../telemetry/spans.ts';
import { HostError } from '../hosts/host-error.ts';
import { errorOf, exhausted, type Refusal, resetOf } from './host-error.ts';
import { limitsInMemory, type RateLimits } from './limits.ts';
import type { GitHubObserver } from './metrics.ts';
import { sender, wait } from './send.ts';
import { appToken, type Minted, notMinted, type Scope, Tokens } from './tokens.ts';

const Client = Octokit.plugin(paginateRest);

/**
 * Typed calls to GitHub: `request('GET /repos/{owner}/{repo}', …)` and `paginate`. Each ends within
 * its deadline and throws nothing but a HostError.
 */
export type Api = Pick<InstanceType<typeof Client>, 'request' | 'paginate'>;

/** GitHub, as an App. */
export interface GitHub {
  /** Calls as the App itself: about its installations. */
  readonly app: Api;
  /** Calls as an installation, with a token that opens nothing but this. */
  as(scope: Scope): Api;
  /** Such a token itself, for Git. It is never stored, logged or put into an address. */
  token(scope: Scope): Promise<string>;
  /** Forgets the tokens of an installation whose rights have changed. */
  forget(installationId: number): void;
  /** Where Git clones from: `https://github.com`. */
  readonly webUrl: string;
}

interface GitHubOptions {
  limits?: RateLimits;
  /** Milliseconds for one call, including what is tried again; 10 s by default. */
  deadline?: number;
  observer?: Pick<GitHubObserver, 'onCall' | 'onRemaining'> | undefined;
}

/** The version of the API that all of this is written for; GitHub keeps it for two years at least. */
const API_VERSION = '2022-11-28';

/** The App's own calls have a limit of their own. */
const APP_ITSELF = 0;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens GitHub with these settings; asks nothing yet. */
export function openGitHub(
  settings: GitHubApp,
  { limits = limitsInMemory(), deadline = 10_000, observer }: GitHubOptions = {},
): GitHub {
  const send = sender(settings.apiUrl);
  // How far GitHub's clock is ahead of this machine's, in milliseconds, once it matters.
  let ahead = 0;
  const tokens = new Tokens(mint);

  function api(credential: Credential): Api {
    const client = new Client({
      baseUrl: settings.apiUrl,
      userAgent: 'guildhall',
      log: SILENT,
      request: { fetch: send },
    });
    client.hook.wrap('request', (request, options) => {
      const mine = AbortSignal.timeout(deadline);
      const theirs = options.request?.signal as AbortSignal | undefined;
      const signal = theirs === undefined ? mine : AbortSignal.any([mine, theirs]);
      const ask = async (token: string) => {
        const headers = {
          ...options.headers,
          authorization: `Bearer ${token}`,
          'x-github-api-version': API_VERSION,
        };
        const asked = { ...options, headers, request: { ...options.request, signal } };
        const { method, baseUrl, url } = options;
        const path = url.replace(/^https?:\/\/[^/]+/, '').replaceAll(/\/\d+(?=\/|$|\?)/g, '/{id}');
        const answer = await traceAsk(
          { method, host: new URL(baseUrl).hostname, path },
          async () => request(asked as typeof options),
          ({ status }) => status,
        );
        const left = Number.parseInt(String(answer.headers['x-ratelimit-remaining']), 10);
        if (!Number.isNaN(left)) observer?.onRemaining(credential.limit, left);
        if (exhausted(answer.headers))
          await limits.exhausted(credential.limit, resetOf(answer.headers, Date.now()));
        return answer;
      };
      const asking = attempts(ask, { credential, signal, again: options.method === 'GET' });
      asking.then(
        () => observer?.onCall('done'),
        (error) => observer?.onCall(error instanceof HostError ? error.code : 'failed'),
      );
      return asking;
    });
    return client;
  }

  /** Asks until there is an answer that counts, within the deadline. */
  async function attempts<Answer>(
    ask: (token: string) => Promise<Answer>,
    { credential, signal, again }: { credential: Credential; signal: AbortSignal; again: boolean },
  ): Promise<Answer> {
    const until = await limits.until(credential.limit);
    if (until !== undefined) throw new HostError('github_rate_limited', { until });
    for (let attempt = 1; ; attempt++) {
      const token = await credential.token();
      try {
        return await ask(token);
      } catch (thrown) {
        const refusal = refusalOf(thrown);
        const error = refusal ? errorOf(refusal) : new HostError('github_unavailable');
        if (signal.aborted || attempt === 3) throw error;
        if (error.until !== undefined) {
          const later = await limits.refused(credential.limit, error.until, error.guessed);
          throw new HostError(error.code, { ...error, until: later });
        }
        if (error.status === 401) {
          if (!(await credential.refused(refusal as Refusal, signal, error))) throw error;
        } else if (error.code !== 'github_unavailable' || !again || attempt === 2) throw error;
        else await wait(250, signal).catch(() => Promise.reject(error));
      }
    }
  }

  const asApp: Credential = {
    limit: APP_ITSELF,
    token: async () => appToken(settings, Math.floor((Date.now() + ahead) / 1000)),
    // A clock that differs by more than a minute is the one fault that goes away by itself.
    refused: async ({ headers }, _signal, error) => {
      const theirs = Date.parse(headers.date?.toString() ?? '');
      const was = ahead;
      if (!Number.isNaN(theirs)) ahead = theirs - Date.now();
      if (Math.abs(ahead - was) > 30_000) return true;
      throw new HostError('github_app_refused', error);
    },
  };

  const asInstallation = (scope: Scope): Credential => ({
    limit: scope.installationId,
    token: () => tokens.get(scope),
    refused: async (_refusal, signal, error) => {
      if (tokens.refused(scope)) await wait(1_000, signal).catch(() => Promise.reject(error));
      return true;
    },
  });

  async function mint(scope: Scope): Promise<Minted> {
    const { installationId: installation_id, repositoryIds, permissions } = scope;
    try {
      const { data, headers } = await app.request(
        'POST /app/installations/{installation_id}/access_tokens',
        {
          installation_id,
          permissions,
          ...(repositoryIds && { repository_ids: [...repositoryIds] }),
        },
      );
      const theirs = Date.parse(headers.date ?? '');
      const made = Number.isNaN(theirs) ? Date.now() : theirs;
      return { token: data.token, lifetime: Date.parse(data.expires_at) - made };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      throw notMinted(
        error,
        scope,
        error.status === 422 ? await granted(installation_id) : undefined,
      );
    }
  }

  /** The permissions of an installation, to name the one that is missing. */
  async function granted(installation_id: number): Promise<Record<string, string> | undefined> {
    try {
      const path = 'GET /app/installations/{installation_id}';
      return (await app.request(path, { installation_id })).data.permissions;
    } catch {
      return undefined;
    }
  }

  const app = api(asApp);
  return {
    app,
    as: (scope) => api(asInstallation(scope)),
    token: (scope) => tokens.get(scope),
    forget: (installationId) => tokens.forget(installationId),
    webUrl: settings.webUrl,
  };
}

/** Who calls, and whose limit that takes from. */
interface Credential {
  limit: number;
  token(): Promise<string>;
  /** After a 401: whether to ask again. May throw another error instead. */
  refused(refusal: Refusal, signal: AbortSignal, error: HostError): Promise<boolean>;
}

/** The answer in an error of Octokit; undefined if there was none. */
function refusalOf(thrown: unknown): Refusal | undefined {
  const { status, response } = thrown as {
    status?: number;
    response?: { headers: Refusal['headers']; data: unknown };
  };
  if (status === undefined || response === undefined) return undefined;
  const { message = '', errors } = (response.data ?? {}) as { message?: string; errors?: unknown };
  const reasons = (Array.isArray(errors) ? errors : []).map(
    (each: { message?: string; field?: string; code?: string } | string) =>
      typeof each === 'string' ? each : (each.message ?? `${each.field} ${each.code}`),
  );
  const said = [String(message), ...reasons].join(': ');
  return { status, headers: response.headers, message: said };
}
