import { openGitHub } from '../../code/github/app.ts';
import type { Provider } from '../../platform/catalog/agent-fields.ts';
import type { Config } from '../../platform/config/config.ts';
import { type Finding, failure, ok, reasonOf, warning } from './finding.ts';

/** What is on other machines. */

const WITHIN_MS = 10_000;

/** Connects and signs in; sends nothing. */
export async function checkMail({ mail, dataDir }: Config): Promise<Finding> {
  if (mail.server === undefined)
    return warning(
      'mail',
      `SMTP_URL is not set: mails are only written to files in ${dataDir}/mail`,
    );
  const { host, port, encryption, login } = mail.server;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: WITHIN_MS,
    greetingTimeout: WITHIN_MS,
    socketTimeout: WITHIN_MS,
  });
  try {
    await transport.verify();
    return ok('mail', `${host}:${port} accepts the login`);
  } catch (error) {
    return failure('mail', `${host}:${port}: ${reasonOf(error)}. Check SMTP_URL`);
  } finally {
    transport.close();
  }
}

/** One call each that costs nothing, with the keys of this server. */
export async function checkProviders(config: Config): Promise<Finding[]> {
  const providers = new Map<string, Provider>();
  for (const { provider } of config.agents.models.values())
    if (provider !== undefined) providers.set(provider.id, provider);
  return Promise.all([
    ...(config.stripe === undefined ? [] : [stripe(config.stripe)]),
    ...(config.github === undefined ? [] : [github(config.github)]),
    ...[...providers.values()].map(model),
  ]);
}

async function stripe({ secretKey, apiBase }: NonNullable<Config['stripe']>): Promise<Finding> {
  return ask('Stripe', new URL('/v1/balance', apiBase ?? 'https://api.stripe.com'), {
    authorization: `Bearer ${secretKey}`,
  });
}

async function github(settings: NonNullable<Config['github']>): Promise<Finding> {
  try {
    const { data } = await openGitHub(settings, { deadline: WITHIN_MS }).app.request('GET /app');
    return ok('GitHub', `answers as the App ${data?.slug ?? settings.id}`);
  } catch (error) {
    return failure('GitHub', `${reasonOf(error)}. Check GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY`);
  }
}

/** Below `base_url`, which is as the SDKs take it: for `openai` with its `/v1`. */
const LISTS: Record<Provider['api'], string> = {
  openai: '/models',
  anthropic: '/v1/models',
  gemini: '/v1beta/models',
};

/** The list of models, which no provider charges for. */
function model({ id, api, baseUrl, key }: Provider): Promise<Finding> {
  const name = `models of ${id}`;
  const secret = key();
  if (secret === undefined) return Promise.resolve(failure(name, 'its key is not set'));
  const at = new URL(baseUrl.replace(/\/$/, '') + LISTS[api]);
  const headers: Record<string, Record<string, string>> = {
    openai: { authorization: `Bearer ${secret}` },
    anthropic: { 'x-api-key': secret, 'anthropic-version': '2023-06-01' },
    gemini: { 'x-goog-api-key': secret },
  };
  return ask(name, at, headers[api] ?? {});
}

async function ask(name: string, url: URL, headers: Record<string, string>): Promise<Finding> {
  try {
    const { status, body } = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    await body?.cancel();
    if (status < 300) return ok(name, `${url.host} accepts the key`);
    if (status === 401 || status === 403)
      return failure(name, `${url.host} refuses the key (${status}): replace it`);
    if (status === 404)
      return warning(name, `${url.host} answers, and has no list to try the key with`);
    return warning(name, `${url.host} answers ${status}: try again later`);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return failure(name, `${url.host} cannot be reached (${reasonOf(cause ?? error)})`);
  }
}
